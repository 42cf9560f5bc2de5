import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { Archive, Server as Icon, Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useRef } from 'react';
import { useGet, useList } from '../../api/query';
import type { Server } from '../../api/types';
import { ButtonLink } from '../../kit/button';
import { Filters, type Pick, useFilters } from '../../kit/filters';
import { Empty, Failed, Page, Waiting } from '../../kit/page';
import { useRoom } from '../../kit/room';
import { useSelection } from '../../kit/selection';
import { Spark } from '../../kit/spark';
import { active, State, soonAny, Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { byTag, type Group, Groups, tagColumn, tagPick, useTags } from '../../kit/tags';
import type { Values } from '../../kit/views';
import { serverTypes, type Tone } from '../../kit/words';
import { kinds as providers } from '../provider/kinds';
import { ServersBar } from './bulk';

const Fleet = lazy(() => import('../metric/fleet'));

/** WithPlots shows plots before a list, and after it on a phone, where they would fill the screen. */
function WithPlots({ plots, children }: { plots: ReactNode; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  return (
    <div ref={box} className="grid gap-3">
      {room >= 40 && plots}
      {children}
      {room < 40 && plots}
    </div>
  );
}

/** oldest is when the first of servers was added. */
const oldest = (servers: Server[]) => servers.map((s) => s.attributes.created_at).sort()[0] ?? null;

/** serverState is the one word for a server: what is being done to it, else whether it is reached. */
export function serverState(s: Server): [string, Tone] {
  const a = s.attributes;
  const p = s.meta?.provisioning;
  if (p === 'connecting') return [t`Awaiting setup`, 'warn'];
  if (p === 'creating') return [t`Ordering`, 'busy'];
  if (p === 'deleting') return [t`Deleting`, 'busy'];
  if (p === 'archiving') return [t`Archiving`, 'busy'];
  if (p === 'archived') return [t`Archived`, 'idle'];
  if (p === 'failed') return [t`Setup failed`, 'bad'];
  if (p === 'provisioning') return [t`Setting up`, 'busy'];
  if (active(s.meta?.operation) && s.meta?.operation?.action === 'reboot') return [t`Rebooting`, 'busy'];
  if (a.connection_status === 'disconnected') return [t`Unreachable`, 'bad'];
  if (active(s.meta?.operation)) return [t`Updating`, 'busy'];
  if (s.meta?.operation?.state === 'failed') return [t`Last change failed`, 'bad'];
  return a.is_ready ? [t`Ready`, 'good'] : [t`Setting up`, 'busy'];
}
export function ServerState({ server }: { server: Server }) {
  const [text, tone] = serverState(server);
  return <State state={text} tone={tone} text={text} />;
}

const types = ['app', 'web', 'loadbalancer', 'database', 'cache', 'worker', 'meilisearch'];
const providerOf = (s: Server) =>
  providers.find(([k]) => k === s.attributes.provider)?.[1] ?? (s.attributes.provider === 'custom' ? t`Custom` : s.attributes.provider);

/** groups are what servers can be grouped by. */
const groups: Record<string, Group<Server>> = {
  tag: byTag,
  provider: { of: (s) => [providerOf(s)], none: '' },
  status: { of: (s) => [serverState(s)[0]], none: '' },
  type: { of: (s) => [serverTypes[s.attributes.type] ?? s.attributes.type], none: '' },
};

const picks: Pick[] = [
  {
    name: 'status',
    label: t`Status`,
    options: [
      ['', t`Any status`],
      ['good', t`Ready`],
      ['busy', t`In progress`],
      ['bad', t`Needs attention`],
    ],
  },
  { name: 'type', label: t`Type`, options: [['', t`Any type`], ...types.map((t) => [t, serverTypes[t] ?? t] as const)] },
  {
    name: 'provider',
    label: t`Provider`,
    options: [['', t`Any provider`], ...providers, ['custom', t`Custom`]],
  },
  {
    name: 'group',
    label: t`Group`,
    options: [
      ['', t`No grouping`],
      ['tag', t`Group by tag`],
      ['provider', t`Group by provider`],
      ['status', t`Group by status`],
      ['type', t`Group by type`],
    ],
  },
  {
    name: 'sort',
    label: t`Sort`,
    options: [
      ['', t`Sort by name`],
      ['-name', t`Name, Z to A`],
      ['-created_at', t`Newest first`],
      ['created_at', t`Oldest first`],
    ],
  },
];

/** fits reports whether a server is of a status and a type; what awaits its setup needs attention as well. */
const fits = (s: Server, { status, type }: Values) => {
  const [, tone] = serverState(s);
  return (!type || s.attributes.type === type) && (!status || (tone === 'warn' ? 'bad' : tone) === status);
};

export function Servers() {
  const { org } = useParams({ from: '/orgs/$org' });
  const filters = useFilters(['name', 'status', 'type', 'provider', 'tag', 'group', 'sort']);
  const { name, status, type, provider, tag, group, sort } = filters.values;
  const by = groups[group];
  const narrowed = !!(status || type || by); // these are no filters of the API
  const list = useList(
    '/orgs/{organization}/servers',
    { organization: org },
    {
      query: { 'filter[name]': name, 'filter[provider]': provider || undefined, 'filter[tag]': tag || undefined, sort: sort || 'name' },
      every: soonAny,
      all: narrowed,
    },
  );
  const rows = useMemo(() => list.rows.filter((s) => fits(s, { status, type })), [list.rows, status, type]);
  const tags = useTags(list.rows, tag);
  const add = (
    <ButtonLink look="primary" icon={Plus} does="post /orgs/{organization}/servers" to="/orgs/$org/servers/new" params={{ org }}>
      <Trans>Add server</Trans>
    </ButtonLink>
  );
  const selection = useSelection<Server>((s) => s.attributes.name);
  const none = list.isSuccess && list.rows.length === 0;
  const filtered = !!(name || status || type || provider || tag);
  // Of servers that are all alike in something, there is nothing to choose by that.
  const alike = (of: (s: Server) => string) => new Set(list.rows.map(of)).size < 2;
  const whole = list.isSuccess && !list.hasNextPage && !filtered;
  const useful = (p: Pick) => !whole || !((p.name === 'type' && alike((s) => s.attributes.type)) || (p.name === 'provider' && alike(providerOf)));
  const many = list.rows.filter((s) => s.attributes.is_ready).length > 1;
  const fleet = useGet('/orgs/{organization}/servers/metrics', { organization: org }, { query: { range: '24h' }, enabled: !none, every: 60_000 });
  const measured = useMemo(() => new Map(fleet.data?.data.attributes.servers.map((s) => [String(s.server_id), s.cpu])), [fleet.data]);
  const plots = many && !filtered && (
    <Suspense fallback={<div role="status" aria-label={t`Loading`} className="panel beating h-56" />}>
      <Fleet org={org} since={oldest(list.rows)} />
    </Suspense>
  );
  return (
    <Page
      title={t`Servers`}
      actions={
        <>
          <ButtonLink look="quiet" icon={Archive} to="/orgs/$org/servers/archives" params={{ org }}>
            <Trans>Archived</Trans>
          </ButtonLink>
          {!(none && !filtered) && add}
        </>
      }
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : none && !filtered ? (
        <Empty
          icon={Icon}
          title={t`No servers yet`}
          text={t`Run one command on a Debian or Ubuntu machine, and Hostler sets it up while you watch.`}
          action={add}
        />
      ) : (
        <WithPlots plots={plots}>
          <Filters
            list="servers"
            label={t`Filter by name`}
            of={filters}
            rows={list.rows.length}
            picks={[...picks.slice(0, 3).filter(useful), ...tagPick(tags), ...picks.slice(3)]}
          />
          <ServersBar org={org} rows={rows} selection={selection} />
          {rows.length === 0 ? (
            <p className="py-8 text-center text-muted">
              {name && !narrowed && !provider && !tag ? t`No servers match “${name}”.` : t`No servers match these filters.`}
            </p>
          ) : (
            <Groups rows={rows} by={by}>
              {(rows, title) => (
                <Table
                  label={title ? t`Servers: ${title}` : t`Servers`}
                  selection={selection}
                  rows={rows}
                  id={(s) => s.id}
                  more={by ? undefined : list.more}
                  footer={!by && list.hasNextPage ? t`Scroll to load more.` : plural(rows.length, { one: '# server', other: '# servers' })}
                  columns={[
                    {
                      name: t`Name`,
                      width: 'minmax(0,2fr)',
                      cell: (s) => (
                        <Link to="/orgs/$org/servers/$server" params={{ org, server: s.id }} className={rowLink + ' block truncate'}>
                          {s.attributes.name}
                        </Link>
                      ),
                    },
                    { name: t`Status`, width: '9.5rem', cell: (s) => <ServerState server={s} /> },
                    { name: t`Type`, minor: true, cell: (s) => <span className="text-muted">{serverTypes[s.attributes.type] ?? s.attributes.type}</span> },
                    ...tagColumn(tags),
                    {
                      name: 'CPU',
                      named: true,
                      width: '6.75rem',
                      cell: (s) => <Spark values={measured.get(s.id) ?? []} label={t`CPU of ${s.attributes.name} in the last day`} />,
                    },
                    {
                      name: t`IP address`,
                      width: 'minmax(0,1.2fr)',
                      cell: (s) => <span className="font-mono text-sm break-all">{s.attributes.ip_address ?? ''}</span>,
                    },
                    {
                      name: t`System`,
                      minor: true,
                      cell: (s) => (
                        <span className="text-muted">
                          {s.meta?.os
                            ? `${s.meta.os.id === 'debian' ? 'Debian' : s.meta.os.id === 'ubuntu' ? 'Ubuntu' : s.meta.os.id} ${s.meta.os.version}`
                            : ''}
                        </span>
                      ),
                    },
                    {
                      name: t`Added`,
                      minor: true,
                      width: '7rem',
                      cell: (s) => (
                        <span className="text-muted">
                          <Time at={s.attributes.created_at} ago />
                        </span>
                      ),
                    },
                  ]}
                />
              )}
            </Groups>
          )}
        </WithPlots>
      )}
    </Page>
  );
}
