import { Search } from 'lucide-react';
import { Fragment, lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react';
import { fitting, type Sized, template } from './columns';
import type { Sight } from './long';
import { useRoom } from './room';
import { Select, type Selection } from './selection';

const Long = lazy(() => import('./long')); // most lists are short, and the first screen's are

export interface Column<T> extends Sized {
  name: string;
  cell: (row: T) => ReactNode;
  /** named columns say their name on a card, where the value alone says too little. */
  named?: boolean;
}

interface Props<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  id: (row: T) => string;
  /** more is called when the end comes into sight; undefined where these are all rows. It has to be said, so that no list ends at its first page. */
  more: (() => void) | undefined;
  footer?: ReactNode;
  /** held is the place of the row that is being dragged. */
  held?: number | null;
  /** selection gives each row a checkbox, beside its name. */
  selection?: Selection<T & { id: string }>;
}

const longFrom = 80;

/** Table shows rows, with the columns that there is room for; where there is room for too few, each row is a card. Long ones hold only what is in sight. */
export function Table<T>({ label, rows, columns, id, more, footer, held, selection }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const reached = useCallback(
    (row: number) => {
      if (more && row >= rows.length - 20) more();
    },
    [more, rows.length],
  );
  const long = rows.length >= longFrom;
  const body = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState<Sight | null>(null);
  useEffect(() => {
    if (!long) reached(rows.length);
  }, [long, reached, rows.length]);
  const room = useRoom(box);
  const fits = fitting(columns, room);
  const cards = !fits;
  const shown = fits ?? columns.filter((c) => c.minor !== true);
  // A few buttons stand in the corner of a card, which the first line leaves free; many stand below.
  const end = columns.find((c) => c.end)?.width ?? '0rem';
  const corner = parseFloat(end) <= 9;
  const cols = { '--end': corner ? end : '0rem', '--cols': template(shown) } as React.CSSProperties;
  const place = (c: Column<T>, n: number) => {
    if (!c.end) return cards ? `${n === 0 ? 'pr-(--end)' : ''} ${c.named ? 'flex gap-2' : ''}` : '';
    return `z-10 ${cards ? (corner ? 'absolute top-1.5 right-2' : 'relative -mb-2 -ml-3') : 'relative justify-self-end'}`;
  };
  const inSight = sight?.rows.filter((r) => r.index < rows.length);
  const drawn = inSight?.map((r) => r.index) ?? rows.slice(0, longFrom).map((_, i) => i);
  /** above is the height of the rows before the nth that is drawn that are not. */
  const above = (n: number) => (inSight ? inSight[n]!.start - (inSight[n - 1]?.end ?? sight!.start) : 0);
  const draw = (row: T, i: number) => (
    <div
      role="row"
      aria-rowindex={i + 2}
      data-index={i}
      ref={sight?.measure}
      className={`relative grid gap-x-4 gap-y-1 border-t border-line px-4 py-3 transition-colors hover:bg-hover ${cards ? '' : 'grid-cols-(--cols) items-center'} ${held === i ? 'bg-soft!' : ''}`}
    >
      {shown.map((c, n) => (
        <div key={c.name} role="cell" className={`min-w-0 ${place(c, n)}`}>
          {c.named && cards && (
            <span aria-hidden className="text-muted">
              {c.name}
            </span>
          )}
          {n === 0 && selection ? (
            <div className="flex items-center gap-1">
              <Select row={row as T & { id: string }} of={selection} />
              <div className="min-w-0 flex-1">{c.cell(row)}</div>
            </div>
          ) : (
            c.cell(row)
          )}
        </div>
      ))}
    </div>
  );
  return (
    <div className="panel min-w-0 overflow-hidden">
      <div ref={box} role="table" aria-label={label} aria-rowcount={more ? -1 : rows.length + 1} style={cols}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={cards ? 'sr-only' : 'grid grid-cols-(--cols) gap-4 bg-sunken px-4 py-2 text-sm font-medium text-muted'}>
            {shown.map((c) => (
              <div key={c.name} role="columnheader" className={c.end ? 'sr-only' : ''}>
                {c.name}
              </div>
            ))}
          </div>
        </div>
        <div ref={body} role="rowgroup" style={{ height: sight?.height }}>
          {drawn.map((i, n) => (
            <Fragment key={id(rows[i]!)}>
              {above(n) > 0 && <div role="presentation" style={{ height: above(n) }} />}
              {draw(rows[i]!, i)}
            </Fragment>
          ))}
        </div>
        {long && (
          <Suspense>
            <Long count={rows.length} box={body} onSight={setSight} reached={reached} />
          </Suspense>
        )}
      </div>
      {footer && <div className="border-t border-line px-4 py-2.5 text-sm text-muted">{footer}</div>}
    </div>
  );
}

/** RowLink makes the whole row the target of its first cell's link. */
export const rowLink = 'font-medium hover:underline after:absolute after:inset-0 after:content-[""]';

/** Filter asks the server, a moment after the last key. */
export function Filter({ label, value = '', onChange }: { label: string; value?: string; onChange: (v: string) => void }) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (value === sent.current) return; // what was typed here, on its way back
    sent.current = value;
    setText(value);
  }, [value]);
  return (
    <label className="relative block w-full max-w-xs max-md:max-w-none">
      <span className="sr-only">{label}</span>
      <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted" aria-hidden />
      <input
        type="search"
        data-filter
        value={text}
        placeholder={label}
        className="control pl-9"
        onChange={(e) => {
          const next = e.target.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            sent.current = next.trim();
            onChange(sent.current);
          }, 180);
        }}
      />
    </label>
  );
}
