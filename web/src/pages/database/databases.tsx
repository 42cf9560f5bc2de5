import { Database as Icon, Plus, RefreshCw, UserRound } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Database, DatabaseUser } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { shell } from '../../kit/copy';
import { useDeed } from '../../kit/deed';
import { ConfirmName } from '../../kit/dialog';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soonAny, Time } from '../../kit/state';
import { Filter, Table } from '../../kit/table';
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
    return <Empty icon={Icon} title="No database engine on this server" text="Choose a database engine when you add an app server or a database server." />;
  const all = [...list.rows, ...accounts.rows];
  const operation = (all.find((r) => active(r.meta?.operation)) ?? all.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const add = (
    <Button look="primary" icon={Plus} needs="server:create-databases" onClick={() => setAdding(true)}>
      New database
    </Button>
  );
  const names = new Map(list.rows.map((d) => [d.id, d.attributes.name]));
  const may = (u: DatabaseUser) =>
    u.meta?.database_user?.all ? 'All databases' : (u.meta?.database_user?.database_ids ?? []).map((id) => names.get(id) ?? id).join(', ');
  return (
    <div className="grid gap-8">
      {operation && <DatabaseWork org={org} operation={operation} server={params.server} />}
      {sync.error && (
        <Notice tone="bad" role="alert">
          {sync.error.message}
        </Notice>
      )}
      <Section
        title="Databases"
        plain
        text="Not reachable from outside until a firewall rule allows it."
        actions={
          <>
            <Action
              write={sync}
              plans
              icon={RefreshCw}
              needs="server:create-databases"
              title="Import databases created on the server and remove those that no longer exist"
              cli={() => `hostler databases sync ${shell(server.attributes.name)}`}
            >
              Import existing
            </Action>
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
            {(list.rows.length > 8 || name) && <Filter label="Filter by name" onChange={setName} />}
            {list.rows.length === 0 ? (
              name ? (
                <p className="py-6 text-center text-muted">No databases match “{name}”.</p>
              ) : (
                <Empty
                  icon={Icon}
                  title="No databases yet"
                  text="Create a database and a user with access to it. The password is generated and shown once."
                  action={add}
                />
              )
            ) : (
              <Table
                label="Databases"
                rows={list.rows}
                id={(d) => d.id}
                more={list.more}
                columns={[
                  { name: 'Name', width: 'minmax(0,2fr)', cell: (d) => <span className="block truncate font-mono font-medium">{d.attributes.name}</span> },
                  { name: 'Status', width: '8rem', cell: (d) => <State state={d.attributes.status} /> },
                  {
                    name: 'Created',
                    width: '8rem',
                    minor: true,
                    cell: (d) => (
                      <span className="text-muted">
                        <Time at={d.attributes.created_at} ago />
                      </span>
                    ),
                  },
                  {
                    name: 'Delete',
                    width: '6rem',
                    end: true,
                    cell: (d) => (
                      <Button look="quiet" needs="server:delete-databases" onClick={() => setRemoving(d)}>
                        Delete
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
        title="Users"
        plain
        text="Database users and their access. A password is shown only when it is created."
        actions={
          <Button icon={UserRound} needs="server:create-databases" onClick={() => setJoining(true)}>
            New user
          </Button>
        }
      >
        {accounts.isPending ? (
          <Waiting />
        ) : accounts.error && !accounts.data ? (
          <Failed error={accounts.error} again={() => void accounts.refetch()} />
        ) : (
          <Table
            label="Users"
            rows={accounts.rows}
            id={(u) => u.id}
            more={accounts.more}
            columns={[
              {
                name: 'Name',
                width: 'minmax(0,1.5fr)',
                cell: (u) => (
                  <span className="flex items-center gap-2">
                    <span className="truncate font-mono font-medium">{u.attributes.name}</span>
                    {u.meta?.database_user?.all && <Pill>Used by sites</Pill>}
                    {u.meta?.database_user?.read_only && <Pill>Read-only</Pill>}
                  </span>
                ),
              },
              {
                name: 'Databases',
                width: 'minmax(0,2fr)',
                named: true,
                cell: (u) =>
                  may(u) ? (
                    <span className="block truncate" title={may(u)}>
                      {may(u)}
                    </span>
                  ) : (
                    <span className="text-muted">None</span>
                  ),
              },
              { name: 'Status', width: '8rem', cell: (u) => <State state={u.attributes.status} /> },
              {
                name: 'Edit',
                width: '11rem',
                end: true,
                cell: (u) => (
                  <span className="flex gap-1">
                    <Button
                      look="quiet"
                      needs={u.meta?.database_user?.all ? 'server:manage-services' : 'server:create-databases'}
                      onClick={() => setEditing(u)}
                    >
                      Edit
                    </Button>
                    {!u.meta?.database_user?.all && (
                      <Button look="quiet" needs="server:delete-databases" onClick={() => setLeaving(u)}>
                        Delete
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
  const { server, params } = useServerAt();
  const write = useWrite('delete', `${schemas}/{database}`, { ...params, database: d.id }, onClose);
  const used = write.error?.status === 409; // sites use it, and the answer names them
  const name = d.attributes.name;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      name={name}
      submit={used ? 'Delete anyway' : 'Delete database'}
      what="The database and all its data are permanently deleted. Its backups stay in their buckets."
      removal={{ ...write, submit: () => write.submit(undefined, undefined, used ? { force: 'true' } : undefined), tryOut: () => write.tryOut() }}
      call={() => write.call()}
      cli={() => `hostler databases delete ${shell(server.attributes.name)} ${shell(name)}${used ? ' --force' : ''}`}
    />
  );
}

function RemoveUser({ u, onClose }: { u: DatabaseUser; onClose: () => void }) {
  const { server, params } = useServerAt();
  const write = useWrite('delete', `${users}/{databaseUser}`, { ...params, databaseUser: u.id }, onClose);
  const used = write.error?.status === 409; // sites use it, and the answer names them
  const name = u.attributes.name;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      name={name}
      submit={used ? 'Delete anyway' : 'Delete user'}
      what="Its connections are closed, and it can no longer sign in. Databases are not affected."
      removal={{ ...write, submit: () => write.submit(undefined, undefined, used ? { force: 'true' } : undefined), tryOut: () => write.tryOut() }}
      call={() => write.call()}
      cli={() => `hostler databases users delete ${shell(server.attributes.name)} ${shell(name)}${used ? ' --force' : ''}`}
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
        <Button needs="server:manage-services" onClick={() => setAsked('reboot')}>
          Restart
        </Button>
        <Button needs="server:manage-services" onClick={() => setAsked('stop')}>
          Stop
        </Button>
      </div>
      {asked && (
        <ConfirmName
          open
          easy={asked === 'reboot'}
          onClose={() => setAsked(null)}
          title={asked === 'reboot' ? `Restart ${name}?` : `Stop ${name}?`}
          name={server.attributes.name}
          submit={asked === 'reboot' ? 'Restart' : 'Stop'}
          what={asked === 'reboot' ? 'Open connections are closed. Sites can reconnect a moment later.' : 'Sites that use it fail until you start it again.'}
          removal={{ ...write, submit: () => write.submit({ action: asked }), tryOut: () => write.tryOut({ action: asked }) }}
          call={() => write.call({ action: asked })}
          cli={asked === 'reboot' ? () => `hostler databases restart ${shell(server.attributes.name)}` : undefined}
        />
      )}
    </Section>
  );
}
