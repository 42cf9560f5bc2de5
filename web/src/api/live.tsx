// What happens on servers, as it happens. Each piece wakes the queries of its server. A lost stream is opened again, and everything is then read again, so
// that nothing shown is older than the connection.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { onReach } from './client';
import { follow, type Piece } from './stream';

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
    let wake: ReturnType<typeof setTimeout> | undefined;
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
    const opened = (again: boolean) => {
      setStreaming(true);
      setUnreached(false);
      if (again) void cache.invalidateQueries();
    };
    const lost = () => setStreaming(false);
    const piece = (p: Piece) => {
      handlers.current.forEach((h) => h(p));
      const base = `/orgs/${org}/`;
      for (const list of ['events', 'sites', 'servers', 'checklist']) stirred.add(base + list);
      if (p.server_id) stirred.add(`${base}servers/${p.server_id}`);
      wake ??= setTimeout(flush, wakeEvery);
    };
    const stop = follow(org, { piece, opened, lost });
    addEventListener('offline', lost); // a stream may look open for a long time after its network is gone
    return () => {
      stop();
      removeEventListener('offline', lost);
      clearTimeout(wake);
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
