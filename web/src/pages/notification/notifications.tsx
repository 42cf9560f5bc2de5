import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { BellRing, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Channel } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input, Select, useFieldErrors } from '../../kit/field';
import { Form } from '../../kit/form';
import { NoMail, Unconfirmed } from '../../kit/mail';
import { Empty, Facts, Failed, Section, Waiting } from '../../kit/page';
import { State, Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { capital } from '../../kit/words';
import { Deliveries } from '../webhook/deliveries';
import { Secret } from '../webhook/webhooks';
import { told } from './events';

const many = '/orgs/{organization}/notification-channels';
const one = `${many}/{notificationChannel}` as const;

type Kind = Channel['attributes']['type'];
type Told = 'deployment.failed';
const kinds: [Kind, string][] = [
  ['mail', t`Email`],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
  ['teams', 'Microsoft Teams'],
  ['telegram', 'Telegram'],
  ['ntfy', 'ntfy'],
  ['webhook', t`Webhook`],
];
const kindOf = (c: Channel) => kinds.find(([k]) => k === c.attributes.type)?.[1] ?? c.attributes.type;
const urgent = [
  'deployment.failed',
  'certificate.renewal-failed',
  'backup.failed',
  'backup.unproven',
  'server.unreachable',
  'server.reachable',
  'heartbeat.missing',
];

/** Notifications are where people are told of what needs them. */
export function Notifications() {
  const { org } = useParams({ from: '/orgs/$org' });
  const list = useList(many, { organization: org }, { query: { sort: 'name' } });
  const [adding, setAdding] = useState(false);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setAdding(true)}>
      <Trans>Add channel</Trans>
    </Button>
  );
  return (
    <Section title={t`Notifications`} plain text={t`Send alerts by email, chat or webhook.`} actions={list.rows.length > 0 ? add : undefined}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={BellRing}
          title={t`No notification channels yet`}
          text={t`Get notified when a deployment, backup or certificate renewal fails.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Channels`}
          rows={list.rows}
          id={(c) => c.id}
          more={list.more}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: (c) => (
                <Link to="/orgs/$org/settings/notifications/$channel" params={{ org, channel: c.id }} className={rowLink + ' block truncate'}>
                  {c.attributes.name}
                </Link>
              ),
            },
            { name: t`Type`, width: '9rem', cell: (c) => kindOf(c) },
            {
              name: t`Destination`,
              width: 'minmax(0,2fr)',
              cell: (c) => (
                <span className="flex min-w-0 items-center gap-2">
                  <span className="truncate text-muted">{c.attributes.target}</span>
                  <Unconfirmed of={c} />
                </span>
              ),
            },
            {
              name: t`Events`,
              width: '8rem',
              minor: true,
              cell: (c) => <span className="text-muted">{plural(c.attributes.events.length, { one: '# event', other: '# events' })}</span>,
            },
            {
              name: t`Status`,
              width: '6rem',
              cell: (c) => <State state={c.attributes.enabled ? 'active' : 'off'} text={c.attributes.enabled ? t`On` : t`Off`} />,
            },
          ]}
        />
      )}
      {adding && <Edit channel={null} onClose={() => setAdding(false)} />}
    </Section>
  );
}

