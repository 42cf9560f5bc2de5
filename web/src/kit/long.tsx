import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, useEffect, useLayoutEffect, useRef, useState } from 'react';

interface Props {
  count: number;
  draw: (row: number, measured: Ref<HTMLDivElement>) => ReactNode;
  /** reached is called with the last row in sight. */
  reached: (row: number) => void;
}

const rowHeight = 49;

/** Long is the rows of a long table, of which only those in sight are in the page. */
export default function Long({ count, draw, reached }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset((box.current?.getBoundingClientRect().top ?? 0) + scrollY), []);
  const v = useWindowVirtualizer({ count, estimateSize: () => rowHeight, overscan: 12, scrollMargin: offset });
  const items = v.getVirtualItems();
  const last = items[items.length - 1]?.index ?? 0;
  useEffect(() => reached(last), [reached, last]);
  return (
    <div ref={box} role="rowgroup" style={{ height: v.getTotalSize() }}>
      <div role="presentation" style={{ transform: `translateY(${(items[0]?.start ?? offset) - offset}px)` }}>
        {items.map((i) => draw(i.index, v.measureElement))}
      </div>
    </div>
  );
}
