// The request that undoes a change, with its plan before it is sent.

import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { Undo2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useWrite } from '../api/query';
import type { Event } from '../api/types';
import { Button } from './button';
import { Dialog } from './dialog';
import { Form } from './form';
import { Facts } from './page';
import { said } from './said';
import { capital } from './words';

type Request = NonNullable<NonNullable<Event['meta']>['undo']>;

/** shown is a value of a request as a person reads it. */
export function shown(value: unknown): string {
  if (value === null || value === '') return t`None`;
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  if (Array.isArray(value)) return value.length ? value.map(shown).join(', ') : t`None`;
  if (typeof value !== 'object') return String(value);
  const set = Object.entries(value).filter(([, v]) => v !== null && v !== '');
  return set.map(([name, v]) => `${capital(name)}: ${shown(v)}`).join('\n') || t`None`;
}

/** Undo is the button that undoes the change of an event. */
export function Undo({ event, undo }: { event: Event; undo: Request }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const removes = undo.method === 'DELETE';
  const write = useWrite(undo.method.toLowerCase() as 'put', undo.path.replace(/^\/api/, '') as '/user', {});
  const body = (removes ? undefined : undo.body) as never;
  const [, org = '', server = ''] = event.links.self.href.match(/\/orgs\/([^/]+)\/servers\/([^/]+)\//) ?? [];
  const begun = write.event;
  const ofEvent = useRouterState({ select: (s) => /\/events\/\d+$/.test(s.location.pathname) });
  const to = { to: '/orgs/$org/servers/$server/events/$event', params: { org, server, event: begun ?? '' } } as const;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it has begun
  useEffect(() => {
    if (begun && ofEvent) void navigate(to); // the page of one event goes on to the next; any other page stays
  }, [begun]);
  if (begun && !ofEvent)
    return (
      <p role="status" className="flex flex-wrap items-center gap-x-3 py-1.5">
        <Trans>This change is being undone.</Trans>
        <Link {...to} className="font-medium text-accent underline-offset-2 hover:underline">
          <Trans>Follow it</Trans>
        </Link>
      </p>
    );
  return (
    <>
      <Button
        icon={Undo2}
        onClick={() => {
          setOpen(true);
          write.tryOut(body);
        }}
      >
        <Trans>Undo</Trans>
      </Button>
      <Dialog open={open && !begun} onClose={() => setOpen(false)} title={t`Undo this change?`} text={said(event)} wide>
        <Form
          write={write}
          does={[]} // it is offered to those who may
          submit={t`Undo`}
          onSubmit={() => write.submit(body)}
          onPlan={() => write.tryOut(body)}
          call={() => write.call(body)}
        >
          <p className="text-muted">
            {removes ? <Trans>This removes what was created.</Trans> : <Trans>This sets what was changed back to the values before:</Trans>}
          </p>
          {!removes && (
            <Facts
              rows={Object.entries(undo.body).map(([name, value]) => [
                capital(name),
                <code key={name} className="whitespace-pre-wrap">
                  {shown(value)}
                </code>,
              ])}
            />
          )}
        </Form>
      </Dialog>
    </>
  );
}
