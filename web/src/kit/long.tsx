import { defaultRangeExtractor, type Range, useWindowVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react';

/** Sight is the rows of a long table that are in the page, with the height of all of them. */
export interface Sight {
  rows: VirtualItem[];
  /** start is where the first row of all begins. */
  start: number;
  height: number;
  measure: (row: HTMLElement | null) => void;
}

interface Props {
  count: number;
  /** box is around the rows. */
  box: RefObject<HTMLElement | null>;
  /** onSight is called before a change is painted. The table draws the rows itself: they stay the same elements when it becomes a long one. */
  onSight: (sight: Sight | null) => void;
  /** reached is called with the last row in sight. */
  reached: (row: number) => void;
}

const rowHeight = 49;
const overscan = 12;

/**
 * Long determines which rows of a long table are in the page: those in sight, and the one that has the focus, which would be lost with it, between those that
 * Tab goes to from there.
 */
export default function Long({ count, box, onSight, reached }: Props) {
  const [start, setStart] = useState(0);
  useLayoutEffect(() => setStart((box.current?.getBoundingClientRect().top ?? 0) + scrollY), [box]);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const rows = defaultRangeExtractor(range);
      const focused = Number(box.current?.querySelector<HTMLElement>('[role=row]:focus-within')?.dataset.index ?? -1);
      if (focused < 0) return rows;
      const near = [focused - 1, focused, focused + 1].filter((row) => row >= 0 && row < range.count && !rows.includes(row));
      return [...rows, ...near].sort((a, b) => a - b);
    },
    [box],
  );
  const v = useWindowVirtualizer({ count, estimateSize: () => rowHeight, overscan, scrollMargin: start, rangeExtractor });
  const rows = v.getVirtualItems();
  const height = v.getTotalSize();
  useLayoutEffect(() => {
    if (rows.length > 0) onSight({ rows, start, height, measure: v.measureElement }); // none before the window is measured
  }, [onSight, rows, start, height, v]);
  useLayoutEffect(() => () => onSight(null), [onSight]);
  const last = (v.range?.endIndex ?? 0) + overscan;
  useEffect(() => reached(last), [reached, last]);
  return null;
}
