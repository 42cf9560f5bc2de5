import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useGet, useList } from '../../api/query';
import { Button, ButtonLink } from '../../kit/button';
import { Diff } from '../../kit/diff';
import { Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, soonAny, Time } from '../../kit/state';
import { version } from '../../kit/words';
import { Work } from '../../kit/work';
import { configurations } from '../backup/backups';
import { EventTable, withActors } from '../event/table';
import ServerMetrics from '../metric/metrics';
import { SiteState } from '../site/sites';
import { Actions } from './actions';
import { Archived } from './archive';
import { useServer } from './at';
import { HostKeysChanged } from './hostkeys';
import { Connecting, useLastLine } from './line';
import Repair from './repair';
import Updates from './upgrade';

/** few is how many rows of a list the overview shows; the list's own page has them all. */
const few = 6;
const link = 'font-medium text-accent underline-offset-2 hover:underline';

/** ServerOverview is what one wants to know of a server first: what is being done to it, how it feels, what runs on it, and what happened last. */
export function ServerOverview() {
  const { org } = useParams({ from: '/orgs/$org' });
  const server = useServer();
  const a = server.attributes;
  const operation = server.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const rebooting = active(operation) && operation?.action === 'reboot';
  const settingUp = !a.is_ready && !a.revoked && server.meta?.provisioning !== 'deleting' && server.meta?.provisioning !== 'archiving';
  return (
    <div className="grid gap-8">
      {a.revoked && <Archived server={server} org={org} />}
      {settingUp ? (
        <Connecting server={server} org={org} />
      ) : (
        operation && (active(operation) || operation.state === 'failed') && <Work operation={operation} org={org} server={server.id} line={last} />
      )}
      {a.connection_status === 'disconnected' && !rebooting && (
        <Notice tone="bad">
          <Trans>Hostler can't reach this server. Operations wait until it is reachable or they time out.</Trans>
        </Notice>
      )}
      {a.connection_status === 'host-key-changed' && !a.revoked && <HostKeysChanged org={org} server={server} />}
      {a.is_ready && !a.revoked && (
        <>
          <Actions org={org} server={server} />
          <ServerMetrics org={org} server={server.id} since={a.created_at} />
          <Sites org={org} server={server.id} />
          {a.database_type && <NextBackups org={org} server={server.id} />}
          <Activity org={org} server={server.id} />
        </>
      )}
      <Section title={t`Details`}>
        <Facts
          rows={[
            [t`System`, server.meta?.os && `${server.meta.os.name || server.meta.os.id} (${server.meta.os.arch})`],
            [t`IP address`, a.ip_address && <span className="font-mono">{a.ip_address}</span>],
            [t`Private address`, a.private_ip_address && <span className="font-mono">{a.private_ip_address}</span>],
            [
              t`SSH port`,
              <span className="font-mono" key="p">
                {a.ssh_port}
              </span>,
            ],
            ['PHP', a.php_version && version(a.php_version)],
            [t`Database`, a.database_type && version(a.database_type)],
            [t`Updates`, server.meta?.updates && <Updates key="u" org={org} server={server.id} name={a.name} updates={server.meta.updates} />],
            [t`Time zone`, a.timezone],
            [t`Added`, <Time key="t" at={a.created_at} />],
          ]}
        />
      </Section>
      {a.is_ready && <Drift />}
    </div>
  );
}

/** Part is the beginning of a list, with the way to its own page; what can't be read says why in its place. */
function Part({
  title,
  all,
  of,
  none,
  begin,
  children,
}: {
  title: string;
  all: ReactNode;
  of: { isPending: boolean; error: unknown; rows: unknown[]; refetch: () => unknown };
  none: string;
  /** begin is the way to a first one. */
  begin?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Section title={title} plain actions={of.rows.length > 0 && all}>
      {of.isPending ? (
        <Waiting />
      ) : of.error && of.rows.length === 0 ? (
        <Failed error={of.error} again={() => void of.refetch()} />
      ) : of.rows.length === 0 ? (
        <div className="panel flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-5 py-4 text-muted">
          {none}
          {begin}
        </div>
      ) : (
        children
      )}
    </Section>
  );
}

