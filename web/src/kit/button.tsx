import { Link, type LinkProps } from '@tanstack/react-router';
import { LoaderCircle, type LucideIcon } from 'lucide-react';
import { type ButtonHTMLAttributes, type ReactNode, useId } from 'react';
import { useLacked, useMay } from '../api/may';
import type { Does } from '../api/permissions';
import { requires } from './words';

/** useReason is why somebody can't do something, in words; undefined where they can, or where there is nothing to say. */
export function useReason(does: Does | undefined, disabled?: boolean, why?: string): string | undefined {
  const permission = useLacked(does);
  return permission ? requires(permission) : disabled ? why : undefined;
}

export type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'remove';
const looks: Record<Look, string> = {
  primary: 'bg-strong text-white border-transparent hover:bg-strong-hover shadow-raised',
  plain: 'bg-surface text-text border-edge hover:bg-hover shadow-raised',
  quiet: 'bg-transparent text-muted border-transparent hover:bg-hover hover:text-text',
  remove: 'bg-transparent text-danger border-transparent hover:bg-danger-soft',
  danger: 'bg-danger-strong text-white border-transparent hover:brightness-110 shadow-raised',
};
const shape =
  'inline-flex items-center justify-center gap-1.5 whitespace-nowrap rounded-lg border px-3 h-9 max-md:h-11 text-base font-medium transition-colors select-none aria-disabled:opacity-55 aria-disabled:cursor-not-allowed';
const square = 'max-md:w-11 w-9 px-0!';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  look?: Look;
  icon?: LucideIcon;
  /** does is what the button calls, or leads to: without the permission for it, the button is disabled and says so. */
  does?: Does;
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
  does,
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
  const may = useMay(does);
  const off = !may || disabled || pending;
  const reason = useReason(does, disabled, why);
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
  does,
  ...rest
}: LinkProps & { look?: Look; icon?: LucideIcon; children?: ReactNode; className?: string; does?: Does }) {
  const may = useMay(does);
  if (!may)
    return (
      <Button look={look} icon={Icon} does={does} className={className}>
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
