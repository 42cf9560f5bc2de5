// Tags of servers and sites: in lists, as a filter, and as a field.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { type ReactNode, useContext, useId, useRef, useState } from 'react';
import { described, FieldErrors, Frame, useFieldErrors } from './field';
import type { Pick } from './filters';
import { added, grouped, tagsOf } from './group';
import { Pill } from './state';
import type { Column } from './table';
import { named } from './words';

export interface Tagged {
  meta?: { tags?: string[] };
}

/** Group is how rows are grouped: the names of a row's groups, and of the group of those without. */
export interface Group<T> {
  of: (row: T) => string[];
  none: string;
}

export const byTag: Group<Tagged> = { of: (r) => r.meta?.tags ?? [], none: t`No tag` };

/** useTags are the tags that a list has shown, also while it is filtered by one. */
export function useTags(rows: Tagged[], chosen: string): string[] {
  const seen = useRef<string[]>([]);
  const all = tagsOf(rows, [...seen.current, chosen]);
  seen.current = all;
  return all;
}

/** tagPick is the menu of tags to filter by; there is none without a tag. */
export const tagPick = (tags: string[]): Pick[] =>
  tags.length > 0 ? [{ name: 'tag', label: t`Tag`, options: [['', t`Any tag`], ...tags.map((t) => [t, t] as const)] }] : [];

/** tagColumn is the column of tags; there is none without a tag. */
export const tagColumn = (tags: string[]): Column<Tagged>[] =>
  tags.length > 0 ? [{ name: t`Tags`, minor: true, width: 'minmax(0,1.2fr)', cell: (r) => <Tags of={r} /> }] : [];

function Tags({ of }: { of: Tagged }) {
  return (
    <span className="flex flex-wrap gap-1">
      {of.meta?.tags?.map((t) => (
        <Pill key={t}>
          <span className="max-w-40 truncate" title={t}>
            {t}
          </span>
        </Pill>
      ))}
    </span>
  );
}

/** Groups draws a list as a section for each group, or as one without groups. */
export function Groups<T>({ rows, by, children }: { rows: T[]; by?: Group<T>; children: (rows: T[], title: string) => ReactNode }) {
  if (!by) return children(rows, '');
  return grouped(rows, by.of, by.none).map(([title, rows]) => (
    <section key={title} aria-label={title} className="grid gap-2">
      <h2 className="mt-2 font-semibold [overflow-wrap:anywhere]">{title}</h2>
      {children(rows, title)}
    </section>
  ));
}

/**
 * TagsField is a field of tags. Enter, a comma or leaving the field adds what was typed, a pasted list is split at its commas, and Backspace in the empty field
 * removes the last tag. A tag with a comma in it, which other clients can set, stays whole.
 */
export function TagsField({ name, value, onChange, hint }: { name: string; value: string[]; onChange: (tags: string[]) => void; hint?: ReactNode }) {
  const id = useId();
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const errors = useErrors(name, value.length);
  const add = (from: string) => {
    setText('');
    const next = added(value, from);
    if (next.length !== value.length) onChange(next);
  };
  const remove = (tag: string) => {
    onChange(value.filter((t) => t !== tag));
    input.current?.focus();
  };
  return (
    <Frame {...{ id, label: t`Tags`, hint, errors }}>
      <div className="control flex h-auto! min-h-9 flex-wrap items-center gap-1.5 py-1 has-[input:focus-visible]:border-accent has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-accent max-md:min-h-11 has-aria-invalid:border-danger">
        {value.length > 0 && (
          <ul aria-label={t`Current tags`} className="contents">
            {value.map((tag) => (
              <li key={tag} className="inline-flex max-w-full min-w-0 items-center rounded-full bg-sunken pl-2 text-sm font-medium">
                <span className="truncate">{tag}</span>
                <button
                  type="button"
                  onClick={() => remove(tag)}
                  title={t`Remove the tag ${tag}`}
                  className="grid size-6 shrink-0 place-items-center rounded-full text-muted hover:bg-hover hover:text-text max-md:size-9"
                >
                  <X className="size-3.5" aria-hidden />
                  <span className="sr-only">
                    <Trans>Remove the tag {tag}</Trans>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
        <input
          ref={input}
          id={id}
          name={name}
          value={text}
          autoComplete="off"
          className="min-w-24 flex-1 bg-transparent outline-none"
          aria-invalid={errors.length > 0 || undefined}
          aria-describedby={described(id, hint, errors)}
          onChange={(e) => (e.target.value.includes(',') ? add(e.target.value) : setText(e.target.value))}
          onBlur={() => add(text)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && text.trim() && !e.nativeEvent.isComposing) {
              e.preventDefault();
              add(text);
            }
            if (e.key === 'Backspace' && !text && value.length > 0) remove(value[value.length - 1]!);
          }}
          onPaste={(e) => {
            const pasted = e.clipboardData.getData('text');
            if (!/[,\n]/.test(pasted)) return;
            e.preventDefault();
            add(text + pasted);
          }}
        />
      </div>
    </Frame>
  );
}

/** useErrors is what is wrong with the tags together, and with each. */
function useErrors(name: string, tags: number): string[] {
  const { fields, claim } = useContext(FieldErrors);
  const errors = new Set(useFieldErrors(name, t`Tags`));
  for (let n = 0; n < tags; n++) {
    claim(`${name}.${n}`);
    for (const problem of fields[`${name}.${n}`] ?? []) errors.add(named(problem, name, t`Tags`));
  }
  return [...errors];
}
