import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { Archive } from 'lucide-react';
import { useState } from 'react';
import type { Operation } from '../../api/permissions';
import { useGet, useList, useWrite } from '../../api/query';
import type { Backup } from '../../api/types';
import { Choice, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { bytes } from '../../kit/numbers';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { schemas, useServerAt } from '../database/at';
import { EventWork } from '../event/work';
import { instances, when } from './backup';
import { newest } from './backups';

const route = '/orgs/$org/servers/$server/backups/$configuration/$backup/restore';

const restores = `${instances}/{backup}/restores` as const;

/** Restore is the form of a restore: what, where to, and what will happen. */
export function Restore() {
  const { configuration, backup } = useParams({ from: route });
  return backup === newest ? <Newest /> : <One key={backup} configuration={configuration} backup={backup} />;
}

/** Newest leads to the restore of the newest complete backup. Another one is the newest soon: what is replaced is backed up first. */
function Newest() {
  const { configuration } = useParams({ from: route });
  const { org, params } = useServerAt();
  const list = useList(instances, { ...params, backupConfiguration: configuration }, { query: { sort: '-created_at' }, size: 50 });
  const found = list.rows.find((b) => b.attributes.status === 'finished');
  if (found) return <Navigate to={route} params={{ org, server: params.server, configuration, backup: found.id }} replace />;
  if (list.isPending) return <Waiting />;
  if (list.error && !list.data) return <Failed error={list.error} again={() => void list.refetch()} />;
  return <Empty icon={Archive} title={t`No backups to restore`} text={t`The first one appears here once it is complete.`} />;
}

function One({ configuration, backup }: { configuration: string; backup: string }) {
  const { org, params } = useServerAt();
  const at = { ...params, backupConfiguration: configuration, backup };
  const doc = useGet(`${instances}/{backup}`, at);
  const b = doc.data?.data;
  if (!b) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return (
    <div className="grid max-w-3xl gap-6">
      <div>
        <p className="text-sm text-muted">
          <Link
            to="/orgs/$org/servers/$server/backups/$configuration"
            params={{ org, server: params.server, configuration }}
            className="hover:text-text hover:underline"
          >
            <Trans>All backups of this configuration</Trans>
          </Link>
        </p>
        <h2 className="text-xl font-semibold">
          <Trans>
            Restore backup from <Time at={when(b)} />
          </Trans>
        </h2>
      </div>
      <Choices b={b} configuration={configuration} />
    </div>
  );
}

/** unused is a name that is not among some: with a number, where it has to be. */
function unused(name: string, names: string[]): string {
  let out = name;
  for (let n = 2; names.includes(out); n++) out = `${name}_${n}`;
  return out;
}

function Choices({ b, configuration }: { b: Backup; configuration: string }) {
  const { org, server, params } = useServerAt();
  const at = { ...params, backupConfiguration: configuration, backup: b.id };
  const databases = useList(schemas, params, { all: true });
  const servers = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' }, all: true });
  const sites = useList('/orgs/{organization}/servers/{server}/sites', params, { all: true });
  const [what, setWhat] = useState('');
  const [where, setWhere] = useState<'new' | 'over' | 'other'>('new');
  const [name, setName] = useState('');
  const [other, setOther] = useState('');
  const [files, setFiles] = useState('');
  const [typed, setTyped] = useState('');
  const [sent, setSent] = useState(''); // the name that was asked for: once it exists, it is free no more
  const write = useWrite('post', restores, at);
  const objects = b.meta?.backup?.objects ?? [];
  const stored = objects.filter((o) => o.kind === 'database' && o.status === 'stored' && o.database_id !== null);
  const chosen = stored.find((o) => String(o.database_id) === what) ?? stored[0];
  const holdsFiles = objects.some((o) => o.kind === 'files' && o.status === 'stored');
  if (!chosen)
    return (
      <Notice tone="bad">
        <Trans>This backup contains no database to restore.</Trans>
      </Notice>
    );
  const still = databases.rows.some((d) => d.id === String(chosen.database_id));
  const fit = servers.rows.filter(
    (s) =>
      s.id !== server.id &&
      s.attributes.database_type &&
      /postgres/.test(s.attributes.database_type) === /postgres/.test(server.attributes.database_type ?? ''),
  );
  const over = where === 'over';
  const does: Operation[] = [write.operation, ...(over ? [] : [`post ${restores} name` as const]), ...(files ? [`post ${restores} site_id` as const] : [])];
  const free = unused(`${chosen.name}_restored`, where === 'new' ? databases.rows.map((d) => d.attributes.name) : []);
  const target = over ? chosen.name : name.trim() || free;
  const on = where === 'other' ? fit.find((s) => s.id === (other || fit[0]?.id)) : undefined;
  const body = () => ({
    database_id: chosen.database_id!,
    name: over ? undefined : target,
    server_id: on ? Number(on.id) : undefined,
    site_id: files ? Number(files) : undefined,
  });
  if (write.event)
    return (
      <div className="grid gap-4">
        <EventWork
          org={org}
          server={on?.id ?? params.server}
          event={write.event}
          done={on ? t`Restored to ${sent} on ${on.attributes.name}.` : t`Restored to ${sent}.`}
        />
        <p className="text-muted">
          <Trans>The restore goes on without this page, and is listed under Events.</Trans>
        </p>
        <div>
          <Link
            to="/orgs/$org/servers/$server/databases"
            params={{ org, server: on?.id ?? params.server }}
            className="font-medium text-accent underline-offset-2 hover:underline"
          >
            <Trans>Go to databases</Trans>
          </Link>
        </div>
      </div>
    );
  return (
    <Section title={t`Restore`}>
      <Form
        write={write}
        submit={over ? t`Replace` : t`Restore`}
        look={over ? 'danger' : 'primary'}
        does={does}
        onSubmit={() => {
          if (over && typed !== chosen.name) return;
          setSent(target);
          write.submit(body());
        }}
        call={() => write.call(body())}
      >
        <Choice
          legend={t`Database`}
          name="database_id"
          value={String(chosen.database_id)}
          onChange={setWhat}
          options={stored.map((o) => ({ value: String(o.database_id), title: o.name, text: bytes(o.size) }))}
        />
        {holdsFiles && (
          <Select
            label={t`Files`}
            name="site_id"
            value={files}
            onChange={(e) => setFiles(e.target.value)}
            options={[['', t`Don't restore files`], ...sites.rows.map((s) => [s.id, t`Restore to ${s.attributes.name}`] as const)]}
          />
        )}
        <Choice
          legend={t`Destination`}
          name="where"
          value={where}
          onChange={setWhere}
          options={[
            { value: 'new', title: t`To a new database`, text: t`Creates a database on this server. Existing data is not changed.` },
            ...(still
              ? [{ value: 'over' as const, title: t`Replace the existing database`, text: t`The current data is backed up first, then replaced.` }]
              : []),
            ...(fit.length > 0
              ? [{ value: 'other' as const, title: t`To another server`, text: t`Creates a database on a server with the same engine.` }]
              : []),
          ]}
        />
        {where === 'other' && (
          <Select
            label={t`Server`}
            name="server_id"
            value={other || fit[0]?.id}
            onChange={(e) => setOther(e.target.value)}
            options={fit.map((s) => [s.id, s.attributes.name] as const)}
          />
        )}
        {!over && <Input label={t`New database name`} name="name" value={name} onChange={(e) => setName(e.target.value)} placeholder={free} code />}
        <section aria-label={t`What will happen`} className="grid gap-2 rounded-lg bg-sunken px-4 py-3">
          <h3 className="font-medium">
            <Trans>What will happen</Trans>
          </h3>
          <ol className="grid list-decimal gap-1.5 pl-5">
            <li>
              {b.meta?.backup?.last_proven_restore ? (
                <Trans>The backup is downloaded, decrypted and checked.</Trans>
              ) : (
                <Trans>The backup is downloaded, decrypted and checked; it has not been verified yet.</Trans>
              )}{' '}
              <Trans>If the key, size or checksum is wrong, the restore stops here.</Trans>
            </li>
            {over ? (
              <>
                <li>
                  <Trans>
                    A new backup of <span className="font-mono">{chosen.name}</span> is stored in the same bucket.
                  </Trans>
                </li>
                <li>
                  <Trans>
                    <span className="font-mono">{chosen.name}</span> is replaced. Everything written to it since <Time at={when(b)} /> is lost.
                  </Trans>
                </li>
              </>
            ) : (
              <>
                <li>
                  <Trans>
                    The database <span className="font-mono">{target}</span> is created on {on?.attributes.name ?? server.attributes.name}.
                  </Trans>
                </li>
                <li>
                  <Trans>
                    The data is restored. <span className="font-mono">{chosen.name}</span> is not changed.
                  </Trans>
                </li>
              </>
            )}
            {files && (
              <li>
                <Trans>The files are restored to {sites.rows.find((s) => s.id === files)?.attributes.name}.</Trans>
              </li>
            )}
          </ol>
        </section>
        {over && (
          <Input
            label={t`Type ${chosen.name} to confirm`}
            name="confirm"
            value={typed}
            onChange={(e) => setTyped(e.target.value)}
            autoComplete="off"
            spellCheck={false}
            hint={typed && typed !== chosen.name ? t`The name does not match.` : undefined}
          />
        )}
      </Form>
    </Section>
  );
}
