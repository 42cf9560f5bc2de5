import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Database as Icon, Plus, RefreshCw, UserRound } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Database, DatabaseUser } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName } from '../../kit/dialog';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soonAny, Time } from '../../kit/state';
import { Filter, rowLink, Table } from '../../kit/table';
import { version } from '../../kit/words';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { schemas, users, useServerAt } from './at';
import { EditUser, NewDatabase, NewUser } from './forms';

export function Databases() {
  const { org, server, params } = useServerAt();
  const [name, setName] = useState('');
  const list = useList(schemas, params, { query: { 'filter[name]': name, sort: 'name' }, every: soonAny, enabled: !!server.attributes.database_type });
  const accounts = useList(users, params, { query: { sort: 'name' }, every: soonAny, enabled: !!server.attributes.database_type });
  const [adding, setAdding] = useState(false);
  useDeed('add', () => setAdding(true));
  const [joining, setJoining] = useState(false);
  const [editing, setEditing] = useState<DatabaseUser | null>(null);
  const [removing, setRemoving] = useState<Database | null>(null);
  const [leaving, setLeaving] = useState<DatabaseUser | null>(null);
  const sync = useWrite('post', `${schemas}/synchronizations`, params);
  if (!server.attributes.database_type)
    return (
      <Empty icon={Icon} title={t`No database engine on this server`} text={t`Choose a database engine when you add an app server or a database server.`} />
    );
  const all = [...list.rows, ...accounts.rows];
  const operation = (all.find((r) => active(r.meta?.operation)) ?? all.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const add = (
    <Button look="primary" icon={Plus} does={`post ${schemas}`} onClick={() => setAdding(true)}>
      <Trans>New database</Trans>
    </Button>
  );
  const names = new Map(list.rows.map((d) => [d.id, d.attributes.name]));
  const may = (u: DatabaseUser) =>
    u.meta?.database_user?.all ? t`All databases` : (u.meta?.database_user?.database_ids ?? []).map((id) => names.get(id) ?? id).join(', ');
  return (
    <div className="grid gap-8">
      {operation && <DatabaseWork org={org} operation={operation} server={params.server} />}
      {sync.error && (
        <Notice tone="bad" role="alert">
          {sync.error.message}
        </Notice>
      )}
      <Section
        title={t`Databases`}
        plain
        text={t`Not reachable from outside until a firewall rule allows it.`}
        actions={
          <>
            <Action
              write={sync}
              plans
              icon={RefreshCw}
              title={t`Import databases created on the server and remove those that no longer exist`}
            >{t`Import existing`}</Action>
            {add}
          </>
        }
      >
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} again={() => void list.refetch()} />
        ) : (
          <>
            {(list.rows.length > 8 || name) && <Filter label={t`Filter by name`} onChange={setName} />}
            {list.rows.length === 0 ? (
              name ? (
                <p className="py-6 text-center text-muted">
                  <Trans>No databases match “{name}”.</Trans>
                </p>
              ) : (
                <Empty
                  icon={Icon}
                  title={t`No databases yet`}
                  text={t`Create a database and a user with access to it. The password is generated and shown once.`}
                  action={add}
                />
              )
            ) : (
              <Table
                label={t`Databases`}
                rows={list.rows}
                id={(d) => d.id}
                more={list.more}
                columns={[
                  {
                    name: t`Name`,
                    width: 'minmax(0,2fr)',
                    cell: (d) => (
                      <Link
                        to="/orgs/$org/servers/$server/databases/$database"
                        params={{ org, server: params.server, database: d.id }}
                        className={`block truncate font-mono ${rowLink}`}
                      >
                        {d.attributes.name}
                      </Link>
                    ),
                  },
                  { name: t`Status`, width: '8rem', cell: (d) => <State state={d.attributes.status} /> },
                  {
                    name: t`Created`,
                    width: '8rem',
                    minor: true,
                    cell: (d) => (
                      <span className="text-muted">
                        <Time at={d.attributes.created_at} ago />
                      </span>
                    ),
                  },
                  {
                    name: t`Delete`,
                    width: '6rem',
                    end: true,
                    cell: (d) => (
                      <Button look="remove" does={`delete ${schemas}/{database}`} onClick={() => setRemoving(d)}>
                        <Trans>Delete</Trans>
                      </Button>
                    ),
                  },
                ]}
              />
            )}
          </>
        )}
      </Section>
      <Section
        title={t`Users`}
        plain
        text={t`Database users and their access. A password is shown only when it is created.`}
        actions={
          <Button icon={UserRound} does={`post ${users}`} onClick={() => setJoining(true)}>
            <Trans>New user</Trans>
          </Button>
        }
      >
        {accounts.isPending ? (
          <Waiting />
        ) : accounts.error && !accounts.data ? (
          <Failed error={accounts.error} again={() => void accounts.refetch()} />
        ) : (
          <Table
            label={t`Users`}
            rows={accounts.rows}
            id={(u) => u.id}
            more={accounts.more}
            columns={[
              {
                name: t`Name`,
                width: 'minmax(0,1.5fr)',
                cell: (u) => (
                  <span className="flex items-center gap-2">
                    <span className="truncate font-mono font-medium">{u.attributes.name}</span>
                    {u.meta?.database_user?.all && (
                      <Pill>
                        <Trans>Used by sites</Trans>
                      </Pill>
                    )}
                    {u.meta?.database_user?.read_only && (
                      <Pill>
                        <Trans>Read-only</Trans>
                      </Pill>
                    )}
                  </span>
                ),
              },
              {
                name: t`Databases`,
                width: 'minmax(0,2fr)',
                named: true,
                cell: (u) =>
                  may(u) ? (
                    <span className="block truncate" title={may(u)}>
                      {may(u)}
                    </span>
                  ) : (
                    <span className="text-muted">
                      <Trans>None</Trans>
                    </span>
                  ),
              },
              { name: t`Status`, width: '8rem', cell: (u) => <State state={u.attributes.status} /> },
              {
                name: t`Edit`,
                width: '11rem',
                end: true,
                cell: (u) => (
                  <span className="flex gap-1">
                    <Button
                      look="quiet"
                      does={u.meta?.database_user?.all ? 'put /orgs/{organization}/servers/{server}/database/password' : `put ${users}/{databaseUser}`}
                      onClick={() => setEditing(u)}
                    >
                      <Trans>Edit</Trans>
                    </Button>
                    {!u.meta?.database_user?.all && (
                      <Button look="remove" does={`delete ${users}/{databaseUser}`} onClick={() => setLeaving(u)}>
                        <Trans>Delete</Trans>
                      </Button>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Section>
      <Engine />
      {adding && <NewDatabase accounts={accounts.rows} onClose={() => setAdding(false)} />}
      {joining && <NewUser databases={list.rows} onClose={() => setJoining(false)} />}
      {editing && <EditUser user={editing} databases={list.rows} onClose={() => setEditing(null)} />}
      {removing && <RemoveDatabase d={removing} onClose={() => setRemoving(null)} />}
      {leaving && <RemoveUser u={leaving} onClose={() => setLeaving(null)} />}
    </div>
  );
}

function DatabaseWork({ org, operation, server }: { org: string; operation: Parameters<typeof Work>[0]['operation']; server: string }) {
  const last = useLastLine(operation.event_id);
  return <Work operation={operation} org={org} server={server} line={last} />;
}

function RemoveDatabase({ d, onClose }: { d: Database; onClose: () => void }) {
  const { params } = useServerAt();
  const write = useWrite('delete', `${schemas}/{database}`, { ...params, database: d.id }, onClose);
  const used = write.error?.status === 409; // sites use it, and the answer names them
  const name = d.attributes.name;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${name}?`}
      name={name}
      submit={used ? t`Delete anyway` : t`Delete database`}
      what={t`The database and all its data are permanently deleted. Its backups stay in their buckets.`}
      removal={{ ...write, submit: () => write.submit(undefined, undefined, used ? { force: 'true' } : undefined), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}

function RemoveUser({ u, onClose }: { u: DatabaseUser; onClose: () => void }) {
  const { params } = useServerAt();
  const write = useWrite('delete', `${users}/{databaseUser}`, { ...params, databaseUser: u.id }, onClose);
  const used = write.error?.status === 409; // sites use it, and the answer names them
  const name = u.attributes.name;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${name}?`}
      name={name}
      submit={used ? t`Delete anyway` : t`Delete user`}
      what={t`Its connections are closed, and it can no longer sign in. Databases are not affected.`}
      removal={{ ...write, submit: () => write.submit(undefined, undefined, used ? { force: 'true' } : undefined), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}

/** Engine is the program itself. Stopping it stops every site that uses it: its name is asked for. */
function Engine() {
  const { server, params } = useServerAt();
  const postgres = /postgres/.test(server.attributes.database_type ?? '');
  const [asked, setAsked] = useState<'reboot' | 'stop' | null>(null);
  const write = useWrite(
    'post',
    `/orgs/{organization}/servers/{server}/services/${postgres ? 'postgres' : 'mysql'}/actions` as '/orgs/{organization}/servers/{server}/services/mysql/actions',
    params,
    () => setAsked(null),
  );
  const name = postgres ? 'PostgreSQL' : /mariadb/.test(server.attributes.database_type ?? '') ? 'MariaDB' : 'MySQL';
  return (
    <Section title={name}>
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-64">
          <span className="font-mono text-sm">{version(server.attributes.database_type!)}</span>
          {server.attributes.db_status && <span className="text-muted">, {server.attributes.db_status}</span>}
        </p>
        <Button does={write.operation} onClick={() => setAsked('reboot')}>
          <Trans>Restart</Trans>
        </Button>
        <Button does={write.operation} onClick={() => setAsked('stop')}>
          <Trans>Stop</Trans>
        </Button>
      </div>
      {asked && (
        <ConfirmName
          open
          easy={asked === 'reboot'}
          onClose={() => setAsked(null)}
          title={asked === 'reboot' ? t`Restart ${name}?` : t`Stop ${name}?`}
          name={server.attributes.name}
          submit={asked === 'reboot' ? t`Restart` : t`Stop`}
          what={asked === 'reboot' ? t`Open connections are closed. Sites can reconnect a moment later.` : t`Sites that use it fail until you start it again.`}
          removal={{ ...write, submit: () => write.submit({ action: asked }), tryOut: () => write.tryOut({ action: asked }) }}
          call={() => write.call({ action: asked })}
        />
      )}
    </Section>
  );
}
