// What was sent to somebody else's program: the same for a site's webhooks and for notification channels.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { RotateCw, Send } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Delivery } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { Dialog } from '../../kit/dialog';
import { Empty, Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { Pill, State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { eventWord } from '../notification/events';

type Path =
  | '/orgs/{organization}/notification-channels/{notificationChannel}/deliveries'
  | '/orgs/{organization}/servers/{server}/sites/{site}/webhooks/{deploymentWebhook}/deliveries';
type Known = '/orgs/{organization}/notification-channels/{notificationChannel}/deliveries';
const open = (rows: Delivery[]) => (rows.some((d) => d.attributes.state === 'pending') ? 2_000 : 15_000);

function DeliveryState({ d }: { d: Delivery }) {
  const again = d.attributes.state === 'pending' && d.attributes.attempts > 0;
  return <State state={d.attributes.state} tone={again ? 'warn' : undefined} text={again ? t`Retrying` : undefined} />;
}

export function Deliveries({ path, params, text }: { path: Path; params: Record<string, string>; text: string }) {
  const list = useList(path as Known, params, { query: { sort: '-created_at' }, every: open });
  const test = useWrite('post', path as Known, params);
  const [looking, setLooking] = useState<string | null>(null);
  const shown = list.rows.find((d) => d.id === looking);
  const send = <Action write={test} icon={Send}>{t`Send test`}</Action>;
  return (
    <Section title={t`Deliveries`} plain text={text} actions={list.rows.length > 0 ? send : undefined}>
      {test.error && (
        <Notice tone="bad" role="alert">
          {test.error.message}
        </Notice>
      )}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Send} title={t`No deliveries yet`} text={t`Send a test to see the request and the response.`} action={send} />
      ) : (
        <Table
          label={t`Deliveries`}
          rows={list.rows}
          id={(d) => d.id}
          more={list.more}
          columns={[
            { name: t`Event`, width: 'minmax(0,2fr)', cell: (d) => <span className="block truncate font-medium">{eventWord(d.attributes.event)}</span> },
            { name: t`Status`, width: '9rem', cell: (d) => <DeliveryState d={d} /> },
            {
              name: t`Response`,
              width: 'minmax(0,2fr)',
              minor: 'table',
              named: true,
              cell: (d) =>
                d.attributes.status_code ? (
                  <Pill tone={d.attributes.status_code < 300 ? 'good' : 'bad'}>{d.attributes.status_code}</Pill>
                ) : (
                  <span className="block truncate text-muted">{d.attributes.failure ?? t`None yet`}</span>
                ),
            },
            {
              name: t`Time`,
              width: '7rem',
              cell: (d) => (
                <span className="text-muted">
                  <Time at={d.attributes.created_at} ago />
                </span>
              ),
            },
            {
              name: t`Details`,
              width: '5rem',
              end: true,
              cell: (d) => (
                <Button look="quiet" onClick={() => setLooking(d.id)} aria-label={t`Details of ${eventWord(d.attributes.event)} ${d.id}`}>
                  <Trans>Details</Trans>
                </Button>
              ),
            },
          ]}
        />
      )}
      {shown && <Look d={shown} path={path} params={params} onClose={() => setLooking(null)} />}
    </Section>
  );
}

/** pretty is JSON for people; anything else is shown as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Look({ d, path, params, onClose }: { d: Delivery; path: Path; params: Record<string, string>; onClose: () => void }) {
  const again = useWrite('post', `${path}/{delivery}/redeliver` as `${Known}/{delivery}/redeliver`, { ...params, delivery: d.id }, onClose);
  const a = d.attributes;
  return (
    <Dialog open onClose={onClose} title={eventWord(a.event)} wide>
      <div className="grid gap-4">
        <Facts
          rows={[
            [t`Status`, <DeliveryState key="s" d={d} />],
            [t`Attempts`, a.attempts],
            [t`Response`, a.status_code],
            [t`Started`, <Time key="t" at={a.created_at} />],
            a.next_attempt_at ? [t`Next attempt`, <Time key="n" at={a.next_attempt_at} ago />] : [t`Finished`, a.ended_at && <Time key="e" at={a.ended_at} />],
            [
              t`Message`,
              <span key="m" className="font-mono text-sm">
                {a.message_id}
              </span>,
            ],
          ]}
        />
        {a.failure && <Notice tone={a.state === 'failed' ? 'bad' : 'warn'}>{a.failure}</Notice>}
        <div className="grid gap-1.5">
          <h3 className="font-medium">
            <Trans>Request</Trans>
          </h3>
          <Code text={pretty(a.payload)} label={t`Request`} wrap />
        </div>
        {a.response && (
          <div className="grid gap-1.5">
            <h3 className="font-medium">
              <Trans>Response</Trans>
            </h3>
            <Code text={a.response} label={t`Response`} wrap />
          </div>
        )}
        {again.error && (
          <Notice tone="bad" role="alert">
            {again.error.message}
          </Notice>
        )}
        <div>
          <Action write={again} icon={RotateCw} disabled={a.state === 'pending'} why={t`Delivery is still being retried.`}>{t`Redeliver`}</Action>
        </div>
      </div>
    </Dialog>
  );
}
