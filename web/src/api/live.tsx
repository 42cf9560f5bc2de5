// What happens on servers, as it happens. One stream an organization; each piece wakes the queries of its server. A lost stream comes back by
// itself, and everything is read anew then, so that nothing shown is older than the connection.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { onReach } from './client';

export interface Piece {
  event_id: string;
  server_id: number | null;
  site_id: number | null;
  seq: number;
  kind: string;
  step: string;
  content: string;
  at: string;
}

type Handler = (p: Piece) => void;
interface Live {
  lost: boolean;
  subscribe: (h: Handler) => () => void;
}
const Context = createContext<Live>({ lost: false, subscribe: () => () => undefined });
export const useLive = () => useContext(Context);

const wakeEvery = 400;

export function LiveProvider({ org, children }: { org: string; children: ReactNode }) {
  const cache = useQueryClient();
  const [streaming, setStreaming] = useState(true);
  const [unreached, setUnreached] = useState(false);
  const handlers = useRef(new Set<Handler>());

  useEffect(() => onReach(setUnreached), []);

  useEffect(() => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let wake: ReturnType<typeof setTimeout> | undefined;
    let pause = 500;
    let broken = false;
    let over = false;
    const stirred = new Set<string>();
    const flush = () => {
      wake = undefined;
      const paths = new Set(stirred);
      stirred.clear();
      // the list itself, anything below the server, and sites: work on one server can settle several
      void cache.invalidateQueries({
        predicate: (q) => {
          const key = String(q.queryKey[0]);
          const parts = key.split('/');
          return paths.has(key) || paths.has(parts.slice(0, 5).join('/')) || (parts[3] === 'sites' && parts.length > 4);
        },
      });
    };
    const open = () => {
      if (over) return;
      source = new EventSource(`/api/orgs/${encodeURIComponent(org)}/events/stream`);
      source.onopen = () => {
        pause = 500;
        setStreaming(true);
        setUnreached(false);
        if (broken) void cache.invalidateQueries();
        broken = false;
      };
      source.onerror = () => {
        broken = true;
        setStreaming(false);
        source?.close(); // the browser gives up after some errors; this does not
        clearTimeout(again);
        again = setTimeout(open, pause);
        pause = Math.min(pause * 1.7, 8_000);
      };
      source.addEventListener('output', (message) => {
        const piece = JSON.parse(message.data as string) as Piece;
        handlers.current.forEach((h) => h(piece));
        const base = `/orgs/${org}/`;
        stirred
          .add(base + 'events')
          .add(base + 'sites')
          .add(base + 'servers');
        if (piece.server_id) stirred.add(`${base}servers/${piece.server_id}`);
        wake ??= setTimeout(flush, wakeEvery);
      });
    };
    const back = () => {
      clearTimeout(again);
      source?.close();
      pause = 500;
      open();
    };
    const gone = () => {
      broken = true;
      setStreaming(false); // a stream may look open for a long time after its network is gone
    };
    open();
    addEventListener('online', back);
    addEventListener('offline', gone);
    return () => {
      over = true;
      removeEventListener('online', back);
      removeEventListener('offline', gone);
      clearTimeout(again);
      clearTimeout(wake);
      source?.close();
    };
  }, [org, cache]);

  const value: Live = {
    lost: !streaming || unreached,
    subscribe: (h) => {
      handlers.current.add(h);
      return () => void handlers.current.delete(h);
    },
  };
  return <Context value={value}>{children}</Context>;
}
