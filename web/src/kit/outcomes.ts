// Sending one request for each of several things: a few at a time, each with a key of its own, so that a second try of one is never done twice.
import { t } from '@lingui/core/macro';
import { ApiError } from '../api/client';
import { named } from './words';

/** Outcome is what became of one request. */
export type Outcome = { state: 'waiting' } | { state: 'sent'; event: string | null } | { state: 'refused'; text: string };

const atOnce = 4;

/** each runs work for all of some things, at most a few at once, and reports each outcome as it comes. It returns when all have one. */
export async function each<T>(things: readonly T[], work: (t: T) => Promise<string | null>, report: (t: T, o: Outcome) => void): Promise<void> {
  const rest = [...things];
  const worker = async () => {
    for (let t = rest.shift(); t !== undefined; t = rest.shift()) {
      report(t, { state: 'waiting' });
      try {
        report(t, { state: 'sent', event: await work(t) });
      } catch (error) {
        report(t, { state: 'refused', text: reason(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, rest.length) }, worker));
}

function reason(error: unknown): string {
  if (!(error instanceof ApiError)) return t`Something went wrong on this page.`;
  const said = Object.entries(error.fields).flatMap(([name, of]) => of.map((p) => named(p, name)));
  return said.join(' ') || error.message;
}

/** Keys gives each request a key, which is the same as long as the request is. */
export class Keys {
  private readonly held = new Map<string, { request: string; key: string }>();

  of(id: string, request: string): string {
    let has = this.held.get(id);
    if (has?.request !== request) {
      has = { request, key: crypto.randomUUID?.() ?? String(Math.random()).slice(2) };
      this.held.set(id, has);
    }
    return has.key;
  }

  /** done forgets the key of a request that was accepted: the next one is another. */
  done(id: string): void {
    this.held.delete(id);
  }
}

/** summary counts states in words, such as "2 succeeded, 1 failed". */
export function summary(states: readonly string[]): string {
  const count = (...of: string[]) => states.filter((s) => of.includes(s)).length;
  const [done, failed, refused, open] = [count('succeeded'), count('failed', 'cancelled'), count('refused'), count('waiting', 'pending', 'running', 'sent')];
  return [done && t`${done} succeeded`, failed && t`${failed} failed`, refused && t`${refused} not started`, open && t`${open} in progress`]
    .filter(Boolean)
    .join(', ');
}
