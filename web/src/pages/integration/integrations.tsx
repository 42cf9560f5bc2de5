import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Operation } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Notice, Section } from '../../kit/page';
import { active, State } from '../../kit/state';
import { Work } from '../../kit/work';
import { domains } from '../domain/domains';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const base = '/orgs/{organization}/servers/{server}/sites/{site}/integrations';

interface Kind {
  kind: string;
  title: string;
  text: string;
  /** made is what is taken away when it is switched off. */
  made: string;
  installed: string;
}
const daemon = {
  made: t`Its background process and its line in the deploy script are removed.`,
};
const kinds: Kind[] = [
  {
    ...daemon,
    kind: 'horizon',
    title: 'Horizon',
    text: t`Keeps queue workers running and restarts them after each deployment.`,
    installed: 'horizon_installed',
  },
  { ...daemon, kind: 'octane', title: 'Octane', text: t`Keeps the application in memory and serves requests from it.`, installed: 'octane_installed' },
  { ...daemon, kind: 'reverb', title: 'Reverb', text: t`WebSockets at one of the site's domains.`, installed: 'reverb_installed' },
  { ...daemon, kind: 'pulse', title: 'Pulse', text: t`Monitors the application's performance.`, installed: 'pulse_installed' },
  { ...daemon, kind: 'inertia', title: t`Inertia SSR`, text: t`Renders pages on the server.`, installed: 'inertia_installed' },
  {
    kind: 'laravel-scheduler',
    title: t`Scheduler`,
    text: t`Runs the application's scheduled tasks every minute.`,
    installed: 'laravel_installed',
    made: t`Its scheduled job is deleted.`,
  },
  {
    kind: 'laravel-maintenance',
    title: t`Maintenance page`,
    text: t`Visitors see a maintenance page.`,
    installed: 'laravel_installed',
    made: t`Visitors see the site again.`,
  },
];

/** Integrations are what a site's program brings with it and Hostler keeps running. */
export function Integrations() {
  const { params } = useAt();
  // One question first: a server that does not answer says so once, and not once for each.
  const first = useGet(`${base}/horizon`, params, { quiet: true });
  return (
    <Section title={t`Integrations`} plain text={t`Integrations for packages found in the composer.lock of the live release.`}>
      {first.error && !first.data ? (
        <Notice
          tone="bad"
          role="alert"
          action={
            <Button onClick={() => void first.refetch()}>
              <Trans>Try again</Trans>
            </Button>
          }
        >
          {first.error.message}
        </Notice>
      ) : (
        <ul className="panel divide-y divide-line">
          {kinds.map((k) => (
            <Row key={k.kind} k={k} />
          ))}
        </ul>
      )}
    </Section>
  );
}

interface Answer {
  data: { attributes: Record<string, unknown>; meta?: { operation?: Operation } };
  included?: { id: string; type: string }[];
}

function Row({ k }: { k: Kind }) {
  const { org, params, to } = useAt();
  const path = `${base}/${k.kind}` as `${typeof base}/horizon`;
  const doc = useGet(path, params, { quiet: true, every: (d: Answer) => (active(d.data.meta?.operation) ? 2_000 : 30_000) });
  const [asking, setAsking] = useState<'on' | 'off' | null>(null);
  const close = () => setAsking(null);
  const on = useWrite('post', path, params, close);
  const off = useWrite('delete', path, params, close);
  const d = doc.data as unknown as Answer | undefined;
  const a = d?.data.attributes ?? {};
  const operation = d?.data.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const busy = active(operation);
  const enabled = a.enabled === true || a.enabled === 'true';
  const installed = a[k.installed] === true;
  const process = d?.included?.find((i) => i.type === 'backgroundProcesses');
  const asks = k.kind === 'octane' || k.kind === 'reverb' || k.kind === 'laravel-maintenance';
  const program = k.installed === 'laravel_installed' ? 'Laravel' : k.title;
  const why = busy ? t`A change is in progress.` : t`${program} is not in the site's composer.lock.`;
  return (
    <li className="grid gap-2 px-5 py-4">
      <div className="flex flex-wrap items-center gap-x-5 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h3 className="font-medium">
            {process ? (
              <Link to="/orgs/$org/sites/$site/processes/$process" params={{ ...to, process: process.id }} className="hover:underline">
                {k.title}
              </Link>
            ) : (
              k.title
            )}
          </h3>
          <p className="text-sm text-muted">{k.text}</p>
        </div>
        <span className="w-44 max-md:w-auto">
          {!d ? (
            <State state={doc.error ? 'unknown' : 'pending'} text={doc.error ? t`Unknown` : t`Checking`} tone="idle" />
          ) : busy ? (
            <State state="running" text={operation?.step ?? t`Updating`} />
          ) : enabled ? (
            <State state="active" text={t`On`} />
          ) : installed ? (
            <State state="off" text={t`Off`} />
          ) : (
            <State state="off" text={t`${program} is not installed`} />
          )}
        </span>
        {enabled ? (
          <Button does={off.operation} disabled={busy} why={t`A change is in progress.`} onClick={() => setAsking('off')} aria-label={t`Turn off ${k.title}`}>
            <Trans>Turn off</Trans>
          </Button>
        ) : asks ? (
          <Button does={on.operation} disabled={!installed || busy} why={why} onClick={() => setAsking('on')} aria-label={t`Turn on ${k.title}`}>
            <Trans>Turn on</Trans>
          </Button>
        ) : (
          <Action write={on} disabled={!installed || busy} why={why} label={t`Turn on ${k.title}`}>{t`Turn on`}</Action>
        )}
      </div>
      {on.error && !asking && (
        <Notice tone="bad" role="alert">
          {on.error.message}
        </Notice>
      )}
      {doc.error && <Notice tone="bad">{doc.error.message}</Notice>}
      {operation?.state === 'failed' && <Work operation={operation} org={org} server={params.server} line={last} />}
      {asking === 'off' && (
        <ConfirmName
          open
          easy
          onClose={close}
          title={t`Turn off ${k.title}?`}
          name={k.title}
          submit={t`Turn off`}
          what={k.made}
          removal={{ ...off, submit: () => off.submit() }}
          call={() => off.call()}
        />
      )}
      {asking === 'on' &&
        (k.kind === 'laravel-maintenance' ? <Maintenance onClose={close} /> : <Port kind={k.kind as 'octane' | 'reverb'} title={k.title} onClose={close} />)}
    </li>
  );
}

