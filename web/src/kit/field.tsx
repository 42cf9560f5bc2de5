import {
  type ComponentProps,
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from 'react';
import type { Fields } from '../api/client';
import { named } from './words';

/** FieldErrors are what the API found wrong, by the names of fields; a field shows its own. */
export const FieldErrors = createContext<{ fields: Fields; claim: (name: string) => void }>({ fields: {}, claim: () => undefined });

interface Base {
  label: string;
  /** name is the field's name in the API, so that its errors find it. */
  name: string;
  hint?: ReactNode;
  hidden?: boolean;
  /** unit is what a number is of, beside it. */
  unit?: string;
  /** code is text for machines, such as an address or a path: in the font of code, neither completed nor spell-checked. */
  code?: boolean;
}

/** machine are the attributes of a field for code. */
const machine = { spellCheck: false, autoComplete: 'off' } as const;

/** useFieldErrors is what is wrong with a field, in the words of its label. */
export function useFieldErrors(name: string, label?: string): string[] {
  const { fields, claim } = useContext(FieldErrors);
  claim(name);
  return (fields[name] ?? []).map((p) => named(p, name, label));
}

/** Frame is a field with its label, its hint and what is wrong with it. */
export function Frame({
  id,
  label,
  hint,
  errors,
  hidden,
  children,
}: {
  id: string;
  label: string;
  hint?: ReactNode;
  errors: string[];
  hidden?: boolean;
  children: ReactNode;
}) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-1.5">
      <label htmlFor={id} className={hidden ? 'sr-only' : 'text-base font-medium'}>
        {label}
      </label>
      {children}
      {errors.length > 0 && (
        <p id={id + '-error'} className="text-sm text-danger [overflow-wrap:anywhere]">
          {errors.join(' ')}
        </p>
      )}
      {hint && (
        <p id={id + '-hint'} className="text-sm text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

export const described = (id: string, hint: unknown, errors: string[]) =>
  [errors.length ? id + '-error' : '', hint ? id + '-hint' : ''].filter(Boolean).join(' ') || undefined;

export function Input({ label, name, hint, hidden, code, unit, className = '', ...rest }: Base & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  const errors = useFieldErrors(name, label);
  const input = (
    <input
      {...(code && machine)}
      {...rest}
      id={id}
      name={name}
      className={`control ${code ? 'font-mono' : ''} ${className}`}
      aria-invalid={errors.length > 0 || undefined}
      aria-describedby={[unit && id + '-unit', described(id, hint, errors)].filter(Boolean).join(' ') || undefined}
    />
  );
  return (
    <Frame {...{ id, label, hint, errors, hidden }}>
      {unit ? (
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-2">
          {input}
          <span id={id + '-unit'} className="text-muted">
            {unit}
          </span>
        </div>
      ) : (
        input
      )}
    </Frame>
  );
}

export function Textarea({ label, name, hint, hidden, code, className = '', ...rest }: Base & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId();
  const errors = useFieldErrors(name, label);
  return (
    <Frame {...{ id, label, hint, errors, hidden }}>
      <textarea
        rows={4}
        {...(code && machine)}
        {...rest}
        id={id}
        name={name}
        className={`control h-auto! py-2 ${code ? 'font-mono' : ''} ${className}`}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={described(id, hint, errors)}
      />
    </Frame>
  );
}

export function Select({
  label,
  name,
  hint,
  hidden,
  options,
  className = '',
  ...rest
}: Base & SelectHTMLAttributes<HTMLSelectElement> & { options: readonly (readonly [string, string])[] }) {
  const id = useId();
  const errors = useFieldErrors(name, label);
  return (
    <Frame {...{ id, label, hint, errors, hidden }}>
      <select
        {...rest}
        id={id}
        name={name}
        className={`control pr-8 ${className}`}
        aria-invalid={errors.length > 0 || undefined}
        aria-describedby={described(id, hint, errors)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </Frame>
  );
}

export function Check({ label, hint, ...rest }: { label: ReactNode; hint?: ReactNode } & ComponentProps<'input'>) {
  const id = useId();
  return (
    <div className="flex gap-2.5">
      <input
        type="checkbox"
        {...rest}
        id={id}
        className="mt-0.5 size-4 shrink-0 accent-strong max-md:size-5"
        aria-describedby={hint ? id + '-hint' : undefined}
      />
      <div>
        <label htmlFor={id} className="text-base">
          {label}
        </label>
        {hint && (
          <p id={id + '-hint'} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}

/** Choice is one of a few, each with a word of explanation. */
export function Choice<T extends string>({
  legend,
  name,
  value,
  onChange,
  options,
}: {
  legend: string;
  name: string;
  value: T;
  onChange: (v: T) => void;
  options: readonly { value: T; title: string; text?: string }[];
}) {
  const errors = useFieldErrors(name, legend);
  return (
    <fieldset className="grid gap-1.5">
      <legend className="mb-1.5 text-base font-medium">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {options.map((o) => (
          <label
            key={o.value}
            className="flex cursor-pointer gap-2.5 rounded-lg border border-line bg-surface p-3 transition-colors hover:border-edge has-checked:border-accent has-checked:bg-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              value={o.value}
              checked={value === o.value}
              onChange={() => onChange(o.value)}
              className="mt-0.5 size-4 shrink-0 accent-strong outline-none"
            />
            <span className="grid content-start">
              <span className="font-medium">{o.title}</span>
              {o.text && <span className="text-sm text-muted">{o.text}</span>}
            </span>
          </label>
        ))}
      </div>
      {errors.length > 0 && <p className="text-sm text-danger">{errors.join(' ')}</p>}
    </fieldset>
  );
}
