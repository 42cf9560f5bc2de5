// The one way to the API: typed by the description, with the session's cookie and the header that forged requests lack.
import { t } from '@lingui/core/macro';
import { serverSays } from '../kit/clock';
import { type Fields, named, type Problem } from '../kit/words';
import type { paths } from './schema';
import type { DryRun } from './types';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type With<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, { responses: unknown }> ? P : never }[keyof paths];
type Op<P extends keyof paths, M extends Method> = paths[P] extends Record<M, infer O> ? O : never;
type Content<T> = T extends { content: infer C } ? C[keyof C] : undefined;
type Good<R> = R extends object ? { [S in keyof R]: S extends 200 | 201 | 202 ? Content<R[S]> : never }[keyof R] : never;

export type PathFor<M extends Method> = With<M>;
export type Answer<P extends keyof paths, M extends Method> = Op<P, M> extends { responses: infer R } ? Exclude<Good<R>, undefined> : never;
export type BodyOf<P extends keyof paths, M extends Method> = Op<P, M> extends { requestBody?: { content: infer C } } ? C[keyof C] : undefined;
export type Params = Record<string, string | number>;
export type Query = Record<string, string | number | boolean | undefined>;

export type { Fields };

/** problems puts the messages of an answer and their codes together. */
const problems = (errors: Record<string, string[]> = {}, codes: Record<string, Omit<Problem, 'text'>[]> = {}): Fields =>
  Object.fromEntries(Object.entries(errors).map(([name, of]) => [name, of.map((text, i) => ({ code: 'invalid', ...codes[name]?.[i], text }))]));

/** ApiError is an answer that is not good. Status 0 means that there was none: the connection is lost. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fields: Fields = {},
    readonly requestId = '',
    /** was is set for a 404 of what was there before. */
    readonly was = false,
    /** plan is what the request would do now, where it was held to another plan. */
    readonly plan?: DryRun,
  ) {
    super(message);
  }
}

export function fill(path: string, params: Params = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')));
}

/** searched is a query as it stands at the end of an address; empty without one. */
export function searched(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value));
  const text = search.toString();
  return text ? '?' + text : '';
}

export function address(path: string, params?: Params, query?: Query): string {
  return '/api' + fill(path, params) + searched(query);
}

/** summary is the message of an answer, which begins with the error of its first field. */
function summary(message: string, fields: Fields = {}): string {
  const [name, of] = Object.entries(fields).find(([, of]) => of[0] && message.startsWith(of[0].text)) ?? [];
  return name && of ? named(of[0]!, name) + message.slice(of[0]!.text.length) : message;
}

type Listener = (lost: boolean) => void;
const listeners = new Set<Listener>();
/** onReach tells whether the last request reached the panel at all. */
export function onReach(f: Listener): () => void {
  listeners.add(f);
  return () => void listeners.delete(f);
}
export const reached = (lost: boolean) => listeners.forEach((f) => f(lost));

/** SignInAgain asks the person to sign in again. If it resolves to true, the request that was answered with 401 is repeated. */
type SignInAgain = (method: Method) => Promise<boolean>;
let signInAgain: SignInAgain | null = null;
/** onSignedOut registers what asks when a request is answered with 401. */
export function onSignedOut(f: SignInAgain): () => void {
  signInAgain = f;
  return () => {
    if (signInAgain === f) signInAgain = null;
  };
}

export async function send(method: Method, url: string, body?: unknown, signal?: AbortSignal, key?: string): Promise<unknown> {
  return (await sendFull(method, url, body, signal, key)).data;
}

/** sendFull gives the event of the work that was begun as well, where there is one. A FormData body goes as it is, with its files. */
export async function sendFull(
  method: Method,
  url: string,
  body?: unknown,
  signal?: AbortSignal,
  key?: string,
  plan?: string,
): Promise<{ data: unknown; event: string | null }> {
  const headers: Record<string, string> = { Accept: 'application/json', 'X-Hostler-Csrf': '1' };
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers['Content-Type'] = 'application/json';
  if (key) headers['Idempotency-Key'] = key;
  if (plan) headers['X-Hostler-Plan'] = plan;
  let answer: Response;
  try {
    answer = await fetch(url, {
      method: method.toUpperCase(),
      headers,
      body: form ? body : body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    reached(true);
    throw new ApiError(0, t`Hostler is not responding. Your input was not lost.`);
  }
  serverSays(answer.headers.get('Date'));
  reached(answer.status === 502 || answer.status === 503 || answer.status === 504);
  const text = await answer.text();
  let data: unknown;
  try {
    data = text ? JSON.parse(text) : undefined;
  } catch {
    data = undefined;
  }
  if (answer.ok) return { data, event: answer.headers.get('X-Hostler-Event') };
  const signedOut = answer.status === 401 && !url.startsWith('/api/auth/');
  if (signedOut && (await signInAgain?.(method))) return sendFull(method, url, body, signal, key, plan);
  const wrong = (data ?? {}) as { message?: string; errors?: Record<string, string[]>; codes?: Record<string, Omit<Problem, 'text'>[]>; plan?: DryRun };
  const fields = problems(wrong.errors, wrong.codes);
  throw new ApiError(
    answer.status,
    signedOut
      ? t`Your session has expired. Sign in to continue.`
      : wrong.message
        ? summary(wrong.message, fields)
        : t`Hostler responded with HTTP status ${answer.status}.`,
    fields,
    answer.headers.get('X-Request-Id') ?? '',
    false,
    wrong.plan,
  );
}

export function get<P extends PathFor<'get'>>(path: P, params?: Params, query?: Query, signal?: AbortSignal): Promise<Answer<P, 'get'>> {
  return send('get', address(path, params, query), undefined, signal) as Promise<Answer<P, 'get'>>;
}
