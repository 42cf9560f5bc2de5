import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  width?: string;
  /** minor columns are left out on a phone. */
  minor?: boolean;
  /** end is a column of buttons, at the end of the row. */
  end?: boolean;
  /** named columns say their name on a phone, where the value alone says too little. */
  named?: boolean;
}

interface Props<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  id: (row: T) => string;
  /** more is called when the end comes into sight. */
  more?: () => void;
  footer?: ReactNode;
  /** held is the place of the row that is being dragged. */
  held?: number | null;
}

const rowHeight = 49;
const virtualFrom = 80;

/** Table shows rows; on a phone each is a card. Long ones hold only what is in sight. */
export function Table<T>({ label, rows, columns, id, more, footer, held }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset((box.current?.getBoundingClientRect().top ?? 0) + scrollY), []);
  const virtual = rows.length >= virtualFrom;
  const v = useWindowVirtualizer({ count: virtual ? rows.length : 0, estimateSize: () => rowHeight, overscan: 12, scrollMargin: offset });
  const items = v.getVirtualItems();
  const last = virtual ? (items[items.length - 1]?.index ?? 0) : rows.length;
  useEffect(() => {
    if (more && last >= rows.length - 20) more();
  }, [more, last, rows.length]);
  // On a phone a few buttons stand in the corner of the card, which the first line leaves free; many stand below.
  const end = columns.find((c) => c.end)?.width ?? '0rem';
  const corner = parseFloat(end) <= 9;
  const cols = { '--end': corner ? end : '0rem', '--cols': columns.map((c) => c.width ?? 'minmax(0,1fr)').join(' ') } as React.CSSProperties;
  const draw = (row: T, i: number) => (
    <div
      key={id(row)}
      role="row"
      aria-rowindex={i + 2}
      data-index={i}
      ref={virtual ? v.measureElement : undefined}
      className={`relative grid gap-x-4 gap-y-1 border-t border-line px-4 py-3 transition-colors hover:bg-hover md:grid-cols-(--cols) md:items-center ${held === i ? 'bg-soft!' : ''}`}
    >
      {columns.map((c, n) => (
        <div
          key={c.name}
          role="cell"
          className={`min-w-0 ${c.minor ? 'max-md:hidden' : ''} ${n === 0 && !c.end ? 'max-md:pr-(--end)' : ''} ${c.end ? `z-10 md:relative md:justify-self-end ${corner ? 'max-md:absolute max-md:top-1.5 max-md:right-2' : 'max-md:relative max-md:-mb-2 max-md:-ml-3'}` : ''} ${c.named ? 'max-md:flex max-md:gap-2' : ''}`}
        >
          {c.named && (
            <span aria-hidden className="text-muted md:hidden">
              {c.name}
            </span>
          )}
          {c.cell(row)}
        </div>
      ))}
    </div>
  );
  return (
    <div className="panel min-w-0 overflow-hidden">
      <div ref={box} role="table" aria-label={label} aria-rowcount={more ? -1 : rows.length + 1} style={cols}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className="grid gap-4 bg-sunken px-4 py-2 text-sm font-medium text-muted max-md:sr-only md:grid-cols-(--cols)">
            {columns.map((c) => (
              <div key={c.name} role="columnheader" className={c.end ? 'sr-only' : ''}>
                {c.name}
              </div>
            ))}
          </div>
        </div>
        {virtual ? (
          <div role="rowgroup" style={{ height: v.getTotalSize() }}>
            <div role="presentation" style={{ transform: `translateY(${(items[0]?.start ?? offset) - offset}px)` }}>
              {items.map((i) => draw(rows[i.index]!, i.index))}
            </div>
          </div>
        ) : (
          <div role="rowgroup">{rows.map(draw)}</div>
        )}
      </div>
      {footer && <div className="border-t border-line px-4 py-2.5 text-sm text-muted">{footer}</div>}
    </div>
  );
}

/** RowLink makes the whole row the target of its first cell's link. */
export const rowLink = 'font-medium hover:underline after:absolute after:inset-0 after:content-[""]';

/** Filter asks the server, a moment after the last key. */
export function Filter({ label, onChange }: { label: string; onChange: (v: string) => void }) {
  const [text, setText] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
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
          timer.current = setTimeout(() => onChange(next.trim()), 180);
        }}
      />
    </label>
  );
}
