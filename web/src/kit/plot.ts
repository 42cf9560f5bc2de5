// Where the values of a plot are drawn, in a box of 0 to 1 in both directions that a picture stretches; y grows downwards.

/** top is the upper end of a scale that begins at zero: 1, 2 or 5 times a power of ten, and no less than least. */
export function top(values: readonly (number | null)[], least: number): number {
  const highest = values.reduce<number>((max, v) => Math.max(max, v ?? 0), least);
  if (highest === least) return least;
  const power = 10 ** Math.floor(Math.log10(highest));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= highest) ?? highest;
}

/** runs are the stretches of values without a gap, as the places of their first and last value. */
export function runs(values: readonly (number | null)[]): [number, number][] {
  const out: [number, number][] = [];
  values.forEach((v, i) => {
    if (v === null) return;
    const last = out[out.length - 1];
    if (last?.[1] === i - 1) last[1] = i;
    else out.push([i, i]);
  });
  return out;
}

const short = (n: number) => String(Math.round(n * 1e4) / 1e4);

/** line draws values, each in the middle of its step; one between two gaps is as wide as its step. A gap stays empty. */
export function line(values: readonly (number | null)[], highest: number): string {
  const x = (i: number) => short((i + 0.5) / values.length);
  const y = (i: number) => short(1 - Math.min(values[i]!, highest) / highest);
  return runs(values)
    .map(([first, last]) => {
      if (first === last) return `M${short(first / values.length)} ${y(first)}H${short((first + 1) / values.length)}`;
      return Array.from({ length: last - first + 1 }, (_, n) => `${n ? 'L' : 'M'}${x(first + n)} ${y(first + n)}`).join('');
    })
    .join('');
}

/** area is what is below a line. */
export function area(values: readonly (number | null)[], highest: number): string {
  return runs(values)
    .map(([first, last]) => {
      const part = values.map((v, i) => (i < first || i > last ? null : v));
      const [from, until] = first === last ? [first, first + 1] : [first + 0.5, last + 0.5];
      return `${line(part, highest)}L${short(until / values.length)} 1H${short(from / values.length)}Z`;
    })
    .join('');
}

/** place is where in a time something happened, from 0 to 1. */
export const place = (at: string, from: string, until: string) => (Date.parse(at) - Date.parse(from)) / (Date.parse(until) - Date.parse(from));

/** stepAt is the step below a place from 0 to 1. */
export const stepAt = (x: number, steps: number) => Math.max(0, Math.min(steps - 1, Math.floor(x * steps)));

/** latest is the place of the last value; -1 if there is none. */
export const latest = (values: readonly (number | null)[]) => values.findLastIndex((v) => v !== null);
