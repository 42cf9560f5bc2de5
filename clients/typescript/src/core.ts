// What all calls have in common: requests and their repetition, pages, streams, and waiting for work. It needs fetch: Node from version 20 on, and browsers.

/** Options say which installation is called, and as whom. */
export interface Options {
  /** The address of the installation: https://panel.example.com, with or without /api. */
  url: string;
  /** A token, or what returns one before each request. */
  token: string | (() => string | Promise<string>);
  /** The name of a program, for the User-Agent. Browsers send their own. */
  agent?: string;
  /** Another fetch, such as one that trusts a certificate of your own. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** Problem is what is wrong with a field; its message stands at the same place of fields. */
export interface Problem<C extends string = string> {
  code: C;
  params?: Record<string, unknown>;
  field?: string;
  says?: string;
}

/** HostlerError is an answer with an error status. Status 0 means that there was no answer. */
export class HostlerError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly fields: Record<string, string[]> = {},
    readonly codes: Record<string, Problem[]> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'HostlerError';
  }

  /** has tells whether the error says this of a field of the request. */
  has(field: string, code: string): boolean {
    return (this.codes[field] ?? []).some((p) => p.code === code);
  }

  /** passing is set if another attempt may succeed. */
  get passing(): boolean {
    return [0, 429, 502, 503, 504].includes(this.status);
  }
}

/** Operation is what the state of work is read from. */
interface Operation {
  state: string;
  reason: string | null;
  step: string | null;
  reason_code?: string;
  reason_params?: Record<string, unknown>;
}

/** WorkError is work that failed or was cancelled. */
export class WorkError extends Error {
  constructor(
    readonly event: string,
    readonly state: string,
    readonly reason: string,
    readonly step: string,
    /** code is the reason for programs, as the API's guide lists them, and params what it is about. */
    readonly code = '',
    readonly params: Record<string, unknown> = {},
  ) {
    super(reason ? `${state}: ${reason}` : `the work ${state}`);
    this.name = 'WorkError';
  }
}

/** Ref names another resource. */
export interface Ref {
  type: string;
  id: string;
}

/** Done is what comes with every answer. */
export interface Done {
  status: number;
  /** The id of the event of the work that was begun; null if there is none to wait for. */
  event: string | null;
  etag: string | null;
  location: string | null;
}

/** Work is an answer to a call that begins work. */
export interface Work extends Done {
  /** wait waits for the work, and gives its output to said as it comes. It rejects with a WorkError if the work did not succeed. */
  wait(said?: (text: string) => void, options?: CallOptions): Promise<void>;
}

/** Answer is an answer with a resource. */
export interface Answer<T, I = unknown> extends Work {
  data: T;
  /** Related resources that were asked for, by their types. */
  included: Partial<I>;
}

export interface Page<T, I = unknown> {
  data: T[];
  included: Partial<I>;
  /** The cursor of the next page; null on the last one. */
  next: string | null;
}

/** List is a list in pages, which are asked for as they are needed: for await (const one of list). */
export class List<T, I = unknown> implements AsyncIterable<T> {
  constructor(
    private core: Core,
    private request: Request,
  ) {}

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for await (const page of this.pages()) yield* page.data;
  }

  async *pages(): AsyncGenerator<Page<T, I>, void> {
    let next: string | null = null;
    do {
      const query: Query = { 'page[size]': 200, ...this.request.query, ...(next ? { 'page[cursor]': next } : {}) };
      const { body } = await this.core.call({ ...this.request, query });
      const page = body as { data: T[]; included?: Resource[]; meta: { next_cursor: string | null } };
      next = page.meta.next_cursor;
      yield { data: page.data, included: sorted<I>(page.included), next };
    } while (next);
  }

  async all(): Promise<T[]> {
    const out: T[] = [];
    for await (const one of this) out.push(one);
    return out;
  }
}

/** Message is a server-sent event. */
export interface Message {
  id: string;
  event: string;
  data: unknown;
}

type Value = string | number | boolean | readonly (string | number)[] | undefined;
export type Query = Record<string, Value>;

export interface Request {
  method: string;
  path: string;
  values?: string[];
  query?: object;
  body?: unknown;
  /** A form is sent in place of JSON. */
  form?: { field: string; name: string; content: Blob };
  /** A file is sent as it is in place of JSON. */
  raw?: Blob;
  options?: CallOptions;
}

interface Resource {
  type: string;
  id: string;
}

interface Raw {
  status: number;
  headers: Headers;
  body: unknown;
}

const attempts = 4;
const firstPause = 200;
const pollFirst = 150;
const pollLater = 1000;
const pollSlow = 10_000;
const streamSilent = 60_000;
const streamAgain = 1000;

