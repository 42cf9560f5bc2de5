import { Link, useParams } from '@tanstack/react-router';
import { CircleCheck, Plus, RotateCw, Server as ServerIcon } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { useList } from '../../api/query';
import type { Attention } from '../../api/types';
import { Button, ButtonLink } from '../../kit/button';
import { Empty, Failed, Page, Section, Waiting } from '../../kit/page';
import { active, State, Time } from '../../kit/state';
import { because, type Tone } from '../../kit/words';
import { EventTable, serverOf, withActors } from '../event/table';
import { GetStarted, useChecklist } from './checklist';

const Reboot = lazy(() => import('../server/reboot')); // with the dialog, which the first screen is shown without

const link = 'shrink-0 font-medium text-accent underline-offset-2 hover:underline';

interface Said {
  tone: Tone;
  text: (a: Attention) => ReactNode;
  action: string;
}

// What is said of each kind, and where the way out begins.
const said: Record<Attention['kind'], Said> = {
  'server-host-key-changed': {
    tone: 'bad',
    text: () => 'Its SSH host keys changed, so Hostler does not log in. Find out why before you confirm the new keys.',
    action: 'Compare keys',
  },
  'server-unreachable': { tone: 'bad', text: () => 'Unreachable. Operations are queued until it reconnects.', action: 'View' },
  'server-failed': { tone: 'bad', text: (a) => a.text || 'Setup failed.', action: 'Try again' },
  'panel-disk-full': { tone: 'bad', text: (a) => a.text, action: '' },
  'panel-certificate': { tone: 'bad', text: (a) => a.text, action: '' },
  'disk-full': { tone: 'bad', text: (a) => a.text, action: 'View' },
  'site-failed': { tone: 'bad', text: (a) => a.text || 'The last change failed.', action: 'Try again' },
  'deployment-failed': { tone: 'bad', text: (a) => <>{a.text ? because(a.text) : 'The deployment failed.'}</>, action: 'View log' },
  'certificate-failing': {
    tone: 'bad',
    text: (a) => (
      <>
        Certificate renewal failed
        {a.ends_at && (
          <>
            {' '}
            and it expires <Time at={a.ends_at} ago />
          </>
        )}
        : {a.text}
      </>
    ),
    action: 'Renew',
  },
  'backup-alarm': { tone: 'bad', text: (a) => a.text, action: 'View' },
  'heartbeat-missing': { tone: 'bad', text: (a) => a.text, action: 'View' },
  'monitor-alert': { tone: 'bad', text: (a) => a.text, action: 'View' },
  'certificate-ending': {
    tone: 'warn',
    text: (a) => (
      <>
        The certificate expires <Time at={a.ends_at} ago />.
      </>
    ),
    action: 'Renew',
  },
  'nginx-refused': {
    tone: 'bad',
    text: (a) => <>Its nginx configuration predates the current restrictions and is still served. {a.text}</>,
    action: 'Edit',
  },
  'memory-lost': { tone: 'bad', text: (a) => a.text, action: 'Repair' },
  'files-changed': { tone: 'warn', text: (a) => a.text, action: 'Compare' },
  drift: { tone: 'warn', text: () => 'Files were changed outside Hostler.', action: 'Compare' },
  'site-shares-account': { tone: 'bad', text: (a) => a.text, action: 'View environment' },
  'hook-known': { tone: 'bad', text: (a) => a.text, action: 'Regenerate hook' },
  'restart-needed': { tone: 'warn', text: (a) => a.text, action: 'Restart database' },
  'backup-unproven': { tone: 'warn', text: () => 'Backups have never been test-restored.', action: 'Verify' },
  'reboot-needed': { tone: 'warn', text: () => 'A reboot is required to finish updates.', action: 'Reboot' },
  'server-handed-over': { tone: 'warn', text: (a) => a.text, action: 'View server' },
  'server-waiting': { tone: 'warn', text: () => 'Run the setup command to connect this server.', action: 'Show command' },
  'panel-backup': { tone: 'bad', text: (a) => a.text, action: '' },
  'mail-failed': { tone: 'bad', text: (a) => a.text, action: 'View runbook' },
  'panel-update': { tone: 'warn', text: (a) => a.text, action: '' },
};

