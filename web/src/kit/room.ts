import { useLayoutEffect, useState } from 'react';

/** useRoom is the width of an element in rem. */
export function useRoom(box: React.RefObject<HTMLElement | null>): number {
  const [room, setRoom] = useState(() => innerWidth / 16);
  useLayoutEffect(() => {
    const e = box.current!;
    const measure = () => setRoom(e.clientWidth / 16);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(e);
    return () => observer.disconnect();
  }, [box]);
  return room;
}
