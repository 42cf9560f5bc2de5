import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/query';
import type { Database, DatabaseUsage } from '../../api/types';
import { Button } from '../../kit/button';
import { bytes, number } from '../../kit/numbers';
import { Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { schemas, useServerAt } from './at';
import { EditExtensions } from './forms';

const milliseconds = (micros: number) => t`${number(micros / 1000)} ms`;

/** DatabasePage is what the engine says about a database: it is asked when the page is opened, and again only on request. */
export function DatabasePage() {
  const { database } = useParams({ from: '/orgs/$org/servers/$server/databases/$database' });
  const { org, params } = useServerAt();
  const at = { ...params, database };
  const doc = useGet(`${schemas}/{database}`, at);
  const usage = useGet(`${schemas}/{database}/usage`, at, { enabled: doc.data?.data.attributes.status === 'installed' });
  const d = doc.data?.data;
  if (!d) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const u = usage.data?.data.attributes;
  return (
    <div className="grid min-w-0 gap-8">
      <header className="flex flex-wrap items-start gap-3">
        <div className="min-w-0">
          <p className="text-sm text-muted">
            <Link to="/orgs/$org/servers/$server/databases" params={{ org, server: params.server }} className="hover:text-text hover:underline">
              <Trans>All databases</Trans>
            </Link>
          </p>
          <h2 className="flex flex-wrap items-center gap-3 font-mono text-xl font-semibold [overflow-wrap:anywhere]">
            {d.attributes.name}
            {d.attributes.status !== 'installed' && <State state={d.attributes.status} />}
          </h2>
        </div>
        <span className="ml-auto">
          <Button icon={RefreshCw} does={`get ${schemas}/{database}/usage`} pending={usage.isFetching} onClick={() => void usage.refetch()}>
            <Trans>Refresh</Trans>
          </Button>
        </span>
      </header>
      {usage.error && <Failed error={usage.error} again={() => void usage.refetch()} />}
      {u ? <Usage d={d} u={u} /> : usage.isFetching && <Waiting />}
    </div>
  );
}

function Usage({ d, u }: { d: Database; u: DatabaseUsage }) {
  const { connections: c, slow_queries: slow } = u;
  const of = (count: number, limit: number | null) => (limit === null ? number(count) : t`${number(count)} of ${number(limit)}`);
  return (
    <>
      <Section title={t`Usage`}>
        <Facts
          rows={[
            [t`Size`, bytes(u.size)],
            [t`Tables`, number(u.table_count)],
            [t`Connections`, of(c.count, c.limit)],
            [t`Connections to the engine`, of(c.engine_count, c.engine_limit)],
            [t`Checked`, <Time key="at" at={u.checked_at} ago />],
          ]}
        />
      </Section>
      <Section title={t`Tables`} plain text={u.table_count > u.tables.length ? t`The ${number(u.tables.length)} largest ones.` : undefined}>
        <Table
          label={t`Tables`}
          rows={u.tables}
          id={(x) => `${x.schema}.${x.name}`}
          more={undefined}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,3fr)',
              cell: (x) => (
                <span className="block font-mono [overflow-wrap:anywhere]">{x.schema && x.schema !== 'public' ? `${x.schema}.${x.name}` : x.name}</span>
              ),
            },
            { name: t`Size`, width: '8rem', named: true, cell: (x) => (x.size === null ? t`Unknown` : bytes(x.size)) },
            { name: t`Rows (estimated)`, width: '10rem', named: true, cell: (x) => (x.rows === null ? t`Unknown` : number(x.rows)) },
          ]}
        />
      </Section>
      {u.extensions.length > 0 && <Extensions d={d} u={u} />}
      <Section title={t`Connections by user`} plain>
        {c.users.length === 0 ? (
          <p className="text-muted">
            <Trans>No user is connected.</Trans>
          </p>
        ) : (
          <Table
            label={t`Connections by user`}
            rows={c.users}
            id={(x) => x.name}
            more={undefined}
            columns={[
              { name: t`User`, width: 'minmax(0,3fr)', cell: (x) => <span className="block font-mono [overflow-wrap:anywhere]">{x.name}</span> },
              { name: t`Connections`, width: '10rem', named: true, cell: (x) => of(x.count, x.limit) },
            ]}
          />
        )}
      </Section>
      <Section title={t`Slow queries`} plain text={slow.source && t`The longest mean times that ${slow.source} has.`}>
        {slow.source === null ? (
          <Notice>
            <Trans>Not measured: {slow.reason}</Trans>
          </Notice>
        ) : slow.queries.length === 0 ? (
          <p className="text-muted">
            <Trans>No queries yet.</Trans>
          </p>
        ) : (
          <Table
            label={t`Slow queries`}
            rows={slow.queries.map((q, n) => ({ ...q, id: String(n) }))}
            id={(q) => q.id}
            more={undefined}
            columns={[
              {
                name: t`Query`,
                width: 'minmax(0,4fr)',
                cell: (q) => <code className="block whitespace-pre-wrap text-sm [overflow-wrap:anywhere]">{q.text}</code>,
              },
              { name: t`Mean`, width: '7rem', named: true, cell: (q) => milliseconds(q.mean) },
              { name: t`Slowest`, width: '7rem', named: true, cell: (q) => milliseconds(q.max) },
              { name: t`Calls`, width: '6rem', named: true, cell: (q) => number(q.calls) },
            ]}
          />
        )}
      </Section>
    </>
  );
}

const versions = (has: string, offered: string | null) =>
  offered === has ? has : offered ? t`${has}, ${offered} is offered` : t`${has}, its files are missing`;

function Extensions({ d, u }: { d: Database; u: DatabaseUsage }) {
  const [editing, setEditing] = useState(false);
  const has = u.extensions.filter((e) => e.installed !== null);
  const names = u.extensions.filter((e) => e.installed === null && e.offered !== null).map((e) => e.name);
  return (
    <Section
      title={t`Extensions`}
      plain
      text={names.length > 0 ? t`The server also offers ${names.join(', ')}.` : undefined}
      actions={
        <Button does={`put ${schemas}/{database}`} onClick={() => setEditing(true)}>
          <Trans>Edit extensions</Trans>
        </Button>
      }
    >
      {editing && <EditExtensions database={d} extensions={u.extensions} onClose={() => setEditing(false)} />}
      <Table
        label={t`Extensions`}
        rows={has}
        id={(e) => e.name}
        more={undefined}
        columns={[
          { name: t`Name`, width: 'minmax(0,2fr)', cell: (e) => <span className="block font-mono [overflow-wrap:anywhere]">{e.name}</span> },
          { name: t`Schema`, width: 'minmax(0,1fr)', named: true, cell: (e) => <span className="font-mono [overflow-wrap:anywhere]">{e.schema}</span> },
          {
            name: t`Version`,
            width: '12rem',
            named: true,
            cell: (e) => versions(e.installed ?? '', e.offered),
          },
        ]}
      />
    </Section>
  );
}
