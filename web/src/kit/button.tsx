import { Link, type LinkProps } from '@tanstack/react-router';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ButtonHTMLAttributes, createContext, type ReactNode, useContext, useId } from 'react';
import { requires } from './words';

/** Permissions are what the person may do here; null where nobody asked yet, and then nothing is disabled for it. */
export const Permissions = createContext<ReadonlySet<string> | null>(null);
export function useMay(needs?: string): boolean {
  const held = useContext(Permissions);
  return !needs || !held || held.has(needs);
}

/** useReason is why somebody can't do something, in words; undefined where they can, or where there is nothing to say. */
export function useReason(needs?: string, disabled?: boolean, why?: string): string | undefined {
  const may = useMay(needs);
  return !may ? requires(needs!) : disabled ? why : undefined;
}

export type Look = 'primary' | 'plain' | 'quiet' | 'danger';
const looks: Record<Look, string> = {
  primary: 'bg-strong text-white border-transparent hover:bg-strong-hover shadow-raised',
  plain: 'bg-surface text-text border-edge hover:bg-hover shadow-raised',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-text',
  danger: 'bg-danger-strong text-white border-transparent hover:brightness-110 shadow-raised',
};
const shape =
  'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-lg border px-3 h-9 max-md:h-11 text-base font-medium transition-colors select-none aria-disabled:opacity-55 aria-disabled:cursor-not-allowed';
const square = 'max-md:w-11 w-9 px-0!';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  look?: Look;
  icon?: LucideIcon;
  /** needs names the permission without which the button is disabled, and says so. */
  needs?: string;
  pending?: boolean;
  disabled?: boolean;
  /** why says what has to be done first, where it is disabled. */
  why?: string;
  only?: boolean;
  children?: ReactNode;
}

export function Button({
  look = 'plain',
  icon: Icon,
  needs,
  pending,
  disabled,
  why,
  only,
  children,
  className = '',
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  const id = useId();
  const may = useMay(needs);
  const off = !may || disabled || pending;
  const reason = useReason(needs, disabled, why);
  return (
    <>
      <button
        {...rest}
        type={type}
        className={`${shape} ${looks[look]} ${only ? square : ''} ${className}`}
        aria-disabled={off || undefined}
        aria-busy={pending || undefined}
        aria-describedby={reason ? id : undefined}
        title={reason ?? rest.title}
        onClick={(e) => {
          if (off) return e.preventDefault();
          onClick?.(e);
        }}
      >
        {pending ? <LoaderCircle className="size-4 shrink-0 animate-spin" aria-hidden /> : Icon && <Icon className="size-4 shrink-0" aria-hidden />}
        {only ? <span className="sr-only">{children}</span> : children}
      </button>
      {reason && (
        <span id={id} className="sr-only">
          {reason}
        </span>
      )}
    </>
  );
}

export function ButtonLink({
  look = 'plain',
  icon: Icon,
  children,
  className = '',
  needs,
  ...rest
}: LinkProps & { look?: Look; icon?: LucideIcon; children?: ReactNode; className?: string; needs?: string }) {
  const may = useMay(needs);
  if (!may)
    return (
      <Button look={look} icon={Icon} needs={needs} className={className}>
        {children}
      </Button>
    );
  return (
    <Link {...rest} className={`${shape} ${looks[look]} ${className}`}>
      {Icon && <Icon className="size-4 shrink-0" aria-hidden />}
      {children}
    </Link>
  );
}
