import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { type PointerEvent, useState } from 'react';
import { useGet } from '../../api/query';
import type { FleetMetrics, Metrics, Site, SiteMetrics } from '../../api/types';
import { bytes, number, ofDay, ofHour, ofMonth, percent, perMinute, rate } from '../../kit/numbers';
import { Failed, Section } from '../../kit/page';
import { area, latest, line, place, stepAt, top } from '../../kit/plot';
import { Time } from '../../kit/state';
import { capital } from '../../kit/words';
import { isBalanced } from '../../shell/places';

const ranges = { '1h': t`Hour`, '24h': t`Day`, '7d': t`Week`, '30d': t`Month` } as const;
export type Range = keyof typeof ranges;

/** Measured is what plots are drawn from: of one server, of many, or of a site. */
type Measured = Metrics | FleetMetrics | SiteMetrics;

interface Curve {
  name: string;
  values: (number | null)[];
  /** dim is the second curve of a plot. */
  dim?: boolean;
}

/** Drawing is a plot, and the least upper end of its scale. */
interface Drawing {
  title: string;
  curves: Curve[];
  least: number;
  text: (v: number) => string;
  /** limit is what the values can't exceed, where something enforces one. */
  limit?: number;
}

/** plotsOf are the plots of a server or of many. */
export const plotsOf = (m: Metrics | FleetMetrics): Drawing[] => [
  { title: t`CPU`, curves: [{ name: 'CPU', values: m.cpu }], least: 100, text: percent },
  { title: t`Load per CPU`, curves: [{ name: t`Load per CPU`, values: m.cpu_load }], least: 100, text: percent },
  { title: t`Memory`, curves: [{ name: t`Memory`, values: m.used_memory }], least: 100, text: percent },
  { title: t`Disk`, curves: [{ name: t`Disk`, values: m.disk }], least: 100, text: percent },
  {
    title: t`Network`,
    curves: [
      { name: t`Received`, values: m.network_received },
      { name: t`Sent`, values: m.network_sent, dim: true },
    ],
    least: 1000,
    text: rate,
  },
];

/** isMeasured reports whether plots have anything to show. */
export const isMeasured = (plots: Drawing[]) => plots.some((p) => p.curves.some((c) => c.values.some((v) => v !== null)));

type Limits = NonNullable<NonNullable<Site['meta']>['limits']>;

/** used are the plots of what a site with limits uses, up to its limits; none where that is not measured. */
const used = (m: SiteMetrics, limits: Partial<Limits>): Drawing[] => {
  const upTo = (limit: number | null | undefined, least: number) => (limit ? { limit, least: limit } : { least });
  return [
    { title: t`Memory`, curves: [{ name: t`Memory`, values: m.memory }], text: (v: number) => bytes(v * 1_048_576), ...upTo(limits.memory_max, 64) },
    { title: t`Processor`, curves: [{ name: t`Processor`, values: m.cpu }], text: percent, ...upTo(limits.cpu_quota, 100) },
    { title: t`Processes and threads`, curves: [{ name: t`Processes and threads`, values: m.tasks }], text: number, ...upTo(limits.tasks_max, 10) },
  ].filter((p) => isMeasured([p]));
};

const asked = (m: SiteMetrics): Drawing[] => [
  { title: t`Requests`, curves: [{ name: t`Requests`, values: m.requests }], least: 10, text: perMinute },
  {
    title: t`Errors`,
    curves: [
      { name: '5xx', values: m.server_errors },
      { name: '4xx', values: m.client_errors, dim: true },
    ],
    least: 10,
    text: perMinute,
  },
];

const kinds = { deployment: 'text-info', reboot: 'text-danger', drift: 'text-warn' } as const;

/** fitting is the range that a plot begins with: of what exists for an hour or two, a day is nearly empty. */
export const fitting = (since: string | null | undefined): Range => (since && Date.now() - Date.parse(since) < 2 * 3_600_000 ? '1h' : '24h');

/** ServerMetrics is what a server measured of itself, with what happened on it meanwhile. */
export default function ServerMetrics({ org, server, since }: { org: string; server: string; since: string | null }) {
  const [range, setRange] = useState<Range>(() => fitting(since));
  const doc = useGet('/orgs/{organization}/servers/{server}/metrics', { organization: org, server }, { query: { range }, every: 60_000 });
  return (
    <Plots
      title={t`Metrics`}
      range={range}
      onRange={setRange}
      doc={doc}
      plots={plotsOf}
      none={t`No measurements during this time. The first ones of a new server arrive within a few minutes.`}
      at={{ org, server }}
    />
  );
}

