import { t } from '@lingui/core/macro';
import { percent } from './numbers';
import { area, latest, line } from './plot';

/** Spark is a small plot of percentages for a row of a list, with the newest beside it. */
export function Spark({ values, label }: { values: (number | null)[]; label: string }) {
  const now = values[latest(values)];
  if (now === null || now === undefined) return <span className="text-muted">–</span>;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <svg
        viewBox="0 0 1 1"
        preserveAspectRatio="none"
        role="img"
        aria-label={t`${label}, highest ${percent(Math.max(...values.map((v) => v ?? 0)))}`}
        className="h-6 w-14 shrink-0 border-b border-line text-accent"
      >
        <path d={area(values, 100)} fill="currentColor" opacity={0.15} />
        <path d={line(values, 100)} fill="none" stroke="currentColor" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
      </svg>
      <span className="text-sm tabular-nums">{percent(now)}</span>
    </span>
  );
}