function Sites({ org, server }: { org: string; server: string }) {
  const list = useList('/orgs/{organization}/servers/{server}/sites', { organization: org, server }, { query: { sort: 'name' }, size: few, every: soonAny });
  const all = (
    <Link to="/orgs/$org/servers/$server/sites" params={{ org, server }} className={link}>
      <Trans>All sites</Trans>
    </Link>
  );
  const begin = (
    <ButtonLink does="post /orgs/{organization}/servers/{server}/sites" to="/orgs/$org/sites/new" params={{ org }} search={{ server }}>
      <Trans>New site</Trans>
    </ButtonLink>
  );
  return (
    <Part title={t`Sites`} of={list} all={all} none={t`No sites on this server.`} begin={begin}>
      <ul className="panel divide-y divide-line">
        {list.rows.slice(0, few).map((s) => (
          <li key={s.id} className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 transition-colors hover:bg-hover">
            <Link
              to="/orgs/$org/sites/$site"
              params={{ org, site: s.id }}
              className="min-w-0 flex-1 basis-40 truncate font-medium after:absolute after:inset-0 hover:underline"
            >
              {s.attributes.name}
            </Link>
            <SiteState site={s} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** NextBackups says of each configuration when it runs next, and when it last did. */
function NextBackups({ org, server }: { org: string; server: string }) {
  const list = useList(configurations, { organization: org, server }, { query: { sort: 'name' }, size: few, every: 60_000 });
  const all = (
    <Link to="/orgs/$org/servers/$server/backups" params={{ org, server }} className={link}>
      <Trans>All backups</Trans>
    </Link>
  );
  return (
    <Part title={t`Next backups`} of={list} all={all} none={t`No backups configured.`}>
      <ul className="panel divide-y divide-line">
        {list.rows.slice(0, few).map((c) => (
          <li key={c.id} className="relative flex flex-wrap items-baseline gap-x-4 gap-y-1 px-5 py-3 transition-colors hover:bg-hover">
            <Link
              to="/orgs/$org/servers/$server/backups/$configuration"
              params={{ org, server, configuration: c.id }}
              className="min-w-0 flex-1 basis-40 truncate font-medium after:absolute after:inset-0 hover:underline"
            >
              {c.attributes.name}
            </Link>
            {c.meta?.backups?.alarm && <span className="text-danger">{c.meta.backups.alarm}</span>}
            <span className="text-sm text-muted">
              {c.meta?.backups?.last_backup ? (
                <Trans>
                  Last <Time at={c.meta.backups.last_backup} ago />
                </Trans>
              ) : (
                t`No backups yet`
              )}
            </span>
            <span>
              <Trans>
                Next <Time at={c.attributes.next_run_time} ago />
              </Trans>
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Activity({ org, server }: { org: string; server: string }) {
  const list = useList('/orgs/{organization}/servers/{server}/events', { organization: org, server }, { query: withActors, size: few, every: soonAny });
  const all = (
    <Link to="/orgs/$org/servers/$server/events" params={{ org, server }} className={link}>
      <Trans>All events</Trans>
    </Link>
  );
  return (
    <Part title={t`Last activity`} of={list} all={all} none={t`No activity yet.`}>
      <EventTable rows={list.rows.slice(0, few)} org={org} pages={list.data?.pages} subject />
    </Part>
  );
}

/** Drift compares the host with what it should be, when it is asked. */
function Drift() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const [asked, setAsked] = useState(false);
  const doc = useGet('/orgs/{organization}/servers/{server}/drift', { organization: org, server }, { enabled: asked });
  const found = doc.data?.data.attributes;
  const [repairing, setRepairing] = useState(false);
  const name = useServer().attributes.name;
  return (
    <Section
      title={t`Changes outside Hostler`}
      plain
      text={t`Compares the server's files, packages and services with what Hostler set up (drift).`}
      actions={
        <>
          <Button does="post /orgs/{organization}/servers/{server}/repairs" onClick={() => setRepairing(true)}>
            <Trans>Repair</Trans>
          </Button>
          <Button icon={GitCompareArrows} pending={doc.isFetching} onClick={() => (asked ? void doc.refetch() : setAsked(true))}>
            <Trans>Compare now</Trans>
          </Button>
        </>
      }
    >
      {repairing && <Repair org={org} server={server} name={name} onClose={() => setRepairing(false)} />}
      {doc.error && <Failed error={doc.error} />}
      {found &&
        (found.differences.length === 0 ? (
          <div className="panel p-4" role="status">
            <Trans>
              No differences. Checked <Time at={found.checked_at} ago />.
            </Trans>
          </div>
        ) : (
          <div className="panel overflow-hidden">
            <p className="px-4 py-3 font-medium text-warn" role="status">
              <Trans>
                <Plural value={found.differences.length} one="# difference" other="# differences" />. Repair restores everything that is not marked as kept.
              </Trans>
            </p>
            {found.differences.map((d) => (
              <div key={d.path + d.step} className="border-t border-line">
                <p className="px-4 py-2 font-mono text-sm">
                  {d.path || d.step} <span className="text-muted">{d.kept ? t`${d.what} (kept)` : d.what}</span>
                </p>
                {d.diff && <Diff text={d.diff} />}
              </div>
            ))}
          </div>
        ))}
    </Section>
  );
}