/** SiteRequests is what a site was asked by its access log, and what it used of its limits, with its deployments and reboots of its server. */
export function SiteRequests({ org, server, site }: { org: string; server: string; site: Site }) {
  const [range, setRange] = useState<Range>(() => fitting(site.attributes.created_at));
  const at = { organization: org, server, site: site.id };
  const doc = useGet('/orgs/{organization}/servers/{server}/sites/{site}/metrics', at, { query: { range }, every: 60_000 });
  const limits = site.meta?.limits ?? {};
  const measured = doc.data && used(doc.data.data.attributes, limits).length > 0;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Plots
        title={measured ? t`Requests and usage` : t`Requests`}
        range={range}
        onRange={setRange}
        doc={doc}
        plots={(m) => [...asked(m), ...used(m, limits)]}
        none={t`No requests were counted during this time.`}
        at={{ org, server }}
      />
      {doc.data && !measured && !isBalanced(site) && <Unmeasured org={org} site={site.id} limited={Object.values(limits).some((l) => l !== null)} />}
    </div>
  );
}

/** Unmeasured says why a site has no plots of its memory, processor and tasks. */
function Unmeasured({ org, site, limited }: { org: string; site: string; limited: boolean }) {
  return (
    <p className="max-w-3xl text-pretty text-muted">
      <strong className="font-medium text-text">
        <Trans>Memory, processor and tasks:</Trans>
      </strong>{' '}
      {limited ? (
        <Trans>Nothing was measured during this time. A server whose kernel has no memory controller measures nothing.</Trans>
      ) : (
        <Trans>What the site uses is measured once it has a limit.</Trans>
      )}{' '}
      <Link to="/orgs/$org/sites/$site/settings" params={{ org, site }} className="font-medium text-accent underline-offset-2 hover:underline">
        {limited ? <Trans>Show the limits</Trans> : <Trans>Set a limit</Trans>}
      </Link>
    </p>
  );
}

interface PlotsProps<M> {
  title: string;
  range: Range;
  onRange: (r: Range) => void;
  doc: { data?: { data: { attributes: M } }; error: unknown; refetch: () => unknown };
  plots: (m: M) => Drawing[];
  /** none is said where nothing was measured during the time shown. */
  none: string;
  at: { org: string; server: string };
}

function Plots<M extends Metrics | SiteMetrics>({ title, range, onRange, doc, plots, none, at }: PlotsProps<M>) {
  const [step, setStep] = useState<number | null>(null);
  const m = doc.data?.data.attributes;
  const drawn = m && (m.marks.length > 0 || isMeasured(plots(m))) ? plots(m) : [];
  const empty = !m || !isMeasured(plots(m));
  return (
    <Section title={title} plain actions={<Ranges range={range} onChange={onRange} />}>
      {!m ? (
        doc.error ? (
          <Failed error={doc.error} again={() => void doc.refetch()} />
        ) : (
          <div role="status" aria-label={t`Loading`} className="panel beating h-56" />
        )
      ) : (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {drawn.length > 0 && (
            <div className={`grid gap-3 sm:grid-cols-2 ${drawn.length > 2 ? 'xl:grid-cols-3' : ''}`}>
              {drawn.map((p) => (
                <Plot key={p.title} metrics={m} {...p} step={step} onStep={setStep} />
              ))}
            </div>
          )}
          {empty && <p className="text-muted">{none}</p>}
          {m.marks.length > 0 && <Marks {...at} marks={m.marks} />}
        </div>
      )}
    </Section>
  );
}

/** Ranges chooses the time that plots show. */
export function Ranges({ range, onChange }: { range: Range; onChange: (r: Range) => void }) {
  return (
    <div role="group" aria-label={t`Time range`} className="flex rounded-lg border border-line bg-surface p-0.5">
      {(Object.keys(ranges) as Range[]).map((r) => (
        <button
          key={r}
          type="button"
          aria-pressed={r === range}
          onClick={() => onChange(r)}
          className={`rounded-md px-2.5 py-1 text-sm ${r === range ? 'bg-soft font-medium text-accent' : 'text-muted hover:text-text'}`}
        >
          {ranges[r]}
        </button>
      ))}
    </div>
  );
}