/** sorted puts related resources into lists by their types. */
function sorted<I>(included: Resource[] = []): Partial<I> {
  const out: Record<string, Resource[]> = {};
  for (const one of included) out[one.type] = [...(out[one.type] ?? []), one];
  return out as Partial<I>;
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** address fills in the values of a path and adds the query. An empty value would be another address. */
export function address(request: Request): string {
  let i = 0;
  const path = request.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = request.values?.[i++] ?? '';
    if (value === '' || value === '.' || value === '..') throw new TypeError(`"${value}" is not the ${name} of a resource`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((request.query ?? {}) as Query)) {
    if (value !== undefined) query.set(name, Array.isArray(value) ? value.join(',') : String(value));
  }
  return path + (query.size ? `?${query}` : '');
}

export class Core {
  private base: string;

  constructor(private options: Options) {
    const url = new URL(options.url);
    if (!/^https?:$/.test(url.protocol) || url.username || url.search || url.hash) throw new TypeError('the URL must look like https://panel.example.com');
    this.base = url.href.replace(/\/+$/, '').replace(/\/api$/, '') + '/api';
  }

  private async headers(): Promise<Record<string, string>> {
    const { token, agent } = this.options;
    return {
      Authorization: `Bearer ${typeof token === 'string' ? token : await token()}`,
      Accept: 'application/json',
      ...(typeof window === 'undefined' ? { 'User-Agent': [agent, 'hostler-typescript'].filter(Boolean).join(' ') } : {}),
    };
  }

  private async fetch(url: string, init: RequestInit): Promise<Response> {
    let answer: Response;
    try {
      // The API never redirects: a server that does is not the API, and must not see the token.
      answer = await (this.options.fetch ?? fetch)(this.base + url, { ...init, redirect: 'manual', credentials: 'omit' });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new HostlerError(0, `${this.base} can't be reached`, {}, {}, { cause });
    }
    if (answer.ok) return answer;
    let said: { message?: string; errors?: Record<string, string[]>; codes?: Record<string, Problem[]> } = {};
    try {
      said = JSON.parse(await answer.text()) as typeof said;
    } catch {
      // a proxy answers something else
    }
    throw new HostlerError(answer.status, said.message ?? `the server answered ${answer.status}`, said.errors, said.codes);
  }

  /** call makes a request. A POST carries an idempotency key; it and reads are repeated if the connection broke, and take effect once. */
  async call(request: Request): Promise<Raw> {
    const url = address(request);
    const signal = request.options?.signal ?? null;
    const headers = await this.headers();
    let body: BodyInit | null = null;
    if (request.form) {
      const form = new FormData();
      for (const [name, value] of Object.entries((request.body ?? {}) as Record<string, unknown>)) form.set(name, String(value));
      form.set(request.form.field, request.form.content, request.form.name);
      body = form;
    } else if (request.raw) {
      headers['Content-Type'] = 'application/octet-stream';
      body = request.raw;
    } else if (request.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      body = JSON.stringify(request.body);
    }
    if (request.method === 'POST') headers['Idempotency-Key'] = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0')).join('');
    const tries = request.method === 'POST' || request.method === 'GET' ? attempts : 1;
    for (let tried = 1, wait = firstPause; ; tried++, wait *= 2) {
      try {
        const answer = await this.fetch(url, { method: request.method, headers, body, signal });
        const text = await answer.text();
        return { status: answer.status, headers: answer.headers, body: text && answer.headers.get('Content-Type')?.includes('json') ? JSON.parse(text) : text };
      } catch (error) {
        if (tried === tries || !(error instanceof HostlerError) || !error.passing) throw error;
      }
      await pause(wait, signal ?? undefined);
    }
  }

  private done(request: Request, raw: Raw): Work {
    const event = raw.headers.get('X-Hostler-Event');
    const [organization = '', server] = request.values ?? [];
    const known = request.path.startsWith('/orgs/{organization}/servers/{server}') ? server : undefined;
    return {
      status: raw.status,
      event,
      etag: raw.headers.get('ETag'),
      location: raw.headers.get('Location'),
      wait: async (said, options) => {
        if (event) await this.wait(organization, event, said, options, known);
      },
    };
  }

  async send(request: Request): Promise<Work> {
    return this.done(request, await this.call(request));
  }

  async one<T, I = unknown>(request: Request): Promise<Answer<T, I>> {
    const raw = await this.call(request);
    const document = raw.body as { data: T; included?: Resource[] };
    return { ...this.done(request, raw), data: document.data, included: sorted<I>(document.included) };
  }

  /** plain is a call whose answer is no document of resources. */
  async plain(request: Request): Promise<Work & { body: unknown }> {
    const raw = await this.call(request);
    return { ...this.done(request, raw), body: raw.body };
  }

  async plan<P>(request: Request): Promise<P> {
    const { body } = await this.call({ ...request, query: { ...request.query, dry_run: true } });
    return (body as { meta: { plan: P } }).meta.plan;
  }

  async text(request: Request): Promise<ReadableStream<Uint8Array>> {
    const answer = await this.fetch(address(request), { method: request.method, headers: await this.headers(), signal: request.options?.signal ?? null });
    return answer.body!;
  }

  /** wait waits for the work of an event, and gives its output to said as it comes. */
  async wait(organization: string, event: string, said?: (text: string) => void, options: CallOptions = {}, server?: string): Promise<void> {
    const path = server ? address({ method: 'GET', path: '/orgs/{organization}/servers/{server}/events/{event}', values: [organization, server, event] }) : await this.eventPath(organization, event, options);
    const began = Date.now();
    for (let shown = 0; ; ) {
      try {
        const { body } = await this.call({ method: 'GET', path, options });
        const of = (body as { data: { meta?: { operation?: Operation } } }).data.meta?.operation;
        const ended = !of || ['succeeded', 'failed', 'cancelled'].includes(of.state); // read before the output, which is then complete
        if (said) {
          const output = (await this.call({ method: 'GET', path: path + '/output', options })).body as { data: { attributes: { output: string } } };
          let text = output.data.attributes.output;
          if (!ended) text = text.slice(0, text.lastIndexOf('\n') + 1); // a partial line waits for its end
          if (text.length > shown) said(text.slice(shown));
          shown = Math.max(shown, text.length);
        }
        if (ended && of && of.state !== 'succeeded') {
          throw new WorkError(event, of.state, of.reason ?? '', of.step ?? '', of.reason_code, of.reason_params);
        }
        if (ended) return;
      } catch (error) {
        if (!(error instanceof HostlerError)) throw error;
        if (error.status === 404) return; // the server was deleted, and its events with it
        if (!error.passing) throw error;
      }
      await pause(Date.now() - began > pollSlow ? pollLater : pollFirst, options.signal);
    }
  }

  /** eventPath finds the event of work of the organization, whose server only the event knows. */
  private async eventPath(organization: string, event: string, options: CallOptions): Promise<string> {
    const list = new List<{ id: string; links: { self: { href: string } } }>(this, { method: 'GET', path: '/orgs/{organization}/events', values: [organization], query: { sort: '-created_at' }, options });
    for await (const one of list) if (one.id === event) return one.links.self.href.slice(one.links.self.href.indexOf('/api/') + 4);
    throw new HostlerError(404, `no event ${event} in ${organization}`);
  }

  /** stream yields the messages of a stream, which is resumed when it breaks, until it is left or the signal comes. */
  async *stream(request: Request): AsyncGenerator<Message, void> {
    const signal = request.options?.signal;
    for (let last = ''; ; ) {
      const silent = new AbortController();
      const stop = () => silent.abort(signal?.reason);
      signal?.addEventListener('abort', stop, { once: true });
      let timer = setTimeout(stop, streamSilent);
      try {
        const headers = { ...(await this.headers()), Accept: 'text/event-stream', ...(last ? { 'Last-Event-ID': last } : {}) };
        const answer = await this.fetch(address(request), { method: 'GET', headers, signal: silent.signal });
        let text = '';
        const decoder = new TextDecoder();
        const reader = answer.body!.getReader();
        for (;;) {
          const { done, value } = await reader.read();
          clearTimeout(timer);
          timer = setTimeout(stop, streamSilent);
          if (done) break;
          text = (text + decoder.decode(value, { stream: true })).replace(/\r\n/g, '\n');
          for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
            const message = parsed(text.slice(0, end));
            text = text.slice(end + 2);
            if (!message) continue;
            last = message.id || last;
            yield message;
          }
        }
      } catch (error) {
        if (signal?.aborted || (error instanceof HostlerError && !error.passing)) throw error;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', stop);
        silent.abort();
      }
      await pause(streamAgain, signal);
    }
  }
}

/** parsed is a message of a stream; undefined for a comment. */
function parsed(block: string): Message | undefined {
  const of: Record<string, string> = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name) of[name] = of[name] === undefined ? value : `${of[name]}\n${value}`;
  }
  return of.data === undefined ? undefined : { id: of.id ?? '', event: of.event ?? '', data: JSON.parse(of.data) };
}
