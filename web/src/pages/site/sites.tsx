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
  if (a.status === 'never-deployed') return [t`Not deployed yet`, 'idle'];
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
  more,
  servers,
  selection,
}: {
  rows: Site[];
  org: string;
  more?: () => void /** servers are left out on the page of one. */;
  servers?: Map<string, Server>;
  selection?: Selection<Site>;
}) {
  return (
    <Table
      label={t`Sites`}
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
          width: 'minmax(0,2fr)',
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

const picks: Pick[] = [
  {
    name: 'status',
    label: t`Status`,
    options: [
      ['', t`Any status`],
      ['good', t`Serving`],
      ['idle', t`Not deployed yet`],
      ['busy', t`In progress`],
      ['bad', t`Needs attention`],
    ],
  },
  {
    name: 'sort',
    label: t`Sort`,
    options: [
      ['', t`Oldest first`],
      ['-created_at', t`Newest first`],
      ['name', t`Sort by name`],
    ],
  },
];

export function Sites() {
  const { org } = useParams({ from: '/orgs/$org' });
  const filters = useFilters(['name', 'status', 'sort']);
  const { name, status, sort } = filters.values;
  const list = useList(
    '/orgs/{organization}/sites',
    { organization: org },
    { query: { 'filter[name]': name, sort: sort || undefined, include: 'server' }, every: soonAny, all: !!status }, // the status is no filter of the API
  );
  const servers = useMemo(() => included<Server>(list.data?.pages, 'servers'), [list.data]);
  const rows = useMemo(() => list.rows.filter((s) => !status || siteState(s)[1].replace('warn', 'bad') === status), [list.rows, status]);
  const add = (
    <ButtonLink look="primary" icon={Plus} needs="site:create" to="/orgs/$org/sites/new" params={{ org }} search={{}}>
      <Trans>New site</Trans>
    </ButtonLink>
  );
  const selection = useSelection<Site>((s) => s.attributes.name);
  const none = list.isSuccess && list.rows.length === 0;
  return (
    <Page title={t`Sites`} actions={none && !filters.any ? undefined : add}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : none && !filters.any ? (
        <Empty
          icon={Globe}
          title={t`No sites yet`}
          text={t`A site is a domain on one of your servers: a PHP application, static files, or a load balancer.`}
          action={add}
        />
      ) : (
        <div className="grid gap-3">
          <Filters list="sites" label={t`Filter by name`} of={filters} picks={picks} />
          <SitesBar org={org} rows={rows} selection={selection} />
          {rows.length === 0 ? (
            <p className="py-8 text-center text-muted">{status ? t`No sites match these filters.` : t`No sites match “${name}”.`}</p>
          ) : (
            <SiteTable rows={rows} org={org} servers={servers} selection={selection} more={list.more} />
          )}
        </div>
      )}
    </Page>
  );
}

export function ServerSites() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const list = useList('/orgs/{organization}/servers/{server}/sites', { organization: org, server }, { query: { sort: 'name' }, every: soonAny });
  const add = (
    <ButtonLink look="primary" icon={Plus} needs="site:create" to="/orgs/$org/sites/new" params={{ org }} search={{ server }}>
      <Trans>New site</Trans>
    </ButtonLink>
  );
  return (
    <Section title={t`Sites`} plain actions={list.rows.length > 0 ? add : undefined}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Globe} title={t`No sites on this server`} text={t`Add a domain to serve a site from this server.`} action={add} />
      ) : (
        <SiteTable rows={list.rows} org={org} more={list.more} />
      )}
    </Section>
  );
}
