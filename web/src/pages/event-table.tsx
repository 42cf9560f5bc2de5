import { Link } from '@tanstack/react-router';
import type { Event } from '../api/types';
import { active, State, Time } from '../kit/state';
import { rowLink, Table } from '../kit/table';

export const serverOf = (e: Event) => /\/servers\/(\d+)\//.exec(e.links.self.href)?.[1] ?? '';

export function EventTable({ rows, org, more }: { rows: Event[]; org: string; more?: () => void }) {
  return (
    <Table
      label="Events"
      rows={rows}
      id={(e) => e.id}
      more={more}
      columns={[
        {
          name: 'Action',
          width: 'minmax(0,3fr)',
          cell: (e) => (
            <Link to="/orgs/$org/servers/$server/events/$event" params={{ org, server: serverOf(e), event: e.id }} className={rowLink + ' block truncate'}>
              {e.attributes.description}
            </Link>
          ),
        },
        { name: 'Status', width: '8rem', cell: (e) => (e.meta?.operation ? <State state={e.meta.operation.state} /> : null) },
        {
          name: 'Step',
          width: 'minmax(0,2fr)',
          minor: true,
          cell: (e) => (
            <span className="block truncate text-muted">
              {active(e.meta?.operation) || e.meta?.operation?.state === 'failed' ? (e.meta?.operation?.reason ?? e.meta?.operation?.step ?? '') : ''}
            </span>
          ),
        },
        {
          name: 'Time',
          width: '7rem',
          cell: (e) => (
            <span className="text-muted">
              <Time at={e.attributes.created_at} ago />
            </span>
          ),
        },
      ]}
    />
  );
}
