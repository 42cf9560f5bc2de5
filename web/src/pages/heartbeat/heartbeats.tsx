import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { HeartPulse, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useLacked } from '../../api/may';
import { useList, useWrite } from '../../api/query';
import type { Heartbeat } from '../../api/types';
import { Button } from '../../kit/button';
import { Code, CopyButton } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { permissionNamed } from '../../kit/words';
import { useAt } from '../site/at';

export const many = '/orgs/{organization}/servers/{server}/sites/{site}/heartbeats';
const one = `${many}/{heartbeat}` as const;

const words: Record<string, string> = { pending: t`Waiting for first ping`, beating: t`On time`, missing: t`Missing` };
const frequencies = [
  ['1', t`Every minute`],
  ['5', t`Every 5 minutes`],
  ['10', t`Every 10 minutes`],
  ['30', t`Every 30 minutes`],
  ['60', t`Every hour`],
  ['1440', t`Every day`],
  ['10080', t`Every week`],
  ['312480', t`Every month`],
  ['-1', t`Custom (cron)`],
] as const;
export const graces = [
  ['1', t`1 minute`],
  ['2', t`2 minutes`],
  ['5', t`5 minutes`],
  ['10', t`10 minutes`],
  ['30', t`30 minutes`],
  ['60', t`1 hour`],
] as const;
const often = (h: Heartbeat) => h.attributes.custom_frequency || frequencies.find(([v]) => v === String(h.attributes.frequency))?.[1];

/** Heartbeats are calls that have to come: what is not called in time is told. */
export function Heartbeats() {
  const { params } = useAt();
  const list = useList(many, params, { every: 15_000 });
  const lacks = useLacked(`post ${many}`);
  const [editing, setEditing] = useState<Heartbeat | 'new' | null>(null);
  const [removing, setRemoving] = useState<Heartbeat | null>(null);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setEditing('new')}>
      <Trans>New heartbeat</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Heartbeats`}
      plain
      text={t`Jobs ping a URL when they finish. Hostler alerts you when a ping is late.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={HeartPulse}
          title={t`No heartbeats yet`}
          text={t`Jobs can fail silently. Add a ping to a job, and Hostler alerts you when it is missing.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Heartbeats`}
          rows={list.rows}
          id={(h) => h.id}
          more={list.more}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: (h) => (
                <span className="grid">
                  <span className="truncate font-medium">{h.attributes.name}</span>
                  {h.attributes.ping_url && (
                    <span className="flex min-w-0 items-center gap-1 text-sm text-muted">
                      <span className="truncate font-mono">{h.attributes.ping_url.replace(/^https?:\/\//, '')}</span>
                      <CopyButton text={h.attributes.ping_url} label={t`Copy the ping URL of ${h.attributes.name}`} />
                    </span>
                  )}
                </span>
              ),
            },
            {
              name: t`Status`,
              width: '12rem',
              cell: (h) => (
                <State
                  state={h.attributes.status ?? 'unknown'}
                  tone={h.attributes.status === 'pending' ? 'idle' : undefined}
                  text={h.attributes.status ? words[h.attributes.status] : t`Unknown (Hostler was offline)`}
                />
              ),
            },
            {
              name: t`Schedule`,
              width: '9rem',
              minor: 'table',
              named: true,
              cell: (h) => <span className={h.attributes.custom_frequency ? 'font-mono text-sm' : ''}>{often(h)}</span>,
            },
            {
              name: t`Last ping`,
              width: '7rem',
              minor: true,
              cell: (h) => (
                <span className="text-muted">
                  <Time at={h.meta?.heartbeat?.last_ping_at} ago />
                </span>
              ),
            },
            {
              name: t`Edit`,
              width: '8rem',
              end: true,
              cell: (h) => (
                <span className="flex gap-1">
                  <Button look="quiet" does={`put ${one}`} onClick={() => setEditing(h)} aria-label={t`Edit ${h.attributes.name}`}>
                    <Trans>Edit</Trans>
                  </Button>
                  <Button look="quiet" only icon={Trash2} does={`delete ${one}`} onClick={() => setRemoving(h)}>{t`Delete ${h.attributes.name}`}</Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {lacks && list.rows.length > 0 && <p className="text-sm text-muted">{t`You need the permission ${permissionNamed(lacks)} to view ping URLs.`}</p>}
      {editing && <Edit heartbeat={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <Remove heartbeat={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Edit({ heartbeat: h, onClose }: { heartbeat: Heartbeat | null; onClose: () => void }) {
  const { params } = useAt();
  const [name, setName] = useState(h?.attributes.name ?? '');
  const [frequency, setFrequency] = useState(String(h?.attributes.frequency ?? 1440));
  const [cron, setCron] = useState(h?.attributes.custom_frequency ?? '');
  const [grace, setGrace] = useState(String(h?.attributes.grace_period ?? 5));
  const [url, setURL] = useState<string | null>(null);
  const make = useWrite('post', many, params, (a) => (a.data.attributes.ping_url ? setURL(a.data.attributes.ping_url) : onClose()));
  const change = useWrite('put', one, { ...params, heartbeat: h?.id ?? '' }, onClose);
  const write = h ? change : make;
  const custom = frequency === '-1';
  const body = () => ({
    name: name.trim(),
    frequency: Number(frequency) as 1,
    grace_period: Number(grace) as 5,
    custom_frequency: custom ? cron.trim() : undefined,
  });
  return (
    <Dialog open onClose={onClose} title={url ? t`Add the ping to the job` : h ? t`Edit ${h.attributes.name}` : t`New heartbeat`} wide={!!url}>
      {url ? (
        <div className="grid gap-4">
          <p>
            <Trans>Add this to the end of the job, so that it runs only on success. Alerts start after the first ping.</Trans>
          </p>
          <Code text={`&& curl -fsS --max-time 10 ${url}`} label={t`Ping command`} wrap />
          <div>
            <Button look="primary" onClick={onClose}>
              <Trans>Done</Trans>
            </Button>
          </div>
        </div>
      ) : (
        <Form write={write} submit={h ? t`Save` : t`Create heartbeat`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
          <Input
            label={t`Name`}
            name="name"
            autoFocus
            autoComplete="off"
            value={name}
            onChange={(e) => setName(e.target.value)}
            placeholder={t`Nightly import`}
          />
          <div className="grid gap-5 sm:grid-cols-2">
            <Select label={t`Schedule`} name="frequency" value={frequency} onChange={(e) => setFrequency(e.target.value)} options={frequencies} />
            <Select label={t`Grace period`} name="grace_period" value={grace} onChange={(e) => setGrace(e.target.value)} options={graces} />
          </div>
          {custom && (
            <Input
              label={t`Cron`}
              name="custom_frequency"
              value={cron}
              onChange={(e) => setCron(e.target.value)}
              code
              placeholder="0 3 * * 1-5"
              hint={t`Minute, hour, day, month, weekday, in the server's time zone.`}
            />
          )}
        </Form>
      )}
    </Dialog>
  );
}

function Remove({ heartbeat: h, onClose }: { heartbeat: Heartbeat; onClose: () => void }) {
  const { params } = useAt();
  const write = useWrite('delete', one, { ...params, heartbeat: h.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${h.attributes.name}?`}
      name={h.attributes.name}
      submit={t`Delete heartbeat`}
      what={t`Its ping URL stops working immediately, and missing pings no longer trigger alerts.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}
