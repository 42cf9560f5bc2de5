import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { Activity as Icon } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/may';
import { included, useGet, useList } from '../../api/query';
import type { Site, User } from '../../api/types';
import { choices, Filters, type Pick, useFilters } from '../../kit/filters';
import { Log } from '../../kit/log';
import { span } from '../../kit/numbers';
import { Empty, Failed, Page, Section, Waiting } from '../../kit/page';
import { ChangeRecord } from '../../kit/record';
import { said } from '../../kit/said';
import { active, Elapsed, soon, soonAny, Time } from '../../kit/state';
import { stateWord } from '../../kit/words';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { actorOf, EventTable, withActors } from './table';

export function ServerEvents() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const list = useList('/orgs/{organization}/servers/{server}/events', { organization: org, server }, { query: withActors, every: soonAny });
  return (
    <Section title={t`Events`} plain text={t`Operations on this server, with their initiator and result.`}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Icon} title={t`No activity yet`} text={t`Changes to this server appear here with their output.`} />
      ) : (
        <EventTable rows={list.rows} org={org} pages={list.data?.pages} more={list.more} subject />
      )}
    </Section>
  );
}

/** SiteEvents is the activity of one site: its own work and that of its parts, such as deployments, certificates and redirects. */
export function SiteEvents() {
  const { org, site } = useParams({ from: '/orgs/$org/sites/$site' });
  const query = { ...withActors, 'filter[site_id]': site };
  const list = useList('/orgs/{organization}/events', { organization: org }, { query, every: soonAny });
  const audits = useMay('get /orgs/{organization}/audit');
  return (
    <Section
      title={t`Activity`}
      plain
      text={
        <>
          <Trans>All work on the server for this site: settings, deployments, domains, certificates, redirects and jobs.</Trans>{' '}
          {audits && (
            <Trans>
              Changes that need no work there, such as those of the deploy script, are in the{' '}
              <Link to="/orgs/$org/settings/audit" params={{ org }} className="text-accent underline underline-offset-2">
                audit log
              </Link>
              .
            </Trans>
          )}
        </>
      }
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Icon} title={t`No activity yet`} text={t`Changes to this site appear here with their output.`} />
      ) : (
        <EventTable rows={list.rows} org={org} pages={list.data?.pages} more={list.more} subject />
      )}
    </Section>
  );
}

const states = ['pending', 'running', 'succeeded', 'failed', 'cancelled'];
/** durations are what events can be longer than, in seconds. */
const durations = [10, 60, 300, 1800, 3600];

/** useFound are the servers or sites to choose from: as many as one page has, and a search on the server if there are more. */
function useFound(path: '/orgs/{organization}/servers' | '/orgs/{organization}/sites', params: Record<string, string>) {
  const [text, setText] = useState('');
  const list = useList(path as '/orgs/{organization}/servers', params, { query: { sort: 'name', 'filter[name]': text || undefined }, size: 200 });
  return { found: list.rows.map((r) => [r.id, r.attributes.name] as const), find: list.hasNextPage || text ? setText : undefined };
}

