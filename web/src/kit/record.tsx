// What became of a change, as one line: what was planned, when it was applied and by whom, how it was verified, and what undoes it.

import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { CircleCheck, CircleDashed, CircleMinus, CircleX, LoaderCircle } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Event } from '../api/types';
import { Button } from './button';
import { PlanView } from './diff';
import { active, Time } from './state';
import { Undo } from './undo';

/** few is how many checks are shown at once. */
const few = 4;

// none is for a step that there was not, of work that has ended; open may still come
type Look = 'done' | 'busy' | 'open' | 'none' | 'bad';
const icons = { done: CircleCheck, busy: LoaderCircle, open: CircleDashed, none: CircleMinus, bad: CircleX };
const tones = { done: 'text-accent', busy: 'text-info', open: 'text-muted', none: 'text-muted', bad: 'text-danger' };

function Step({ look, name, children }: { look: Look; name: string; children: ReactNode }) {
  const Icon = icons[look];
  return (
    <li className="flex min-w-0 flex-1 basis-52 gap-2.5 px-4 py-3">
      <Icon className={`mt-0.5 size-5 shrink-0 ${tones[look]} ${look === 'busy' ? 'motion-safe:animate-spin' : ''}`} aria-hidden />
      <div className="min-w-0">
        <p className="font-medium">{name}</p>
        <p className="text-sm text-muted wrap-anywhere">{children}</p>
      </div>
    </li>
  );
}

/** ChangeRecord is the record of an event's work. by is who asked for it; check leads to where a check of such work is set, if it has none. */
export function ChangeRecord({ event, by, check }: { event: Event; by?: string; check?: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [all, setAll] = useState(false);
  const operation = event.meta?.operation;
  const plan = event.meta?.plan;
  const applied = event.meta?.applied;
  const proof = event.meta?.proof;
  const undo = event.meta?.undo;
  const planned = plan && (plan.servers ?? []).length > 0 ? plan : undefined;
  if (!operation) return null;
  const ended = !active(operation);
  const checks = proof?.checks ?? [];
  const said = [...new Set(checks.map((c) => c.evidence))]; // some follow each part of the work
  return (
    <section aria-label={t`Planned, applied, verified`} className="overflow-hidden rounded-xl border border-line bg-surface">
      <ol className="flex flex-wrap divide-line md:divide-x">
        <Step look={plan ? 'done' : 'none'} name={t`Planned`}>
          {plan ? <Trans>The plan was shown before, and is what was done.</Trans> : <Trans>No plan was shown before.</Trans>}
        </Step>
        <Step look={applied ? 'done' : ended ? 'bad' : 'busy'} name={applied ? t`Applied` : ended ? t`Not applied` : t`Being applied`}>
          {applied ? (
            by ? (
              <Trans>
                <Time at={applied.at} />, by {by}
              </Trans>
            ) : (
              <Time at={applied.at} />
            )
          ) : ended && operation.reversible ? (
            <Trans>The server is as it was before.</Trans>
          ) : ended ? (
            <Trans>What it did until then stays.</Trans>
          ) : (
            operation.step
          )}
        </Step>
        <Step look={proof?.result === 'passed' ? 'done' : ended ? 'none' : 'open'} name={proof?.result === 'passed' ? t`Verified` : t`Not verified`}>
          {proof?.result === 'passed' ? (
            <Trans>
              {plural(checks.length, { one: '# check passed', other: '# checks passed' })}, <Time at={proof.at} />
            </Trans>
          ) : applied ? (
            <>
              <Trans>Nothing was checked.</Trans> {check}
            </>
          ) : (
            <Trans>Checks follow the change.</Trans>
          )}
        </Step>
      </ol>
      {checks.length > 0 && (
        <ul aria-label={t`Checks`} className="grid gap-1 border-t border-line px-4 py-3 font-mono text-sm text-muted">
          {(all ? said : said.slice(0, few)).map((evidence) => (
            <li key={evidence} className="wrap-anywhere">
              {evidence}
            </li>
          ))}
          {said.length > few && (
            <li className="-ml-3 font-sans">
              <Button look="quiet" aria-expanded={all} onClick={() => setAll(!all)}>
                {all ? t`Show fewer checks` : t`Show all ${said.length} checks`}
              </Button>
            </li>
          )}
        </ul>
      )}
      {(planned || undo) && (
        <div className="grid gap-3 border-t border-line px-4 py-3">
          <span className="flex flex-wrap gap-2">
            {undo && <Undo key={event.id} event={event} undo={undo} />}
            {planned && (
              <Button look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
                {open ? t`Hide the plan` : t`Show the plan`}
              </Button>
            )}
          </span>
          {open && planned && <PlanView plan={planned} past />}
        </div>
      )}
    </section>
  );
}
