// Numbers, sizes, durations and dates, all of them written by Intl: numbers in the language of the screens, dates as the browser is set to.
import { plural, t } from '@lingui/core/macro';
import { region, language as words } from './language';

const whole = new Intl.NumberFormat(words, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(words, { maximumFractionDigits: 1 });
const oneTenth = new Intl.NumberFormat(words, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const hundredths = new Intl.NumberFormat(words, { maximumFractionDigits: 2 });

/** number is a number with at most one digit after the point. */
export const number = (n: number): string => tenths.format(n);

/** scaled is a number in the largest of units, each a thousand of the one before, and which that is. */
function scaled(n: number, units: number): [number, number] {
  let i = 0;
  for (; n >= 999.5 && i < units - 1; i++) n /= 1000;
  return [n, i];
}

const sizes = [t`bytes`, 'kB', 'MB', 'GB', 'TB'];
/** bytes is a size for people, in powers of 1000. */
export function bytes(size: number): string {
  const [n, i] = scaled(size, sizes.length);
  return `${(i === 0 || n >= 99.95 ? whole : oneTenth).format(n)} ${sizes[i]}`;
}

const rates = ['B/s', 'kB/s', 'MB/s', 'GB/s'];
/** rate is bytes a second with a unit of a thousand. */
export function rate(bytes: number): string {
  const [n, i] = scaled(bytes, rates.length);
  return `${(i === 0 || n >= 10 ? whole : tenths).format(n)} ${rates[i]}`;
}

export const percent = (n: number) => `${(n < 10 ? tenths : whole).format(n)}%`;

/** perMinute is how often something happened in a minute. */
export const perMinute = (n: number) => t`${(n < 10 ? hundredths : whole).format(n)}/min`;

/** span is a duration in its two largest units. */
export function span(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  const part = (of: number, most = Infinity) => whole.format(Math.floor(s / of) % most);
  if (s < 60) return t`${part(1)} s`;
  if (s < 3600) return s % 60 ? t`${part(60)} min ${part(1, 60)} s` : t`${part(60)} min`;
  if (s < 86400) return t`${part(3600)} h ${part(60, 60)} min`;
  return plural(Math.floor(s / 86400), { one: '# day', other: '# days' });
}

/** atMost is a duration that is not exceeded, rounded up to whole minutes, hours or days: "30 min" for 29 min 59 s. */
export function atMost(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  if (minutes < 100) return t`${whole.format(minutes)} min`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? t`${whole.format(hours)} h` : plural(Math.ceil(hours / 24), { one: '# day', other: '# days' });
}

const seconds: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 0.001 };

/** took is a span of what has ended: something that was done took some time, however little. */
export const took = (ms: number) => (ms < 1000 ? t`under 1 s` : span(ms));

/** lasted is a duration of the API, such as 1m2.5s, as a span; empty where there is none. */
export function lasted(text: string): string {
  if (!text) return '';
  const sum = [...text.matchAll(/([\d.]+)(ms|h|m|s)/g)].reduce((sum, [, n, unit]) => sum + Number(n) * seconds[unit as string]!, 0);
  return sum < 10 ? t`${number(sum)} s` : span(sum * 1000);
}

const distances: [number, Intl.RelativeTimeFormatUnit, number][] = [
  [1, 'second', 60],
  [60, 'minute', 3600],
  [3600, 'hour', 86400],
  [86400, 'day', Number.POSITIVE_INFINITY],
];
const relative = new Intl.RelativeTimeFormat(words, { style: 'short', numeric: 'always' });

/** distance is how far a moment is from now, in the largest unit: "5 min. ago", "in 2 hr."; ms is negative in the past. */
export function distance(ms: number): string {
  const s = Math.abs(ms) / 1000;
  if (s < (ms > 0 ? 2 : 5)) return t`just now`;
  const [per, unit] = distances.find(([per, , next]) => Math.round(s / per) * per < next) ?? distances[0]!;
  return relative.format(Math.sign(ms) * Math.round(s / per), unit);
}

/** moment is a date with its time, and day a date. */
export const moment = new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeStyle: 'short' });
export const day = new Intl.DateTimeFormat(region, { dateStyle: 'medium' });
const calendar = new Intl.DateTimeFormat(region, { dateStyle: 'medium', timeZone: 'UTC' });

/** date is a date of the API without a time, such as 2026-11-23, as people write it. */
export const date = (text: string) => calendar.format(new Date(text));

/** The axes of plots: of an hour, of a day, whose two ends have the same time, and of longer. */
export const ofHour = new Intl.DateTimeFormat(region, { hour: '2-digit', minute: '2-digit' });
export const ofDay = new Intl.DateTimeFormat(region, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
export const ofMonth = new Intl.DateTimeFormat(region, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