export function Plot({
  metrics: m,
  title,
  curves,
  least,
  text,
  limit,
  step,
  onStep,
}: Drawing & { metrics: Measured; step: number | null; onStep: (step: number | null) => void }) {
  const highest = top(
    curves.flatMap((c) => c.values),
    least,
  );
  const format = m.range === '1h' ? ofHour : m.range === '24h' ? ofDay : ofMonth;
  const time = (i: number) => format.format(Date.parse(m.from) + i * m.step * 1000);
  const shown = (values: (number | null)[]) => {
    const v = values[step ?? latest(values)];
    return v === null || v === undefined ? '–' : text(v);
  };
  const steps = curves[0]?.values.length ?? 0;
  const move = (e: PointerEvent) => {
    const box = e.currentTarget.getBoundingClientRect();
    onStep(stepAt((e.clientX - box.left) / box.width, steps));
  };
  const label = `${title}: ${curves.map((c) => `${curves.length > 1 ? `${c.name} ` : ''}${shown(c.values)}`).join(', ')}`;
  return (
    <figure className="panel flex min-w-0 flex-col p-4">
      <figcaption className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{title}</span>
        <span className="ml-auto flex flex-wrap gap-x-3 tabular-nums">
          {curves.map((c) => (
            <span key={c.name} className={c.dim ? 'text-muted' : 'text-accent'}>
              {curves.length > 1 && <span className="mr-1 text-sm">{c.name}</span>}
              {shown(c.values)}
            </span>
          ))}
        </span>
      </figcaption>
      <div className="mt-auto flex justify-between pt-2 text-xs text-muted">
        <span>{limit === highest ? t`Limit: ${text(highest)}` : text(highest)}</span>
        {step !== null && <span>{time(step)}</span>}
      </div>
      <svg
        viewBox="0 0 1 1"
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
        onPointerMove={move}
        onPointerLeave={() => onStep(null)}
        className="block h-24 w-full touch-pan-y overflow-visible border-y border-line"
      >
        {curves.map((c) => (
          <g key={c.name} className={c.dim ? 'text-muted' : 'text-accent'}>
            {!c.dim && <path d={area(c.values, highest)} fill="currentColor" opacity={0.12} />}
            <path
              d={line(c.values, highest)}
              fill="none"
              stroke="currentColor"
              strokeWidth={1.5}
              strokeDasharray={c.dim ? '3 2' : undefined}
              vectorEffect="non-scaling-stroke"
            />
          </g>
        ))}
        {('marks' in m ? m.marks : []).map((mark) => {
          const x = place(mark.at, m.from, m.until);
          return (
            <path
              key={mark.event_id}
              d={`M${x} 0V1`}
              className={kinds[mark.kind]}
              stroke="currentColor"
              strokeWidth={1.5}
              strokeDasharray="1 3"
              vectorEffect="non-scaling-stroke"
            >
              <title>{mark.description}</title>
            </path>
          );
        })}
        {limit !== undefined && limit < highest && (
          <path d={`M0 ${1 - limit / highest}H1`} className="text-danger" stroke="currentColor" strokeDasharray="4 3" vectorEffect="non-scaling-stroke">
            <title>{t`Limit: ${text(limit)}`}</title>
          </path>
        )}
        {step !== null && <path d={`M${(step + 0.5) / steps} 0V1`} className="text-edge" stroke="currentColor" vectorEffect="non-scaling-stroke" />}
      </svg>
      <div className="mt-1 flex justify-between text-xs text-muted">
        <span>{time(0)}</span>
        <span>{time(steps)}</span>
      </div>
    </figure>
  );
}

const fewMarks = 6;

/** Marks lists what the vertical lines are, the newest first. */
function Marks({ org, server, marks: oldestFirst }: { org: string; server: string; marks: Metrics['marks'] }) {
  const [all, setAll] = useState(false);
  const marks = oldestFirst.toReversed();
  return (
    <ul aria-label={t`Events`} className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
      {marks.slice(0, all ? undefined : fewMarks).map((mark) => (
        <li key={mark.event_id} className="flex min-w-0 items-center gap-2">
          <span aria-hidden className={`h-3.5 shrink-0 border-l-2 border-dotted border-current ${kinds[mark.kind]}`} />
          <span className="text-muted">{capital(mark.kind)}</span>
          <Link
            to="/orgs/$org/servers/$server/events/$event"
            params={{ org, server, event: String(mark.event_id) }}
            className="min-w-0 truncate hover:underline"
          >
            {mark.description}
          </Link>
          <Time at={mark.at} ago />
        </li>
      ))}
      {!all && marks.length > fewMarks && (
        <li>
          <button type="button" className="text-accent hover:underline" onClick={() => setAll(true)}>
            <Trans>Show all {marks.length}</Trans>
          </button>
        </li>
      )}
    </ul>
  );
}
