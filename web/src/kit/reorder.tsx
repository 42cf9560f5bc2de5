import { t } from '@lingui/core/macro';
import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Does } from '../api/permissions';
import { Button } from './button';

interface Options {
  does?: Does;
  disabled?: boolean;
  why?: string;
}

/**
 * useReorder moves rows: by dragging their handle, and by buttons for those who use keys. Elements of rows stand beside each other and have their place as
 * data-index. The status, which has to be shown somewhere, tells screen readers where a row went.
 */
export function useReorder<T>(rows: T[], onChange: (rows: T[]) => void, name: (row: T) => string) {
  const [held, setHeld] = useState<number | null>(null);
  const said = useRef<HTMLParagraphElement>(null);
  const now = useRef(rows); // a pointer moves more often than the page is drawn
  now.current = rows;
  const drop = useRef<() => void>(undefined);
  useEffect(() => () => drop.current?.(), []);
  const move = (from: number, to: number) => {
    const row = now.current[from]!;
    now.current = now.current.toSpliced(from, 1).toSpliced(to, 0, row);
    onChange(now.current);
    if (said.current) said.current.textContent = t`${name(row)} is now number ${to + 1} of ${rows.length}.`;
  };
  const drag = (handle: Element, from: number) => {
    const list = handle.closest('[data-index]')?.parentElement;
    let at = from;
    const over = (e: PointerEvent) => {
      for (const row of list?.children ?? []) {
        const to = Number((row as HTMLElement).dataset.index);
        const { top, bottom } = row.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        if (!(to >= 0) || e.clientY < top || e.clientY >= bottom || (to > at ? e.clientY < middle : to < at ? e.clientY > middle : true)) continue;
        latest.current(at, to);
        at = to;
        setHeld(to);
        return;
      }
    };
    const end = () => {
      removeEventListener('pointermove', over);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      setHeld(null);
    };
    // At the window: a captured pointer would be lost with the first move, which takes the handle out of the page for a moment.
    addEventListener('pointermove', over);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
    drop.current = end;
    setHeld(from);
  };
  const latest = useRef(move);
  latest.current = move;
  const handle = (i: number, o: Options = {}): ReactNode =>
    o.disabled ? null : (
      <span
        title={t`Drag to reorder`}
        className="-m-1.5 inline-flex cursor-grab touch-none p-1.5 text-muted select-none active:cursor-grabbing max-md:hidden"
        onPointerDown={(e) => {
          if (e.button === 0) drag(e.currentTarget, i);
        }}
      >
        <GripVertical className="size-4" aria-hidden />
      </span>
    );
  const buttons = (i: number, o: Options = {}): ReactNode => {
    const last = rows.length - 1;
    return (
      <>
        <Button
          look="quiet"
          only
          icon={ArrowUp}
          does={o.does}
          disabled={o.disabled || i === 0}
          why={i === 0 ? t`Already first.` : o.why}
          onClick={() => move(i, i - 1)}
        >{t`Move ${name(rows[i]!)} up`}</Button>
        <Button
          look="quiet"
          only
          icon={ArrowDown}
          does={o.does}
          disabled={o.disabled || i === last}
          why={i === last ? t`Already last.` : o.why}
          onClick={() => move(i, i + 1)}
        >{t`Move ${name(rows[i]!)} down`}</Button>
      </>
    );
  };
  return { held, handle, buttons, status: <p ref={said} role="status" className="sr-only" /> };
}
