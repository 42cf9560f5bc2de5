// Reading and writing through the query cache. Every key begins with the organization and the thing's path, so that a change wakes what shows it.
import { QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { writeDraft } from '../kit/kept';
import {
  type Answer,
  ApiError,
  address,
  type BodyOf,
  type Fields,
  fill,
  get,
  type Method,
  type Params,
  type PathFor,
  type Query,
  send,
  sendFull,
} from './client';
import { attempt, type Guess } from './guess';
import { useRefusal } from './may';
import type { Operation } from './permissions';
import { touched } from './touched';
import type { DryRun } from './types';

export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      retry: (n, error) => (error instanceof ApiError && error.status >= 400 && error.status < 500 ? false : n < 4),
      retryDelay: (n) => Math.min(500 * 2 ** n, 5_000),
    },
  },
});

export interface Options {
  query?: Query;
  enabled?: boolean;
  /** every is how often it is asked again, in milliseconds; false for never. */
  every?: number | false | ((data: never) => number | false);
  /** quiet is for what a server is asked for each time: what happens on the server does not stir it. */
  quiet?: boolean;
}

/** asks begins the key of what stirs by itself only. */
export const asks = 'ask:';

/** isGone tells an answer that there is no such thing, or none that the person may see. */
const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

/** refusal is a result that was refused. */
const refusal = { data: undefined, status: 'error', isError: true, isPending: false, isSuccess: false } as const;

/** useGet reads a document. One that is gone is asked for no more, and what it was is not shown any longer. */
export function useGet<P extends PathFor<'get'>>(path: P, params?: Params, o: Options = {}) {
  const queryKey = [(o.quiet ? asks : '') + fill(path, params), o.query ?? {}];
  const { refused, waits } = useRefusal(path);
  const wanted = o.enabled ?? true;
  const result = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      get(path, params, o.query, signal).catch((error: unknown) => {
        if (isGone(error) && client.getQueryData(queryKey)) throw new ApiError(404, (error as ApiError).message, {}, (error as ApiError).requestId, true);
        throw error;
      }),
    enabled: wanted && !refused && !waits,
    refetchInterval: (q) => {
      if (isGone(q.state.error)) return false;
      return typeof o.every === 'function' ? (q.state.data ? o.every(q.state.data as never) : false) : (o.every ?? false);
    },
  });
  if (refused && wanted) return { ...result, ...refusal, error: refused } as unknown as typeof result;
  return (isGone(result.error) && result.data ? { ...result, data: undefined } : result) as typeof result;
}

/** largest is the largest page of the API. */
const largest = 200;

interface Page<T> {
  data: T[];
  included?: unknown[];
  meta?: { next_cursor?: string | null }; // a list that is always whole has none
}
type Item<A> = A extends { data: (infer T)[] } ? T : never;

/** included finds by their ids what the pages of a list bring along of one type. */
export function included<T extends { type: string; id: string }>(pages: { included?: unknown[] }[] | undefined, type: T['type']): Map<string, T> {
  const all = (pages ?? []).flatMap((p) => (p.included ?? []) as T[]);
  return new Map(all.filter((r) => r.type === type).map((r) => [r.id, r]));
}

/**
 * useList reads a list: a page at a time, of which more reads the next, or all of it, for choices and for what is done with every row. A list of which all
 * is read is pending until its last page has arrived. One of something that is gone is asked for no more.
 */
export function useList<P extends PathFor<'get'>>(path: P, params?: Params, o: Options & { size?: number; all?: boolean } = {}) {
  type T = Item<Answer<P, 'get'>>;
  const size = o.size ?? (o.all ? largest : 100);
  const { refused, waits } = useRefusal(path);
  const wanted = o.enabled ?? true;
  const asked = useInfiniteQuery({
    queryKey: [fill(path, params), 'list', o.query ?? {}, size],
    queryFn: ({ pageParam, signal }) => get(path, params, { ...o.query, 'page[size]': size, 'page[cursor]': pageParam }, signal) as unknown as Promise<Page<T>>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.meta?.next_cursor ?? undefined,
    enabled: wanted && !refused && !waits,
    refetchInterval: (q) => {
      if (isGone(q.state.error)) return false;
      return typeof o.every === 'function' ? (q.state.data ? o.every(q.state.data.pages.flatMap((p) => p.data) as never) : false) : (o.every ?? false);
    },
    placeholderData: (before) => before,
  });
  const result = refused && wanted ? ({ ...asked, ...refusal, error: refused } as unknown as typeof asked) : asked;
  const { hasNextPage, isFetching, isError, fetchNextPage } = result;
  const next = hasNextPage && !isFetching;
  useEffect(() => {
    if (o.all && next && !isError) void fetchNextPage();
  }, [o.all, next, isError, fetchNextPage]);
  const rows = useMemo(() => result.data?.pages.flatMap((p) => p.data) ?? [], [result.data]);
  const more = next && !o.all ? () => void fetchNextPage() : undefined;
  return { ...result, rows, more, isPending: result.isPending || (!!o.all && hasNextPage && !isError) };
}

/** Written is what a change answers, other than the plan of a dry run. */
export type Written<P extends PathFor<M>, M extends Method> = Exclude<Answer<P, M>, { meta: { dry_run: boolean } }>;

export interface Call {
  method: Method;
  url: string;
  body?: unknown;
}