/** Way leads to where the thing is put right. */
function Way({ org, a }: { org: string; a: Attention }) {
  const text = (
    <>
      {said[a.kind].action}
      <span className="sr-only">: {a.subject}</span>
    </>
  );
  const server = String(a.server_id);
  const site = String(a.site_id ?? '');
  const id = String(a.resource_id ?? '');
  switch (a.kind) {
    case 'panel-disk-full':
    case 'panel-certificate':
    case 'panel-backup':
    case 'panel-update':
      return null;
    case 'mail-failed':
      return (
        <a href="/docs/operations#emails-are-not-delivered" className={link}>
          {text}
        </a>
      );
    case 'deployment-failed':
      return (
        <Link to="/orgs/$org/sites/$site/deployments/$deployment" params={{ org, site, deployment: id }} className={link}>
          {text}
        </Link>
      );
    case 'site-failed':
      return (
        <Link to="/orgs/$org/sites/$site" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'nginx-refused':
    case 'certificate-failing':
    case 'certificate-ending':
      return (
        <Link to="/orgs/$org/sites/$site/domains/$domain" params={{ org, site, domain: id }} className={link}>
          {text}
        </Link>
      );
    case 'heartbeat-missing':
      return (
        <Link to="/orgs/$org/sites/$site/processes/heartbeats" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'monitor-alert':
      return (
        <Link to="/orgs/$org/servers/$server/monitors" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
    case 'reboot-needed':
      return <RebootNow org={org} server={server} name={a.subject} text={said[a.kind].action} />;
    case 'site-shares-account':
      return (
        <Link to="/orgs/$org/sites/$site/environment" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'hook-known':
      return (
        <Link to="/orgs/$org/sites/$site/deployments/source" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'restart-needed':
      return (
        <Link to="/orgs/$org/servers/$server/databases" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
    case 'backup-alarm':
    case 'backup-unproven':
      return (
        <Link to="/orgs/$org/servers/$server/backups/$configuration" params={{ org, server, configuration: id }} className={link}>
          {text}
        </Link>
      );
    default:
      return (
        <Link to="/orgs/$org/servers/$server" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
  }
}

function RebootNow({ org, server, name, text }: { org: string; server: string; name: string; text: string }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button icon={RotateCw} needs="server:manage-services" className="-my-2 shrink-0" aria-label={`${text} ${name}`} onClick={() => setAsked(true)}>
        {text}
      </Button>
      {asked && (
        <Suspense>
          <Reboot org={org} server={server} name={name} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Home answers one question: what needs me now? */
export function Home() {
  const { org } = useParams({ from: '/orgs/$org' });
  const params = { organization: org };
  const servers = useList('/orgs/{organization}/servers', params, { all: true });
  const names = useMemo(() => new Map(servers.rows.map((s) => [s.id, s.attributes.name])), [servers.rows]);
  const started = useChecklist(org);
  const needs = useList('/orgs/{organization}/attention', params, { every: 10_000 });
  const events = useList('/orgs/{organization}/events', params, { size: 12, query: withActors, every: 10_000 });
  if ((servers.isPending && servers.rows.length === 0) || (needs.isPending && !needs.error) || started.pending)
    return (
      <Page title="Home">
        <Waiting />
      </Page>
    );
  if (servers.error && !servers.data)
    return (
      <Page title="Home">
        <Failed error={servers.error} again={() => void servers.refetch()} />
      </Page>
    );
  if (servers.rows.length === 0) {
    return (
      <Page title="Home">
        {started.list ? (
          <GetStarted org={org} list={started.list} dismiss={started.dismiss} />
        ) : (
          <Empty
            icon={ServerIcon}
            title="Add your first server"
            text="Any Debian or Ubuntu machine with root access. Run one command on it; Hostler does the rest while you watch."
            action={
              <ButtonLink look="primary" icon={Plus} needs="server:create" to="/orgs/$org/servers/new" params={{ org }}>
                Add server
              </ButtonLink>
            }
          />
        )}
      </Page>
    );
  }
  const list = needs.rows;
  const running = events.rows.filter((e) => active(e.meta?.operation));
  return (
    <Page title="Home">
      {started.list && <GetStarted org={org} list={started.list} dismiss={started.dismiss} />}
      <Section title={list.length || !needs.data ? 'Needs attention' : 'Nothing needs attention'} plain>
        {!needs.data ? (
          <Failed error={needs.error} again={() => void needs.refetch()} />
        ) : list.length === 0 ? (
          <div className="panel flex items-center gap-3 px-5 py-4">
            <CircleCheck className="size-5 text-accent" aria-hidden />
            <p>All servers are reachable, all changes are applied and all backups are verified.</p>
          </div>
        ) : (
          <ul className="panel divide-y divide-line">
            {list.slice(0, 50).map(({ id, attributes: a }) => (
              <li key={id} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-5 py-3.5">
                <State state={a.kind} tone={said[a.kind].tone} text="" />
                <strong className="min-w-0 font-medium [overflow-wrap:anywhere]">{a.subject}</strong>
                <span className="line-clamp-2 min-w-0 flex-1 basis-60 text-muted [overflow-wrap:anywhere]">{said[a.kind].text(a)}</span>
                {a.since && a.kind !== 'backup-unproven' && (
                  <span className="text-sm text-muted">
                    <Time at={a.since} ago />
                  </span>
                )}
                <Way org={org} a={a} />
              </li>
            ))}
            {list.length > 50 && (
              <li className="px-5 py-3 text-muted">
                And {list.length - 50}
                {needs.hasNextPage && '+'} more with lower priority.
              </li>
            )}
          </ul>
        )}
      </Section>
      {running.length > 0 && (
        <Section title="In progress" plain>
          <ul className="panel divide-y divide-line">
            {running.map((e) => (
              <li key={e.id} className="relative flex flex-wrap items-center gap-x-4 px-5 py-3.5 transition-colors hover:bg-hover">
                <State state={e.meta!.operation!.state} />
                <Link
                  to="/orgs/$org/servers/$server/events/$event"
                  params={{ org, server: serverOf(e), event: e.id }}
                  className="min-w-0 font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 hover:underline"
                >
                  {e.attributes.description}
                </Link>
                <span className="min-w-0 flex-1 truncate text-muted">{e.meta!.operation!.step}</span>
                <Time at={e.attributes.created_at} ago />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section
        title="Activity"
        plain
        actions={
          <Link to="/orgs/$org/activity" params={{ org }} className={link}>
            All activity
          </Link>
        }
      >
        {events.isPending ? <Waiting /> : <EventTable rows={events.rows.slice(0, 12)} org={org} pages={events.data?.pages} servers={names} />}
      </Section>
    </Page>
  );
}
