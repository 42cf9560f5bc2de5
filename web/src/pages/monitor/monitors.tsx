import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Activity, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Monitor } from '../../api/types';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Choice, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { NoMail, Unconfirmed, useMails } from '../../kit/mail';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Pill, State, soonAny, Time } from '../../kit/state';
import { Table } from '../../kit/table';

const base = '/orgs/{organization}/servers/{server}/monitors';
const one = `${base}/{monitor}` as const;
const types = {
  cpu_load: t`CPU load`,
  disk: t`Disk space`,
  inodes: t`Inodes`,
  used_memory: t`Used memory`,
  free_memory: t`Free memory`,
  certificate_days: t`Certificates`,
  reboot_required: t`Pending reboot`,
  url: 'URL',
} as const;
type Type = keyof typeof types;
const states = { OK: 'good', ALERT: 'bad', UNKNOWN: 'idle' } as const;

/** ruled is what a type takes where it does not take any threshold: certificates are near their end, a reboot is pending or not, and a URL fails or not. */
const ruled: Partial<Record<Type, { operator: 'gte' | 'lte'; threshold: string; hint: string }>> = {
  certificate_days: { operator: 'lte', threshold: '14', hint: t`Days until the server's next certificate expires.` },
  reboot_required: { operator: 'gte', threshold: '1', hint: '' },
  url: { operator: 'gte', threshold: '1', hint: '' },
};
/** bare are the types that take no threshold. */
const bare: readonly Type[] = ['reboot_required', 'url'];

const condition = (m: Monitor) => {
  const { type, operator, threshold, minutes } = m.attributes;
  const said: Partial<Record<Type, string>> = { reboot_required: t`Reboot required`, url: t`${m.meta?.monitor?.url ?? ''} fails` };
  const sign = operator === 'gte' ? '≥' : '≤';
  const when = said[type as Type] ?? (type === 'certificate_days' ? t`${sign} ${threshold} days` : `${sign} ${threshold}${ruled[type as Type] ? '' : '%'}`);
  return (minutes ?? 1) > 1 ? t`${when} for ${minutes!} min` : when;
};

