// What a change is expected to do to lists and pages, shown before the answer. Only for changes that Hostler alone makes, and that hardly ever fail: what a host has yet to
// do is never shown as done.
import type { QueryClient } from '@tanstack/react-query';

/** Row is a resource of a list, or the one of a page. */
export interface Row {
  id: string;
}

/** Guess is one row of a list as it is expected to be, or its removal if there is no `to`. */
export interface Guess<R extends Row = Row> {
  /** list is the address of the list, with its parameters filled in. */
  list: string;
  /** also are the addresses of other lists with the row, and of its own document. */
  also?: string[];
  id: string;
  to?: (row: R) => R;
}

interface Pages {
  pages: { data: Row[] }[];
}
interface Document {
  data: Row;
}
const isDocument = (data: unknown, id: string): data is Document => (data as Document | undefined)?.data?.id === id;
const isPages = (data: unknown): data is Pages => Array.isArray((data as Pages | undefined)?.pages);

/** put returns pages of which one row is another, gone, or back at its place. */
function put(data: Pages, id: string, row: Row | undefined, at?: { page: number; place: number }): Pages {
  return {
    ...data,
    pages: data.pages.map((p, n) => {
      if (row && p.data.some((r) => r.id === id)) return { ...p, data: p.data.map((r) => (r.id === id ? row : r)) };
      if (row && n === at?.page) return { ...p, data: [...p.data.slice(0, at.place), row, ...p.data.slice(at.place)] };
      return row ? p : { ...p, data: p.data.filter((r) => r.id !== id) };
    }),
  };
}

/** attempt shows the guess while run goes on. If that fails, the row is put back as it was, other rows stay as they are, and the list is read again. */
export async function attempt<A>(cache: QueryClient, guess: Guess | undefined, run: () => Promise<A>): Promise<A> {
  if (!guess) return run();
  const shown = [guess.list, ...(guess.also ?? [])];
  const which = { predicate: (q: { queryKey: readonly unknown[] }) => shown.includes(String(q.queryKey[0])) };
  await cache.cancelQueries(which); // an answer from before the change would show the row as it was
  const undo: (() => void)[] = [];
  for (const [key, data] of cache.getQueriesData(which)) {
    if (isDocument(data, guess.id) && guess.to) {
      const { data: was } = data;
      cache.setQueryData(key, { ...data, data: guess.to(was) });
      undo.push(() => cache.setQueryData(key, (now: unknown) => (isDocument(now, guess.id) ? { ...now, data: was } : now)));
    }
    if (!isPages(data)) continue;
    const page = data.pages.findIndex((p) => p.data.some((r) => r.id === guess.id));
    const place = data.pages[page]?.data.findIndex((r) => r.id === guess.id) ?? -1;
    const was = data.pages[page]?.data[place];
    if (!was) continue;
    cache.setQueryData(key, put(data, guess.id, guess.to?.(was)));
    undo.push(() => cache.setQueryData(key, (now: unknown) => (isPages(now) ? put(now, guess.id, was, { page, place }) : now)));
  }
  try {
    return await run();
  } catch (error) {
    for (const back of undo) back();
    void cache.invalidateQueries(which);
    throw error;
  }
}
