// Work on a host, as it is: step, time, deadline, attempt, last line, and what can be done about it.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useWrite } from '../api/query';
import type { Operation } from '../api/types';
import { Action } from './action';
import { Button } from './button';
import { atMost } from './numbers';
import { active, Left, State, useNow } from './state';
import { doing } from './words';

/** begin is what stands for retrying and cancelling: the API asks for what starting the work required, which a page does not know. */
const begin = 'post /orgs/{organization}/servers/{server}/actions';

/** nearly is how long before its end it is said what happens when work times out, in milliseconds: long before, it only worries. */
const nearly = 5 * 60_000;

export function Work({
  operation,
  org,
  server,
  line,
  linked = true,
  actions,
  released,
}: {
  operation: Operation;
  org: string;
  server: string;
  line?: string;
  linked?: boolean;
  actions?: ReactNode;
  /** released is set where work that fails leaves the live release. */
  released?: boolean;
}) {
  const event = operation.event_id ?? '';
  const params = { organization: org, server, event };
  const retry = useWrite('post', '/orgs/{organization}/servers/{server}/events/{event}/retry', params);
  const cancel = useWrite('post', '/orgs/{organization}/servers/{server}/events/{event}/cancel', params);
  const stays = !operation.reversible;
  const [asked, setAsked] = useState(false);
  const busy = active(operation);
  const left = new Date(operation.deadline).getTime() - useNow();
  const near = left < nearly;
  const failed = operation.state === 'failed' || operation.state === 'cancelled';
  const box = operation.state === 'failed' ? 'border-danger/40 bg-danger-soft' : busy ? 'border-info/40 bg-info-soft' : 'border-line bg-surface';
  return (
    <section aria-label={t`Operation`} className={`flex flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border px-4 py-3 ${box}`}>
      <div className="min-w-0 flex-1 basis-72">
        <div className="flex flex-wrap items-center gap-x-3 font-medium" role="status">
          <State state={operation.state} />
          <span>{doing(operation.step, operation.action)}</span>
        </div>
        <p className="mt-0.5 text-sm text-muted">
          {busy && (
            <>
              {!near ? (
                <Trans>It is stopped if it still runs in {atMost(left)}.</Trans>
              ) : released ? (
                <Trans>
                  Times out in <Left until={operation.deadline} />, then fails, and the current release stays live.
                </Trans>
              ) : stays ? (
                <Trans>
                  Times out in <Left until={operation.deadline} />, then stops without rolling back.
                </Trans>
              ) : (
                <Trans>
                  Times out in <Left until={operation.deadline} />, then rolls back.
                </Trans>
              )}{' '}
            </>
          )}
          {operation.attempt > 1 && operation.state !== 'succeeded' && (
            <>
              <Trans>Attempt {operation.attempt}.</Trans>{' '}
            </>
          )}
          {operation.reason && <span className={failed ? 'text-danger' : ''}>{operation.reason}</span>}{' '}
          {failed && (released ? <Trans>What was live before is live.</Trans> : operation.reversible && <Trans>The server is as it was before.</Trans>)}
        </p>
        {busy && line && <p className="mt-1 truncate font-mono text-sm text-muted">{line}</p>}
        {(retry.error ?? cancel.error) && (
          <p role="alert" className="mt-1 text-sm text-danger">
            {(retry.error ?? cancel.error)!.message}
          </p>
        )}
      </div>
      {linked && event && (
        <Link
          to="/orgs/$org/servers/$server/events/$event"
          params={{ org, server, event }}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          <Trans>Output</Trans>
        </Link>
      )}
      {actions}
      {!actions &&
        busy &&
        event &&
        (asked ? (
          <Action write={cancel} look="danger" icon={Ban} does={begin}>
            {stays ? t`Cancel without rolling back` : t`Cancel and roll back`}
          </Action>
        ) : (
          <Button icon={Ban} onClick={() => setAsked(true)} does={begin}>
            <Trans>Cancel</Trans>
          </Button>
        ))}
      {!actions && failed && event && <Action write={retry} icon={RotateCcw} does={begin}>{t`Try again`}</Action>}
    </section>
  );
}