/**
 * useWrite changes something. What is wrong with fields stays in fields until the next try; the same try sent twice is done once. What is sent as its plan was
 * shown is done only if that is still the plan; else the new one is shown. A guess is what lists show before the answer, if only Hostler has to do it.
 */
export function useWrite<P extends PathFor<M>, M extends Exclude<Method, 'get'>>(
  method: M,
  path: P,
  params?: Params,
  done?: (answer: Written<P, M>) => void,
  o: { guess?: (body: BodyOf<P, M> | undefined, at: Params) => Guess | undefined } = {},
) {
  type Body = BodyOf<P, M>;
  const cache = useQueryClient();
  const key = useRef<{ body: string; key: string } | null>(null);
  const written = useRef('');
  const shown = useRef<{ text: string; hash: string } | null>(null);
  const target = targetOf(method, path, params);
  const [plan, setPlan] = useState<DryRun | null>(null);
  const [event, setEvent] = useState<string | null>(null);
  const mutation = useMutation({
    mutationFn: async ({ body, at, query }: { body?: Body; at?: Params; query?: Query }) => {
      const url = address(path, { ...params, ...at }, query);
      const text = textOf(url, body);
      const held = plan && shown.current?.text === text ? shown.current.hash : undefined;
      if (key.current?.body !== text) key.current = { body: text, key: crypto.randomUUID?.() ?? String(Math.random()).slice(2) };
      const keyed = path.startsWith('/auth/') ? undefined : key.current.key;
      const answer = await attempt(cache, o.guess?.(body, { ...params, ...at }), () =>
        sendFull(method, url, body, undefined, method === 'post' ? keyed : undefined, held),
      );
      key.current = null;
      setEvent(answer.event);
      written.current = url;
      return answer.data as Written<P, M>;
    },
    onSuccess: (answer) => {
      setPlan(null);
      if (target) writeDraft(target, {});
      const stale = touched(written.current);
      void cache.invalidateQueries({ predicate: (q) => stale(String(q.queryKey[0])) });
      done?.(answer);
    },
    onError: (error, { body, at, query }) => {
      if (!(error instanceof ApiError) || !error.plan) return;
      shown.current = { text: textOf(address(path, { ...params, ...at }, query), body), hash: error.plan.hash };
      setPlan(error.plan);
    },
  });
  const trial = useMutation({
    mutationFn: async ({ body, at, query }: { body?: Body; at?: Params; query?: Query }) =>
      (await send(method, address(path, { ...params, ...at }, { ...query, dry_run: 'true' }), body)) as { meta: { plan: DryRun } },
    onSuccess: (answer, { body, at, query }) => {
      shown.current = { text: textOf(address(path, { ...params, ...at }, query), body), hash: answer.meta.plan.hash };
      setPlan(answer.meta.plan);
    },
  });
  const error = (mutation.error ?? trial.error) as ApiError | null;
  return {
    /** operation is what is called, by which a button or a form knows who may. One of the person's own account is not listed: it needs no permission. */
    operation: `${method} ${path}` as Operation,
    submit: (body?: Body, at?: Params, query?: Query) => {
      trial.reset();
      mutation.mutate({ body, at, query });
    },
    tryOut: (body?: Body, at?: Params, query?: Query) => {
      mutation.reset();
      trial.mutate({ body, at, query });
    },
    /** target is what is changed, for which a form keeps what is typed; undefined if that is not known before it is sent. */
    target,
    plan,
    closePlan: () => setPlan(null),
    pending: mutation.isPending,
    planning: trial.isPending,
    answer: mutation.data,
    /** saved is whether the last call was accepted, until the next one is sent. */
    saved: mutation.isSuccess,
    /** event is that of the work that the last change began, where it began any. */
    event,
    error,
    fields: (error?.fields ?? {}) as Fields,
    reset: () => {
      mutation.reset();
      trial.reset();
      setPlan(null);
    },
    call: (body?: unknown, at?: Params, query?: Query): Call => ({ method, url: address(path, { ...params, ...at }, query), body }),
  };
}

/** targetOf names what a form is for, on the page where it is. */
function targetOf(method: Method, path: string, params: Params | undefined): string | undefined {
  const known = [...path.matchAll(/\{(\w+)\}/g)].every(([, name]) => params?.[name!] !== undefined);
  return known && !path.startsWith('/auth/') ? `${method} ${fill(path, params)} ${location.pathname}` : undefined;
}

/** textOf tells two requests apart. */
function textOf(url: string, body: unknown): string {
  return url + (body instanceof FormData ? formText(body) : JSON.stringify(body ?? null));
}

/** formText tells two forms apart, files included. */
function formText(form: FormData): string {
  return JSON.stringify([...form.entries()].map(([name, value]) => [name, typeof value === 'string' ? value : [value.name, value.size, value.lastModified]]));
}

/** curl is a call as a line for a terminal. */
export function curl(c: Call): string {
  const quote = (s: string) => `'${s.replaceAll("'", `'\\''`)}'`;
  const parts = ['curl'];
  if (c.method !== 'get') parts.push('-X', c.method.toUpperCase());
  parts.push(quote(location.origin + c.url), '-H', '"Authorization: Bearer $HOSTLER_TOKEN"');
  if (c.body instanceof FormData)
    for (const [name, value] of c.body) parts.push('-F', quote(typeof value === 'string' ? `${name}=${value}` : `${name}=@${value.name}`));
  else if (c.body !== undefined) parts.push('-H', quote('Content-Type: application/json'), '-d', quote(JSON.stringify(c.body)));
  return parts.join(' ');
}
