import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { address, type Query, send, sendFull } from '../api/client';
import type { Does } from '../api/permissions';
import { useGet } from '../api/query';
import type { DryRun, Operation } from '../api/types';
import { Button } from './button';
import { Dialog } from './dialog';
import { PlanView } from './diff';
import { each, Keys, type Outcome, summary } from './outcomes';
import { Notice } from './page';
import { active, State } from './state';

/** Target is a thing that something is done with, by a request of its own. */
export interface Target {
  id: string;
  name: string;
  server: string;
  /** host is the server's name in a plan, where the thing has another. */
  host?: string;
  path: string;
  body?: unknown;
  /** method is post, unless something is removed. */
  method?: 'post' | 'delete';
  query?: Query;
  /** why says why nothing can be done with it, where that is so: it is left out. */
  why?: string;
}

interface Props {
  org: string;
  title: string;
  text: ReactNode;
  /** submit is the button's words for a number of things. */
  submit: (n: number) => string;
  targets: Target[];
  /** does is what is called for each. */
  does: Does;
  /** plans is for what changes hosts and takes a dry run. */
  plans?: boolean;
  onClose: () => void;
  /** missing is what has to be chosen first. */
  missing?: string;
  children?: ReactNode;
}

/** Bulk does one thing with several others: an ordinary operation each, with a result each. Closing it ends nothing. */
export function Bulk({ org, title, text, submit, targets, does, plans, onClose, missing, children }: Props) {
  const cache = useQueryClient();
  const keys = useRef(new Keys());
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map());
  const [states, setStates] = useState<ReadonlyMap<string, string>>(new Map());
  const [plan, setPlan] = useState<DryRun | null>(null);
  const [planning, setPlanning] = useState(false);
  const [wrong, setWrong] = useState('');
  const fit = targets.filter((one) => !one.why);
  const began = outcomes.size > 0;
  const run = async (some: Target[]) => {
    setPlan(null);
    await each(
      some,
      async (one) => {
        const url = address(one.path, {}, one.query);
        const key = one.method === 'delete' ? undefined : keys.current.of(one.id, url + JSON.stringify(one.body ?? null));
        const answer = await sendFull(one.method ?? 'post', url, one.body, undefined, key);
        keys.current.done(one.id);
        const made = answer.data as { data?: { meta?: { operation?: Operation } } } | undefined;
        return answer.event ?? made?.data?.meta?.operation?.event_id ?? null;
      },
      (one, o) => setOutcomes((was) => new Map(was).set(one.id, o)),
    );
    void cache.invalidateQueries();
  };
  const tryOut = async () => {
    setPlanning(true);
    setWrong('');
    const found: DryRun = { hash: '', servers: [] };
    const refused: string[] = [];
    await each(
      fit,
      async (one) => {
        const answer = (await send(one.method ?? 'post', address(one.path, {}, { ...one.query, dry_run: 'true' }), one.body)) as { meta: { plan: DryRun } };
        found.servers!.push(...(answer.meta.plan.servers ?? []));
        return null;
      },
      (one, o) => o.state === 'refused' && refused.push(`${one.name}: ${o.text}`),
    );
    setPlanning(false);
    setPlan(found);
    setWrong(refused.join(' '));
  };
  const word = (one: Target) => {
    const o = outcomes.get(one.id);
    return o?.state === 'sent' && o.event ? (states.get(one.id) ?? 'sent') : (o?.state ?? 'waiting');
  };
  return (
    <Dialog open onClose={onClose} title={title} text={text} wide>
      <div className="grid gap-5">
        {!began && children}
        <ul aria-label={t`Results`} className="panel max-h-80 divide-y divide-line overflow-y-auto">
          {targets.map((one) => {
            const o = outcomes.get(one.id);
            return (
              <li key={one.id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
                <span className="min-w-0 flex-1 basis-40 truncate font-medium">{one.name}</span>
                {one.why ? (
                  <span className="text-sm text-muted">{one.why}</span>
                ) : o?.state === 'waiting' ? (
                  <State state="pending" text={t`Sending`} />
                ) : o?.state === 'refused' ? (
                  <>
                    <span role="alert" className="min-w-0 text-sm text-danger [overflow-wrap:anywhere]">
                      {o.text}
                    </span>
                    <Button onClick={() => void run([one])}>
                      <Trans>Try again</Trans>
                    </Button>
                  </>
                ) : o?.event ? (
                  <Followed
                    org={org}
                    server={one.server}
                    event={o.event}
                    every={Math.max(2_000, fit.length * 150)}
                    report={(s) => setStates((was) => (was.get(one.id) === s ? was : new Map(was).set(one.id, s)))}
                  />
                ) : (
                  o && <State state="succeeded" />
                )}
              </li>
            );
          })}
        </ul>
        {plan && <PlanView plan={plan} names={new Map(targets.map((one) => [one.server, one.host ?? one.name]))} onClose={() => setPlan(null)} />}
        {wrong && (
          <Notice tone="bad" role="alert">
            {wrong}
          </Notice>
        )}
        {began ? (
          <div className="flex flex-wrap items-center gap-3">
            <p role="status" className="min-w-0 flex-1">
              {summary(fit.map(word))}.
            </p>
            <Button onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
          </div>
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button
              look="primary"
              does={does}
              disabled={fit.length === 0 || !!missing}
              why={missing ?? t`This action doesn't apply to any of the selected items.`}
              onClick={() => void run(fit)}
            >
              {submit(fit.length)}
            </Button>
            {plans && (
              <Button does={does} pending={planning} disabled={fit.length === 0} onClick={() => void tryOut()}>
                <Trans>Show plan</Trans>
              </Button>
            )}
            <Button onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

/** Followed is one operation to its end. */
function Followed({ org, server, event, every, report }: { org: string; server: string; event: string; every: number; report: (state: string) => void }) {
  const doc = useGet(
    '/orgs/{organization}/servers/{server}/events/{event}',
    { organization: org, server, event },
    { every: (d: { data: { meta?: { operation?: Operation } } }) => (active(d.data.meta?.operation) ? every : false) },
  );
  const operation = doc.data?.data.meta?.operation;
  const state = operation?.state ?? 'pending';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each state
  useEffect(() => report(state), [state]);
  return (
    <>
      {active(operation) && operation?.step && <span className="min-w-0 truncate text-sm text-muted">{operation.step}</span>}
      {operation?.state === 'failed' && (
        <span className="min-w-0 basis-full text-sm text-danger [overflow-wrap:anywhere] md:order-last">{operation.reason}</span>
      )}
      <State state={state} />
      <Link
        to="/orgs/$org/servers/$server/events/$event"
        params={{ org, server, event }}
        className="font-medium text-accent underline-offset-2 hover:underline"
      >
        <Trans>Output</Trans>
      </Link>
    </>
  );
}
