// Choosing several rows of a list, and the bar with what can be done with them.
import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button';

/** mostChosen is how many rows can be chosen at once: as many as a recipe takes servers. */
export const mostChosen = 50;

/** Selection is the rows that are chosen, by their ids. It outlives a filter that hides some of them. */
export interface Selection<T> {
  chosen: ReadonlyMap<string, T>;
  turn: (row: T, on: boolean) => void;
  all: (rows: T[]) => void;
  clear: () => void;
  /** name is a row's name, for its checkbox. */
  name: (row: T) => string;
}

export function useSelection<T extends { id: string }>(name: (row: T) => string): Selection<T> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, T>>(new Map());
  const set = (rows: T[], on: boolean) =>
    setChosen((was) => {
      const next = new Map(was);
      for (const row of rows) {
        if (!on) next.delete(row.id);
        else if (next.size < mostChosen) next.set(row.id, row);
      }
      return next;
    });
  return { chosen, turn: (row, on) => set([row], on), all: (rows) => set(rows, true), clear: () => setChosen(new Map()), name };
}

/** Select is the checkbox of a row. */
export function Select<T extends { id: string }>({ row, of }: { row: T; of: Selection<T> }) {
  const on = of.chosen.has(row.id);
  const full = !on && of.chosen.size >= mostChosen;
  return (
    <label
      className="relative z-10 -my-2 -ml-2 grid size-9 shrink-0 cursor-pointer place-items-center max-md:-ml-3 max-md:size-11"
      title={full ? t`At most ${mostChosen}` : undefined}
    >
      <input
        type="checkbox"
        data-select
        aria-label={t`Select ${of.name(row)}`}
        className="size-4 accent-strong max-md:size-5"
        checked={on}
        disabled={full}
        onChange={(e) => of.turn(row, e.target.checked)}
      />
    </label>
  );
}

/** SelectionBar appears once something is chosen, with the actions for it. */
export function SelectionBar<T extends { id: string }>({
  of,
  rows,
  one,
  children,
}: {
  of: Selection<T>;
  rows: T[];
  one: 'server' | 'site';
  children: ReactNode;
}) {
  const bar = useRef<HTMLElement>(null);
  const n = of.chosen.size;
  if (n === 0) return null;
  const rest = rows.filter((r) => !of.chosen.has(r.id)).length;
  const clear = () => {
    of.clear();
    document.querySelector<HTMLElement>('[data-select]')?.focus({ preventScroll: true }); // the button that had the focus goes
  };
  return (
    <section
      ref={bar}
      aria-label={t`Selection`}
      className="sticky top-2 z-20 flex flex-wrap items-center gap-2 rounded-xl border border-accent/40 bg-soft px-4 py-2 shadow-raised"
    >
      <span role="status" className="mr-2 font-medium text-accent">
        {one === 'site' ? (
          <Plural value={n} one="# site selected" other="# sites selected" />
        ) : (
          <Plural value={n} one="# server selected" other="# servers selected" />
        )}
      </span>
      {children}
      {rest > 0 && n < mostChosen && (
        <Button look="quiet" onClick={() => of.all(rows)}>
          <Trans>Select all</Trans>
        </Button>
      )}
      <span className="ml-auto">
        <Button look="quiet" icon={X} onClick={clear}>
          <Trans>Clear</Trans>
        </Button>
      </span>
    </section>
  );
}
