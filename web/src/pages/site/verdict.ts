// What the parts of a site amount to, in a word each.
import { plural, t } from '@lingui/core/macro';
import type { Heartbeat, Monitor, Process } from '../../api/types';
import type { Tone } from '../../kit/words';

export type Verdict = [text: string, tone: Tone] | null;

const failing = new Set(['fatal', 'backoff', 'exited']);

/** ofProcesses is how many processes run, and what does not; null where there are none. */
export function ofProcesses(all: Process[]): Verdict {
  if (all.length === 0) return null;
  const bad = all.filter((p) => failing.has(p.attributes.status)).length;
  if (bad > 0) return [t`${bad} of ${all.length} failing`, 'bad'];
  const running = all.filter((p) => p.attributes.status === 'running').length;
  return [running === all.length ? t`${running} running` : t`${running} of ${all.length} running`, running === all.length ? 'good' : 'warn'];
}

/** ofHeartbeats is how many pings are missing. */
export function ofHeartbeats(all: Heartbeat[]): Verdict {
  if (all.length === 0) return null;
  const count = (status: string) => all.filter((h) => h.attributes.status === status).length;
  if (count('missing') > 0) return [t`${count('missing')} of ${all.length} missing`, 'bad'];
  return count('beating') === all.length ? [t`On time`, 'good'] : [t`Waiting for first ping`, 'idle'];
}

/** ofResponse is what the monitors of this site's URLs found; null where none asks it. */
export function ofResponse(all: Monitor[], names: string[]): Verdict {
  const own = all.filter((m) => m.attributes.type === 'url' && names.includes(hostOf(m.meta?.monitor?.url ?? '')));
  if (own.length === 0) return null;
  if (own.some((m) => m.attributes.state === 'ALERT')) return [t`Failing`, 'bad'];
  return own.every((m) => m.attributes.state === 'OK') ? [t`Responding`, 'good'] : [t`Not checked yet`, 'idle'];
}
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : '');

const day = 86_400_000;

/** ofCertificate is how long the certificate that ends first is valid. */
export function ofCertificate(ends: (string | null | undefined)[], now: number): Verdict {
  const times = ends.filter((e): e is string => !!e).map((e) => new Date(e).getTime());
  if (times.length === 0) return null;
  const days = Math.floor((Math.min(...times) - now) / day);
  if (days < 0) return [t`Expired`, 'bad'];
  return [t`Valid for ${plural(days, { one: '# day', other: '# days' })}`, days < 14 ? 'warn' : 'good'];
}