export function Activity() {
  const { org } = useParams({ from: '/orgs/$org' });
  const filters = useFilters(['actor', 'server', 'site', 'status', 'longer']);
  const { actor, server, site, status, longer } = filters.values;
  const query = {
    ...withActors,
    'filter[initiated_by]': actor || undefined,
    'filter[server_id]': server || undefined,
    'filter[site_id]': site || undefined,
    'filter[state]': (status as 'failed') || undefined,
    'filter[longer_than]': longer || undefined,
  };
  const list = useList('/orgs/{organization}/events', { organization: org }, { query, every: soonAny });
  const servers = useFound('/orgs/{organization}/servers', { organization: org });
  const members = useList('/orgs/{organization}/members', { organization: org }, { all: true });
  const sites = useFound((server ? '/orgs/{organization}/servers/{server}/sites' : '/orgs/{organization}/sites') as '/orgs/{organization}/sites', {
    organization: org,
    server,
  });
  const serverName = list.rows[0]?.meta?.server_name ?? `#${server}`; // all are of the chosen one
  const siteName = included<Site>(list.data?.pages, 'sites').get(site)?.attributes.name ?? `#${site}`;
  const picks: Pick[] = [
    { name: 'actor', label: t`Actor`, options: [['', t`Any actor`], ...members.rows.map((m) => [m.id, m.attributes.name || m.attributes.email] as const)] },
    { name: 'server', label: t`Server`, options: choices(t`Any server`, servers.found, server, serverName), find: servers.find },
    { name: 'site', label: t`Site`, options: choices(t`Any site`, sites.found, site, siteName), find: sites.find },
    { name: 'status', label: t`Status`, options: [['', t`Any status`], ...states.map((s) => [s, stateWord(s)] as const)] },
    { name: 'longer', label: t`Duration`, options: [['', t`Any duration`], ...durations.map((s) => [String(s), t`Longer than ${span(s * 1000)}`] as const)] },
  ];
  return (
    <Page title={t`Activity`} sub={t`Activity on all servers.`}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 && !filters.any ? (
        <Empty icon={Icon} title={t`No activity yet`} text={t`Changes to your servers appear here with their output.`} />
      ) : (
        <div className="grid gap-3">
          <Filters list="activity" of={filters} rows={list.rows.length} picks={picks} />
          {list.rows.length === 0 ? (
            <p className="py-8 text-center text-muted">
              <Trans>No activity matches these filters.</Trans>
            </p>
          ) : (
            <EventTable rows={list.rows} org={org} pages={list.data?.pages} more={list.more} />
          )}
        </div>
      )}
    </Page>
  );
}

export function EventPage() {
  const { org, server, event } = useParams({ from: '/orgs/$org/servers/$server/events/$event' });
  const params = { organization: org, server, event };
  const doc = useGet('/orgs/{organization}/servers/{server}/events/{event}', params, { every: soon, query: { include: 'initiator' } });
  const operation = doc.data?.data.meta?.operation;
  const live = active(operation);
  const output = useGet('/orgs/{organization}/servers/{server}/events/{event}/output', params, { every: live ? 5_000 : false });
  const last = useLastLine(event);
  const e = doc.data?.data;
  if (!e) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return (
    <div className="grid gap-4">
      <div>
        <p className="text-sm text-muted">
          <Link to="/orgs/$org/servers/$server/events" params={{ org, server }} className="hover:text-text hover:underline">
            <Trans>All events</Trans>
          </Link>
        </p>
        <h2 className="text-xl font-semibold [overflow-wrap:anywhere]">{said(e)}</h2>
        <p className="text-muted">
          {live && e.attributes.ran_as ? (
            <Trans>
              <Time at={e.attributes.created_at} />, as <span className="font-mono text-sm">{e.attributes.ran_as}</span>, for{' '}
              <Elapsed since={e.attributes.created_at} />
            </Trans>
          ) : live ? (
            <Trans>
              <Time at={e.attributes.created_at} />, for <Elapsed since={e.attributes.created_at} />
            </Trans>
          ) : e.attributes.ran_as ? (
            <Trans>
              <Time at={e.attributes.created_at} />, as <span className="font-mono text-sm">{e.attributes.ran_as}</span>
            </Trans>
          ) : (
            <Time at={e.attributes.created_at} />
          )}
        </p>
      </div>
      {operation?.state !== 'succeeded' && operation && <Work operation={operation} org={org} server={server} line={last} linked={false} />}
      <ChangeRecord event={e} by={actorOf(e, included<User>([doc.data!], 'users'))} />
      {output.error && !output.data ? (
        <Failed error={output.error} />
      ) : (
        <Log text={output.data?.data.attributes.output ?? ''} live={live} step={operation?.step} name={`event-${event}`} />
      )}
    </div>
  );
}