/** Monitors is the thresholds of what a server measures of itself. */
export function Monitors() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const params = { organization: org, server };
  const [editing, setEditing] = useState<Monitor | 'new' | null>(null);
  useDeed('add', () => setEditing('new'));
  const [removing, setRemoving] = useState<Monitor | null>(null);
  const list = useList(base, params, { every: soonAny });
  const mails = useMails();
  const add = (
    <Button look="primary" icon={Plus} does={`post ${base}`} onClick={() => setEditing('new')}>
      <Trans>Add monitor</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Monitors`}
      plain
      text={mails ? t`Checked every minute. You get an email when a threshold is crossed and again when the value recovers.` : t`Checked every minute.`}
      actions={list.rows.length > 0 && add}
    >
      <NoMail instead={t`Alerts appear on Home. Add a notification channel to get them in a chat.`} />
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={Activity}
          title={t`No monitors`}
          text={t`Get notified when the disk fills up, memory runs low, the CPU is overloaded, a certificate is about to expire, a reboot is pending or a URL stops responding.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Monitors`}
          rows={list.rows}
          id={(m) => m.id}
          more={list.more}
          footer={plural(list.rows.length, { one: '# monitor', other: '# monitors' })}
          columns={[
            {
              name: t`Metric`,
              width: 'minmax(0,1.2fr)',
              cell: (m) => <span className="block truncate font-medium">{types[m.attributes.type as Type]}</span>,
            },
            { name: t`Alerts at`, width: 'minmax(0,1.2fr)', named: true, cell: (m) => <span className="block truncate">{condition(m)}</span> },
            { name: t`State`, width: '7rem', cell: (m) => <Pill tone={states[m.attributes.state]}>{m.attributes.state}</Pill> },
            { name: t`Since`, width: '7rem', minor: true, cell: (m) => <Time at={m.attributes.state_changed_at} ago /> },
            {
              name: t`Recipient`,
              width: 'minmax(0,1.5fr)',
              minor: true,
              cell: (m) => (
                <span className="flex min-w-0 items-center gap-2">
                  <span className="truncate">{m.attributes.notify}</span>
                  <Unconfirmed of={m} />
                </span>
              ),
            },
            { name: t`Status`, width: '8rem', minor: 'table', cell: (m) => <State state={m.attributes.status ?? 'unknown'} /> },
            {
              name: t`Edit`,
              width: '5rem',
              end: true,
              cell: (m) => (
                <span className="flex">
                  <Button
                    look="quiet"
                    only
                    icon={Pencil}
                    does={`put ${one}`}
                    title={t`Edit the monitor of ${types[m.attributes.type as Type]}`}
                    onClick={() => setEditing(m)}
                  >{t`Edit the monitor of ${types[m.attributes.type as Type]}`}</Button>
                  <Button
                    look="quiet"
                    only
                    icon={Trash2}
                    does={`delete ${one}`}
                    title={t`Remove the monitor of ${types[m.attributes.type as Type]}`}
                    onClick={() => setRemoving(m)}
                  >{t`Remove the monitor of ${types[m.attributes.type as Type]}`}</Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && <EditMonitor params={params} monitor={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <RemoveMonitor params={params} monitor={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function EditMonitor({ params, monitor, onClose }: { params: { organization: string; server: string }; monitor: Monitor | null; onClose: () => void }) {
  const now = monitor?.attributes;
  const [type, setType] = useState<Type>((now?.type as Type | undefined) ?? 'disk');
  const [operator, setOperator] = useState<'gte' | 'lte'>(now?.operator ?? 'gte');
  const [threshold, setThreshold] = useState(String(now?.threshold ?? 90));
  const [minutes, setMinutes] = useState(String(now ? (now.minutes ?? 1) : 5));
  const [notify, setNotify] = useState(now?.notify ?? '');
  const [url, setURL] = useState(monitor?.meta?.monitor?.url ?? '');
  const make = useWrite('post', base, params, onClose);
  const change = useWrite('put', one, { ...params, monitor: monitor?.id ?? '' }, onClose);
  const write = monitor ? change : make;
  const values = () => ({
    operator,
    threshold: Number(threshold),
    minutes: Number(minutes),
    notify: notify.trim(),
    ...(type === 'url' && { url: url.trim() }),
  });
  const submit = () => (monitor ? change.submit(values()) : make.submit({ type, ...values() }));
  const tryOut = () => (monitor ? change.tryOut(values()) : make.tryOut({ type, ...values() }));
  const call = () => (monitor ? change.call(values()) : make.call({ type, ...values() }));
  const rule = ruled[type];
  const choose = (next: Type) => {
    setType(next);
    if (!ruled[next] && !rule) return;
    setOperator(ruled[next]?.operator ?? 'gte');
    setThreshold(ruled[next]?.threshold ?? '90');
  };
  return (
    <Dialog open onClose={onClose} title={monitor ? t`Edit the monitor of ${types[type]}` : t`Add a monitor`} wide={!!write.plan}>
      <Form write={write} submit={monitor ? t`Save` : t`Add monitor`} onSubmit={submit} onPlan={tryOut} call={call}>
        {!monitor && <Select label={t`Metric`} name="type" value={type} onChange={(e) => choose(e.target.value as Type)} options={Object.entries(types)} />}
        {!rule && (
          <Choice
            legend={t`Alert`}
            name="operator"
            value={operator}
            onChange={setOperator}
            options={[
              { value: 'gte', title: t`At or above` },
              { value: 'lte', title: t`At or below` },
            ]}
          />
        )}
        {type === 'url' && (
          <Input
            label={t`URL`}
            name="url"
            type="url"
            value={url}
            onChange={(e) => setURL(e.target.value)}
            placeholder="https://example.com/up"
            hint={t`Hostler requests it from outside. It fails with a status of 400 or more, an invalid certificate, or no answer within 10 seconds.`}
          />
        )}
        <div className="grid gap-5 sm:grid-cols-2">
          {!bare.includes(type) && (
            <Input
              label={t`Threshold`}
              name="threshold"
              type="number"
              step="any"
              min={0}
              value={threshold}
              onChange={(e) => setThreshold(e.target.value)}
              hint={rule?.hint ?? t`Percent.`}
            />
          )}
          <Input label={t`For (minutes)`} name="minutes" type="number" min={1} max={60} value={minutes} onChange={(e) => setMinutes(e.target.value)} />
        </div>
        <Input label={t`Recipient`} name="notify" type="email" autoComplete="email" value={notify} onChange={(e) => setNotify(e.target.value)} />
      </Form>
    </Dialog>
  );
}

function RemoveMonitor({ params, monitor, onClose }: { params: { organization: string; server: string }; monitor: Monitor; onClose: () => void }) {
  const write = useWrite('delete', one, { ...params, monitor: monitor.id }, onClose);
  const name = types[monitor.attributes.type as Type];
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={t`Remove the monitor of ${name}?`}
      name={name}
      submit={t`Remove monitor`}
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
      what={<Trans>{condition(monitor)} is no longer monitored.</Trans>}
    />
  );
}