function Events({ value, onChange }: { value: ReadonlySet<string>; onChange: (v: Set<string>) => void }) {
  const errors = useFieldErrors('events');
  return (
    <fieldset className="grid gap-2.5">
      <legend className="mb-2 text-base font-medium">
        <Trans>Notify when</Trans>
      </legend>
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      <div className="grid gap-2.5 sm:grid-cols-2">
        {told.map(([event, text]) => (
          <Check
            key={event}
            label={text}
            checked={value.has(event)}
            onChange={(e) => {
              const next = new Set(value);
              if (e.target.checked) next.add(event);
              else next.delete(event);
              onChange(next);
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Edit({ channel: c, onClose }: { channel: Channel | null; onClose: () => void }) {
  const { org } = useParams({ from: '/orgs/$org' });
  const [kind, setKind] = useState<Kind>(c?.attributes.type ?? 'mail');
  const [name, setName] = useState(c?.attributes.name ?? '');
  const [events, setEvents] = useState<ReadonlySet<string>>(new Set(c?.attributes.events ?? urgent));
  const [enabled, setEnabled] = useState(c?.attributes.enabled ?? true);
  const [where, setWhere] = useState({ address: c?.attributes.type === 'mail' ? c.attributes.target : '', url: '', token: '', chat: '', topic: '' });
  const [secret, setSecret] = useState<string | null>(null);
  const make = useWrite('post', many, { organization: org }, (a) => (a.data.meta?.shown_once?.secret ? setSecret(a.data.meta.shown_once.secret) : onClose()));
  const change = useWrite('put', one, { organization: org, notificationChannel: c?.id ?? '' }, onClose);
  const write = c ? change : make;
  const fields = {
    mail: ['address'],
    slack: ['url'],
    discord: ['url'],
    teams: ['url'],
    webhook: ['url'],
    telegram: ['token', 'chat'],
    ntfy: ['topic', 'url', 'token'],
  }[kind] as (keyof typeof where)[];
  const said = () => Object.fromEntries(fields.filter((f) => where[f].trim()).map((f) => [f, where[f].trim()]));
  const body = () => ({ name: name.trim(), type: kind, events: [...events] as Told[], enabled, ...said() });
  const changed = () => ({ name: name.trim(), events: [...events] as Told[], enabled, ...said() });
  const set = (f: keyof typeof where) => (e: { target: { value: string } }) => setWhere({ ...where, [f]: e.target.value });
  const hidden = () => Object.fromEntries(Object.entries(said()).map(([k, v]) => [k, k === 'address' || k === 'chat' ? v : '…']));
  if (secret) return <Secret secret={secret} onClose={onClose} />;
  const kept = c ? t`Unchanged` : undefined;
  const text = (f: keyof typeof where) => ({ name: f, autoComplete: 'off', spellCheck: false, value: where[f], onChange: set(f), className: 'font-mono' });
  return (
    <Dialog open onClose={onClose} title={c ? t`Edit ${c.attributes.name}` : t`Add channel`} wide>
      <Form
        write={write}
        submit={c ? t`Save` : t`Add channel`}
        onSubmit={() => (c ? change.submit(changed()) : make.submit(body()))}
        call={() => (c ? change.call({ ...changed(), ...hidden() }) : make.call({ ...body(), ...hidden() }))}
      >
        {kind === 'mail' && <NoMail instead={t`Use a chat or a webhook until there is one.`} />}
        <div className="grid gap-5 sm:grid-cols-2">
          {!c && <Select label={t`Type`} name="type" value={kind} onChange={(e) => setKind(e.target.value as Kind)} options={kinds} />}
          <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`On call`} />
          {kind === 'mail' && <Input label={t`Email`} type="email" {...text('address')} placeholder="oncall@example.com" />}
          {kind === 'telegram' && <Input label={t`Chat`} {...text('chat')} placeholder={kept ?? '-1001234567890'} hint={t`Chat ID or @channel.`} />}
          {kind === 'ntfy' && (
            <Input label={t`Topic`} {...text('topic')} placeholder={kept ?? 'alerts_7f3a'} hint={t`Anyone who knows the topic can read its messages.`} />
          )}
        </div>
        {fields.includes('url') && (
          <Input
            label={kind === 'ntfy' ? t`Server` : t`URL`}
            inputMode="url"
            {...text('url')}
            placeholder={
              kept ??
              {
                slack: 'https://hooks.slack.com/services/…',
                discord: 'https://discord.com/api/webhooks/…',
                ntfy: 'https://ntfy.sh',
                teams: 'https://…',
                webhook: 'https://alerts.example.com/hostler',
                mail: '',
                telegram: '',
              }[kind]
            }
            hint={kind === 'webhook' ? t`Messages are sent as signed POST requests.` : t`Stored encrypted and never shown again.`}
          />
        )}
        {fields.includes('token') && (
          <Input
            label={kind === 'telegram' ? t`Bot token` : t`Access token`}
            {...text('token')}
            type="password"
            autoComplete="new-password"
            placeholder={kept}
            hint={kind === 'ntfy' ? t`Only if the topic requires one.` : undefined}
          />
        )}
        <Events value={events} onChange={setEvents} />
        {c && (
          <Check label={t`On`} hint={t`When off, the channel is kept but sends nothing.`} checked={enabled} onChange={(e) => setEnabled(e.target.checked)} />
        )}
      </Form>
    </Dialog>
  );
}

export function ChannelPage() {
  const { org, channel } = useParams({ from: '/orgs/$org/settings/notifications/$channel' });
  const navigate = useNavigate();
  const at = { organization: org, notificationChannel: channel };
  const doc = useGet(one, at);
  const [editing, setEditing] = useState(false);
  const [removing, setRemoving] = useState(false);
  const write = useWrite('delete', one, at, () => void navigate({ to: '/orgs/$org/settings/notifications', params: { org } }));
  const c = doc.data?.data;
  if (!c) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = c.attributes;
  return (
    <div className="grid min-w-0 gap-6">
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <p className="text-sm text-muted">
            <Link to="/orgs/$org/settings/notifications" params={{ org }} className="hover:text-text hover:underline">
              <Trans>All channels</Trans>
            </Link>
          </p>
          <h2 className="text-xl font-semibold [overflow-wrap:anywhere]">{a.name}</h2>
        </div>
        <span className="flex flex-wrap gap-2">
          <Button icon={Pencil} does={`put ${one}`} onClick={() => setEditing(true)}>
            <Trans>Edit</Trans>
          </Button>
          <Button look="remove" icon={Trash2} does={`delete ${one}`} onClick={() => setRemoving(true)}>
            <Trans>Delete</Trans>
          </Button>
        </span>
      </div>
      <Facts
        rows={[
          [t`Status`, <State key="s" state={a.enabled ? 'active' : 'off'} text={a.enabled ? t`On` : t`Off`} />],
          [t`Type`, kindOf(c)],
          [t`Destination`, a.target],
          [t`Notify when`, capital(a.events.map((e) => told.find(([k]) => k === e)?.[1].replace(/^A /, 'a ') ?? e).join(', '))],
          [t`Added`, <Time key="t" at={a.created_at} />],
        ]}
      />
      <Deliveries path={`${one}/deliveries`} params={at} text={t`Notifications sent in the last 30 days.`} />
      {editing && <Edit channel={c} onClose={() => setEditing(false)} />}
      {removing && (
        <ConfirmName
          open
          onClose={() => setRemoving(false)}
          title={t`Delete ${a.name}?`}
          name={a.name}
          submit={t`Delete channel`}
          what={t`This channel stops receiving notifications. Pending deliveries are discarded.`}
          removal={{ ...write, submit: () => write.submit() }}
          call={() => write.call()}
        />
      )}
    </div>
  );
}
