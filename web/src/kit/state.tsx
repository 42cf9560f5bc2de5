import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useSyncExternalStore } from 'react';
import type { Operation } from '../api/types';
import { current, watch } from './clock';
import { day, distance, moment, span } from './numbers';
import { stateWord, type Tone, tone } from './words';

const dots: Record<Tone, string> = { good: 'bg-accent', bad: 'bg-danger', busy: 'bg-info beating', warn: 'bg-warn', idle: 'bg-muted' };

/** State is a word with a dot; the word alone says it all. */
export function State({ state, text, tone: given }: { state: string; text?: string; tone?: Tone }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap">
      <span aria-hidden className={`size-2 shrink-0 rounded-full ${dots[given ?? tone(state)]}`} />
      {text ?? stateWord(state)}
    </span>
  );
}

export function Pill({ children, tone: t = 'idle' }: { children: React.ReactNode; tone?: Tone }) {
  const looks: Record<Tone, string> = {
    good: 'bg-soft text-accent',
    bad: 'bg-danger-soft text-danger',
    busy: 'bg-info-soft text-info',
    warn: 'bg-warn-soft text-warn',
    idle: 'bg-sunken text-muted',
  };
  return <span className={`inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-sm font-medium whitespace-nowrap ${looks[t]}`}>{children}</span>;
}

export const active = (o?: Operation | null) => o?.state === 'pending' || o?.state === 'running';

/** soon is how often to ask again: often while something is being done, as a state that settles on the panel alone stirs no stream. */
export const soon = (data: { data: { meta?: { operation?: Operation } } }) => (active(data.data.meta?.operation) ? 2_000 : 10_000);
export const soonAny = (rows: { meta?: { operation?: Operation } }[]) => (rows.some((r) => active(r.meta?.operation)) ? 2_000 : 15_000);

export const useNow = () => useSyncExternalStore(watch, current);

/**
 * Time is when, in the time of the person who reads; UTC stands in its title. With ago it is the distance from now, and beyond six days the day alone: columns
 * of lists have room for no more.
 */
export function Time({ at, ago }: { at: string | null | undefined; ago?: boolean }) {
  return at ? (
    <Moment at={at} ago={ago} />
  ) : (
    <span className="text-muted">
      <Trans>Never</Trans>
    </span>
  );
}

/** Day is a date without a time, such as "2027-04-30", of no time zone. */
export const Day = ({ on }: { on: string }) => <time dateTime={on}>{day.format(new Date(on + 'T12:00'))}</time>;

function Moment({ at, ago }: { at: string; ago?: boolean }) {
  const now = useNow();
  const when = new Date(at);
  const from = when.getTime() - now;
  const text = !ago ? moment.format(when) : Math.abs(from) > 6 * 86400_000 ? day.format(when) : distance(from);
  return (
    <time dateTime={at} title={t`${moment.format(when)} local time\n${when.toISOString().replace('T', ' ').slice(0, 19)} UTC`} className="whitespace-nowrap">
      {text}
    </time>
  );
}

export function Elapsed({ since }: { since: string }) {
  return <>{span(useNow() - new Date(since).getTime())}</>;
}
export function Left({ until }: { until: string }) {
  return <>{span(new Date(until).getTime() - useNow())}</>;
}
