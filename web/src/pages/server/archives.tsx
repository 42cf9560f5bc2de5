import { plural, t } from '@lingui/core/macro';
import { Link, useParams } from '@tanstack/react-router';
import { Archive } from 'lucide-react';
import { useList } from '../../api/query';
import { Empty, Failed, Page, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { serverTypes } from '../../kit/words';

/** Archives is the servers that Hostler has no access to, and still knows. */
export function Archives() {
  const { org } = useParams({ from: '/orgs/$org' });
  const list = useList('/orgs/{organization}/servers/archives', { organization: org }, { query: { sort: '-updated_at' } });
  return (
    <Page title={t`Archived servers`}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Archive} title={t`No archived servers`} text={t`Archive a server in its settings to end Hostler's access to it and keep its records.`} />
      ) : (
        <Table
          label={t`Archived servers`}
          rows={list.rows}
          id={(s) => s.id}
          more={list.more}
          footer={list.hasNextPage ? t`Scroll to load more.` : plural(list.rows.length, { one: '# server', other: '# servers' })}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: (s) => (
                <Link to="/orgs/$org/servers/$server" params={{ org, server: s.id }} className={`${rowLink} block truncate`}>
                  {s.attributes.name}
                </Link>
              ),
            },
            { name: t`Type`, cell: (s) => <span className="text-muted">{serverTypes[s.attributes.type] ?? s.attributes.type}</span> },
            { name: t`Address`, width: 'minmax(0,1.2fr)', cell: (s) => <span className="font-mono text-sm break-all">{s.attributes.ip_address ?? ''}</span> },
            {
              name: t`Archived`,
              width: '8rem',
              cell: (s) => (
                <span className="text-muted">
                  <Time at={s.attributes.updated_at} ago />
                </span>
              ),
            },
          ]}
        />
      )}
    </Page>
  );
}