const servers = [
  ['frankenphp', 'FrankenPHP'],
  ['roadrunner', 'RoadRunner'],
  ['swoole', 'Swoole'],
] as const;

function Port({ kind, title, onClose }: { kind: 'octane' | 'reverb'; title: string; onClose: () => void }) {
  const { site, params } = useAt();
  const [port, setPort] = useState(kind === 'octane' ? '8000' : '8080');
  const [server, setServer] = useState<string>('frankenphp');
  const [host, setHost] = useState(site.attributes.name);
  const [connections, setConnections] = useState('1000');
  const names = useList(domains, params, { enabled: kind === 'reverb', all: true });
  const octane = useWrite('post', `${base}/octane`, params, onClose);
  const reverb = useWrite('post', `${base}/reverb`, params, onClose);
  const write = kind === 'octane' ? octane : reverb;
  const one = () => ({ port: port.trim(), server: server as 'swoole' });
  const other = () => ({ port: port.trim(), host, connections: Number(connections) });
  return (
    <Dialog open onClose={onClose} title={t`Turn on ${title}`}>
      <Form
        write={write}
        submit={t`Turn on`}
        onSubmit={() => (kind === 'octane' ? octane.submit(one()) : reverb.submit(other()))}
        call={() => (kind === 'octane' ? octane.call(one()) : reverb.call(other()))}
      >
        {kind === 'octane' ? (
          <Select label={t`Server`} name="server" value={server} onChange={(e) => setServer(e.target.value)} options={servers} />
        ) : (
          <Select
            label={t`Domain`}
            name="host"
            value={host}
            onChange={(e) => setHost(e.target.value)}
            options={[...new Set([site.attributes.name, ...names.rows.map((d) => d.attributes.name)])].map((n) => [n, n] as const)}
            hint={t`Clients connect at /app.`}
          />
        )}
        <Input
          label={t`Port`}
          name="port"
          inputMode="numeric"
          autoComplete="off"
          value={port}
          onChange={(e) => setPort(e.target.value)}
          className="font-mono"
          hint={t`1024 to 65535. Reachable only by nginx on this server.`}
        />
        {kind === 'reverb' && (
          <Input
            label={t`Concurrent connections`}
            name="connections"
            type="number"
            inputMode="numeric"
            min={1}
            max={50000}
            value={connections}
            onChange={(e) => setConnections(e.target.value)}
          />
        )}
      </Form>
    </Dialog>
  );
}

const answers = [
  ['503', '503 Service Unavailable'],
  ['307', '307 Temporary Redirect'],
  ['304', '304 Not Modified'],
  ['410', '410 Gone'],
] as const;

function Maintenance({ onClose }: { onClose: () => void }) {
  const { site, params } = useAt();
  const [status, setStatus] = useState('503');
  const [redirect, setRedirect] = useState('');
  const [secret, setSecret] = useState('');
  const write = useWrite('post', `${base}/laravel-maintenance`, params, onClose);
  const body = () => ({ status: Number(status) as 503, redirect: redirect.trim() || null, secret: secret.trim() || null });
  return (
    <Dialog open onClose={onClose} title={t`Turn on maintenance mode for ${site.attributes.name}`} text={t`Visitors see it until you turn it off.`}>
      <Form write={write} submit={t`Turn on`} onSubmit={() => write.submit(body())} call={() => write.call({ ...body(), secret: secret ? '…' : null })}>
        <Select label={t`Response status`} name="status" value={status} onChange={(e) => setStatus(e.target.value)} options={answers} />
        <Input
          label={t`Redirect to`}
          name="redirect"
          value={redirect}
          onChange={(e) => setRedirect(e.target.value)}
          code
          placeholder="/soon"
          hint={t`Optional. A path of the site; leave blank to show the maintenance page.`}
        />
        <Input
          label={t`Bypass path`}
          name="secret"
          value={secret}
          onChange={(e) => setSecret(e.target.value)}
          code
          hint={t`Visiting this path gives access to the site while it is down.`}
        />
      </Form>
    </Dialog>
  );
}
