import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { included } from '../../api/query';
import type { Event, Site, User } from '../../api/types';
import { took } from '../../kit/numbers';
import { said } from '../../kit/said';
import { active, Elapsed, State, Time } from '../../kit/state';
import { type Column, rowLink, Table } from '../../kit/table';

export const serverOf = (e: Event) => /\/servers\/(\d+)\//.exec(e.links.self.href)?.[1] ?? '';

/** withActors is the query of lists that are shown here. */
export const withActors = { sort: '-created_at', include: 'initiator,site' };

/** actorOf is who started an event, in words. */
export function actorOf(e: Event, users: Map<string, User>): string {
  const user = users.get(e.relationships?.initiator.data?.id ?? '')?.attributes;
  return user ? user.name || user.email : e.relationships?.initiator.data ? t`Former member` : 'Hostler';
}

/** Took is how long the work of an event took, or takes so far. */
function Took({ event: e }: { event: Event }) {
  const operation = e.meta?.operation;
  if (active(operation)) return <Elapsed since={e.attributes.created_at} />;
  return operation?.ended_at ? took(Date.parse(operation.ended_at) - Date.parse(e.attributes.created_at)) : null;
}

/** EventTable says what was done, to what, by whom, how it ended and how long it took. */
/** EventTable lists events. subject is for a page about one server or site: what all of them are of is not repeated in each row. */
export function EventTable({
  rows,
  org,
  more,
  pages,
  subject,
}: {
  rows: Event[];
  org: string;
  more?: () => void;
  pages: { included?: unknown[] }[] | undefined;
  subject?: boolean;
}) {
  const users = useMemo(() => included<User>(pages, 'users'), [pages]);
  const sites = useMemo(() => included<Site>(pages, 'sites'), [pages]);
  const target = (e: Event) => sites.get(e.relationships?.site.data?.id ?? '')?.attributes.name ?? e.meta?.server_name ?? '';
  const same = subject && new Set(rows.map(target)).size < 2;
  const columns: (Column<Event> | false | undefined)[] = [
    {
      name: t`Action`,
      width: 'minmax(0,3fr)',
      cell: (e) => (
        <>
          <Link
            to="/orgs/$org/servers/$server/events/$event"
            params={{ org, server: serverOf(e), event: e.id }}
            className={rowLink + ' line-clamp-2 [overflow-wrap:anywhere]'}
          >
            {said(e)}
          </Link>
          {(active(e.meta?.operation) || e.meta?.operation?.state === 'failed') && (
            <span className="block truncate text-sm text-muted">{e.meta?.operation?.reason ?? e.meta?.operation?.step}</span>
          )}
        </>
      ),
    },
    { name: t`Status`, width: '7rem', cell: (e) => (e.meta?.operation ? <State state={e.meta.operation.state} /> : null) },
    !same && { name: t`Target`, width: 'minmax(0,1.3fr)', minor: true, cell: (e) => <span className="block truncate text-muted">{target(e)}</span> },
    { name: t`Actor`, width: 'minmax(0,1fr)', minor: true, cell: (e) => <span className="block truncate text-muted">{actorOf(e, users)}</span> },
    {
      name: t`Time`,
      width: '7rem',
      cell: (e) => (
        <span className="text-muted">
          <Time at={e.attributes.created_at} ago />
        </span>
      ),
    },
    {
      name: t`Duration`,
      width: '6.5rem',
      minor: true,
      cell: (e) => (
        <span className="text-muted tabular-nums">
          <Took event={e} />
        </span>
      ),
    },
  ];
  return <Table label={t`Events`} rows={rows} id={(e) => e.id} more={more} columns={columns.filter((c) => !!c)} />;
}
