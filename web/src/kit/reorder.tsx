import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from './button';

interface Options {
  needs?: string;
  disabled?: boolean;
  why?: string;
}

/**
 * useReorder moves rows: by dragging their handle, and by buttons for those who use keys. Elements of rows stand beside each other and have their place as
 * data-index. The status, which has to be shown somewhere, tells screen readers where a row went.
 */
export function useReorder<T>(rows: T[], onChange: (rows: T[]) => void, name: (row: T) => string) {
  const [held, setHeld] = useState<number | null>(null);
  const list = useRef<Element | null>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const move = (from: number, to: number) => {
    const copy = [...rows];
    copy.splice(to, 0, ...copy.splice(from, 1));
    onChange(copy);
    if (said.current) said.current.textContent = `${name(rows[from]!)} is now number ${to + 1} of ${rows.length}.`;
  };
  // At the window: a captured pointer would be lost with the first move, which takes the handle out of the page for a moment.
  useEffect(() => {
    if (held === null) return;
    const over = (e: PointerEvent) => {
      for (const row of list.current?.children ?? []) {
        const to = Number((row as HTMLElement).dataset.index);
        const { top, bottom } = row.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        if (!(to >= 0) || e.clientY < top || e.clientY >= bottom || (to > held ? e.clientY < middle : to < held ? e.clientY > middle : true)) continue;
        move(held, to);
        setHeld(to);
        return;
      }
    };
    const end = () => setHeld(null);
    addEventListener('pointermove', over);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
    return () => {
      removeEventListener('pointermove', over);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
    };
  });
  const handle = (i: number, o: Options = {}): ReactNode => o.disabled ? null : (
    <span title="Drag to reorder" className="-m-1.5 inline-flex cursor-grab touch-none p-1.5 text-muted select-none active:cursor-grabbing max-md:hidden" onPointerDown={(e) => {
      if (e.button !== 0) return;
      list.current = e.currentTarget.closest('[data-index]')?.parentElement ?? null;
      setHeld(i);
    }}><GripVertical className="size-4" aria-hidden /></span>
  );
  const buttons = (i: number, o: Options = {}): ReactNode => {
    const last = rows.length - 1;
    return (
      <>
        <Button look="quiet" only icon={ArrowUp} needs={o.needs} disabled={o.disabled || i === 0} why={i === 0 ? 'It is the first one.' : o.why} onClick={() => move(i, i - 1)}>{`Move ${name(rows[i]!)} up`}</Button>
        <Button look="quiet" only icon={ArrowDown} needs={o.needs} disabled={o.disabled || i === last} why={i === last ? 'It is the last one.' : o.why} onClick={() => move(i, i + 1)}>{`Move ${name(rows[i]!)} down`}</Button>
      </>
    );
  };
  return { held, handle, buttons, status: <p ref={said} role="status" className="sr-only" /> };
}
