import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { Globe, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { included, useList } from '../../api/query';
import type { Server, Site } from '../../api/types';
import { ButtonLink } from '../../kit/button';
import { Filters, type Pick, useFilters } from '../../kit/filters';
import { Empty, Failed, Page, Section, Waiting } from '../../kit/page';
import { type Selection, useSelection } from '../../kit/selection';
import { State, soonAny, Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { byTag, type Group, Groups, tagColumn, tagPick, useTags } from '../../kit/tags';
import type { Tone } from '../../kit/words';
import { siteKind } from '../../shell/places';
import { SitesBar } from './bulk';

/** siteState is the word for a site: what is being done to it or failed, else what it serves. */
export function siteState(s: Site): [string, Tone] {
  const a = s.attributes;
  if (a.status === 'failed') return [t`Not installed`, 'bad'];
  if (a.status === 'installing' || a.status === 'creating') return [t`Installing`, 'busy'];
  if (a.status === 'uninstalling' || a.status === 'removing') return [t`Deleting`, 'busy'];
  if (a.status === 'deploying') return [t`Deploying`, 'busy'];
  if (s.meta?.operation?.state === 'failed') return [t`Last change failed`, 'bad'];
  if (a.deployment_status === 'failed' || a.deployment_status === 'failed-build') return [t`Last deployment failed`, a.status === 'deployed' ? 'warn' : 'bad'];
  if (a.status === 'never-deployed' || (a.status === 'installed' && a.repository?.url)) return [t`Not deployed yet`, 'idle'];
  return a.status === 'deployed' ? [t`Deployed`, 'good'] : [t`Installed`, 'good'];
}
export function SiteState({ site }: { site: Site }) {
  const [text, tone] = siteState(site);
  return <State state={text} tone={tone} text={text} />;
}

/** ServerOf is the server of a site, where the caller may see it. */
function ServerOf({ site, org, servers }: { site: Site; org: string; servers: Map<string, Server> }) {
  const id = site.relationships?.server.data?.id;
  const server = id ? servers.get(id) : undefined;
  if (!server) return null;
  return (
    <Link
      to="/orgs/$org/servers/$server"
      params={{ org, server: server.id }}
      className="relative z-10 block w-fit max-w-full truncate text-muted hover:text-text hover:underline"
    >
      {server.attributes.name}
    </Link>
  );
}

function SiteTable({
  rows,
  org,
  title,
  more,
  servers,
  tags,
  selection,
}: {
  rows: Site[];
  org: string;
  /** title is that of the group. */
  title: string;
  more?: () => void;
  /** servers are left out on the page of one. */
  servers?: Map<string, Server>;
  tags: string[];
  selection: Selection<Site>;
}) {
  return (
    <Table
      label={title ? t`Sites: ${title}` : t`Sites`}
      selection={selection}
      rows={rows}
      id={(s) => s.id}
      more={more}
      footer={more ? t`Scroll to load more.` : plural(rows.length, { one: '# site', other: '# sites' })}
      columns={[
        {
          name: t`Name`,
          width: 'minmax(0,3fr)',
          cell: (s) => (
            <Link to="/orgs/$org/sites/$site" params={{ org, site: s.id }} className={rowLink + ' block truncate'}>
              {s.attributes.name}
            </Link>
          ),
        },
        { name: t`Status`, width: '12rem', cell: (s) => <SiteState site={s} /> },
        ...(servers ? [{ name: t`Server`, width: 'minmax(0,1.5fr)', cell: (s: Site) => <ServerOf site={s} org={org} servers={servers} /> }] : []),
        {
          name: t`Domain`,
          width: 'minmax(11rem,2fr)',
          minor: true,
          cell: (s) => (
            <a
              href={s.attributes.url}
              target="_blank"
              rel="noreferrer"
              className="relative z-10 block w-fit max-w-full truncate text-muted hover:text-text hover:underline"
            >
              {s.attributes.url.replace(/^https?:\/\//, '')}
            </a>
          ),
        },
        ...tagColumn(tags),
        { name: t`Type`, width: '9rem', minor: true, cell: (s) => <span className="text-muted">{siteKind(s)}</span> },
        { name: t`User`, width: '8rem', minor: true, cell: (s) => <span className="font-mono text-sm text-muted">{s.attributes.user}</span> },
        {
          name: t`Added`,
          width: '7rem',
          minor: true,
          cell: (s) => (
            <span className="text-muted">
              <Time at={s.attributes.created_at} ago />
            </span>
          ),
        },
      ]}
    />
  );
}

const statuses: Pick = {
  name: 'status',
  label: t`Status`,
  options: [
    ['', t`Any status`],
    ['good', t`Serving`],
    ['idle', t`Not deployed yet`],
    ['busy', t`In progress`],
    ['bad', t`Needs attention`],
  ],
};
const groupPick: Pick = {
  name: 'group',
  label: t`Group`,
  options: [
    ['', t`No grouping`],
    ['tag', t`Group by tag`],
    ['status', t`Group by status`],
    ['type', t`Group by type`],
  ],
};
const sorts: Pick = {
  name: 'sort',
  label: t`Sort`,
  options: [
    ['', t`Oldest first`],
    ['-created_at', t`Newest first`],
    ['name', t`Sort by name`],
  ],
};

/** groups are what sites can be grouped by. */
const groups: Record<string, Group<Site>> = {
  tag: byTag,
  status: { of: (s) => [siteState(s)[0]], none: '' },
  type: { of: (s) => [siteKind(s)], none: '' },
};
const byServer = (servers: Map<string, Server>): Group<Site> => ({
  of: (s) => [servers.get(s.relationships?.server.data?.id ?? '')?.attributes.name ?? ''].filter(Boolean),
  none: t`Other servers`,
});

/** useSiteFilters are the filters in the address, the query that they make, and whether they need all rows, as the status is no filter of the API. */
function useSiteFilters(order: string) {
  const filters = useFilters(['name', 'status', 'tag', 'group', 'sort']);
  const { name, status, tag, group, sort } = filters.values;
  const query = { 'filter[name]': name, 'filter[tag]': tag || undefined, sort: sort || order || undefined };
  return { ...filters, query, all: !!(status || group) };
}

/** SiteList is sites with their filters, in groups if there are any. */
function SiteList({
  org,
  list,
  filters,
  servers,
}: {
  org: string;
  list: { rows: Site[]; more?: () => void };
  filters: ReturnType<typeof useSiteFilters>;
  servers?: Map<string, Server>;
}) {
  const { name, status, tag, group } = filters.values;
  const rows = useMemo(() => list.rows.filter((s) => !status || siteState(s)[1].replace('warn', 'bad') === status), [list.rows, status]);
  const tags = useTags(list.rows, tag);
  const selection = useSelection<Site>((s) => s.attributes.name);
  const by = group === 'server' && servers ? byServer(servers) : groups[group];
  const grouping: Pick = servers ? { ...groupPick, options: [...groupPick.options, ['server', t`Group by server`]] } : groupPick;
  return (
    <div className="grid gap-3">
      <Filters
        list={servers ? 'sites' : 'server-sites'}
        label={t`Filter by name`}
        of={filters}
        rows={list.rows.length}
        picks={[statuses, ...tagPick(tags), grouping, ...(servers ? [sorts] : [])]}
      />
      <SitesBar org={org} rows={rows} selection={selection} />
      {rows.length === 0 ? (
        <p className="py-8 text-center text-muted">{name && !status && !tag ? t`No sites match “${name}”.` : t`No sites match these filters.`}</p>
      ) : (
        <Groups rows={rows} by={by}>
          {(rows, title) => (
            <SiteTable rows={rows} org={org} title={title} servers={servers} tags={tags} selection={selection} more={by ? undefined : list.more} />
          )}
        </Groups>
      )}
    </div>
  );
}

export function Sites() {
  const { org } = useParams({ from: '/orgs/$org' });
  const filters = useSiteFilters('');
  const list = useList(
    '/orgs/{organization}/sites',
    { organization: org },
    { query: { ...filters.query, include: 'server' }, every: soonAny, all: filters.all },
  );
  const servers = useMemo(() => included<Server>(list.data?.pages, 'servers'), [list.data]);
  const add = (
    <ButtonLink look="primary" icon={Plus} does="post /orgs/{organization}/servers/{server}/sites" to="/orgs/$org/sites/new" params={{ org }} search={{}}>
      <Trans>New site</Trans>
    </ButtonLink>
  );
  const none = list.isSuccess && list.rows.length === 0 && !filters.any;
  return (
    <Page title={t`Sites`} actions={none ? undefined : add}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : none ? (
        <Empty
          icon={Globe}
          title={t`No sites yet`}
          text={t`A site is a domain on one of your servers: an application, WordPress, static files or a load balancer.`}
          action={add}
        />
      ) : (
        <SiteList org={org} list={list} filters={filters} servers={servers} />
      )}
    </Page>
  );
}

export function ServerSites() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const filters = useSiteFilters('name');
  const list = useList(
    '/orgs/{organization}/servers/{server}/sites',
    { organization: org, server },
    { query: filters.query, every: soonAny, all: filters.all },
  );
  const add = (
    <ButtonLink
      look="primary"
      icon={Plus}
      does="post /orgs/{organization}/servers/{server}/sites"
      to="/orgs/$org/sites/new"
      params={{ org }}
      search={{ server }}
    >
      <Trans>New site</Trans>
    </ButtonLink>
  );
  const none = list.isSuccess && list.rows.length === 0 && !filters.any;
  return (
    <Section title={t`Sites`} plain actions={none ? undefined : add}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : none ? (
        <Empty icon={Globe} title={t`No sites on this server`} text={t`Add a domain to serve a site from this server.`} action={add} />
      ) : (
        <SiteList org={org} list={list} filters={filters} />
      )}
    </Section>
  );
}
