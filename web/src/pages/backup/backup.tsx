import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Archive, Download, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Backup, BackupConfiguration } from '../../api/types';
import { Action } from '../../kit/action';
import { Button, ButtonLink } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { bytes, plural } from '../../kit/numbers';
import { Empty, Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useServerAt } from '../database/at';
import { EventWork } from '../event/work';
import { useLastLine } from '../server/line';
import { configurations, create, Proof } from './backups';

export const instances = `${configurations}/{backupConfiguration}/instances` as const;

const busy = (b: Backup) => b.attributes.status === 'running' || b.attributes.status === 'removing' || active(b.meta?.operation);
const partial = (b: Backup) => b.attributes.is_partial === 'true';
export const when = (b: Backup) => (b.attributes.finished_at ? new Date(b.attributes.finished_at * 1000).toISOString() : null);

export function BackupPage() {
  const { configuration } = useParams({ from: '/orgs/$org/servers/$server/backups/$configuration' });
  const { org, params } = useServerAt();
  const to = { org, server: params.server, configuration };
  const at = { ...params, backupConfiguration: configuration };
  const doc = useGet(`${configurations}/{backupConfiguration}`, at, { every: 15_000 });
  const list = useList(instances, at, { query: { sort: '-created_at' }, size: 50, every: (rows: Backup[]) => (rows.some(busy) ? 1_500 : 15_000) });
  const now = useWrite('post', instances, at);
  const prove = useWrite('post', `${instances}/{backup}/proofs`, at);
  const [removing, setRemoving] = useState<Backup | null>(null);
  const [loading, setLoading] = useState<Backup | null>(null);
  const [ending, setEnding] = useState(false);
  const c = doc.data?.data;
  const running = list.rows.find(busy)?.meta?.operation;
  const last = useLastLine(running?.event_id);
  if (!c) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = c.attributes;
  const error = now.error ?? prove.error;
  const command = `${params.server} ${configuration}`;
  const run = (
    <Action write={now} look="primary" icon={Archive} needs={create} cli={() => `hostler backups run ${command}`}>
      Back up now
    </Action>
  );
  return (
    <div className="grid min-w-0 gap-8">
      <header className="grid gap-4">
        <div className="flex flex-wrap items-start gap-3">
          <div className="min-w-0">
            <p className="text-sm text-muted">
              <Link to="/orgs/$org/servers/$server/backups" params={{ org, server: params.server }} className="hover:text-text hover:underline">
                All backups
              </Link>
            </p>
            <h2 className="text-xl font-semibold [overflow-wrap:anywhere]">{a.name}</h2>
          </div>
          <span className="ml-auto flex flex-wrap gap-2">
            <ButtonLink icon={Pencil} needs={create} to="/orgs/$org/servers/$server/backups/$configuration/change" params={to}>
              Edit
            </ButtonLink>
            {run}
          </span>
        </div>
        <div className="panel p-5">
          <Proof c={c} big />
        </div>
      </header>
      {error && (
        <Notice tone="bad" role="alert">
          {error.message}
        </Notice>
      )}
      {running && active(running) && <Work operation={running} org={org} server={params.server} line={last} />}
      {prove.event && (
        <EventWork
          key={prove.event}
          org={org}
          server={params.server}
          event={prove.event}
          done="Verified: restored into a scratch database and identical to the dump."
        />
      )}
      <Section title="Backups" plain>
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} again={() => void list.refetch()} />
        ) : list.rows.length === 0 ? (
          <Empty
            icon={Archive}
            title="No backups yet"
            text={
              <>
                The first backup runs <Time at={a.next_run_time} ago />, or when you start one.
              </>
            }
            action={run}
          />
        ) : (
          <Table
            label="Backups"
            rows={list.rows}
            id={(b) => b.id}
            more={list.more}
            columns={[
              { name: 'Time', width: '9rem', cell: (b) => <span className="font-medium">{when(b) ? <Time at={when(b)} ago /> : 'Now'}</span> },
              {
                name: 'Status',
                width: 'minmax(0,1.3fr)',
                cell: (b) => (
                  <span className="grid">
                    <span className="flex items-center gap-2">
                      <State state={b.attributes.status} text={partial(b) ? 'Incomplete' : undefined} tone={partial(b) ? 'warn' : undefined} />
                      {b.meta?.backup?.last_proven_restore && <Pill tone="good">Verified</Pill>}
                      {b.meta?.backup?.proof_status === 'failed' && <Pill tone="bad">Verification failed</Pill>}
                    </span>
                    {(b.meta?.backup?.reason ?? b.meta?.backup?.proof_reason) && (
                      <span className="truncate text-sm text-danger" title={b.meta!.backup!.reason ?? b.meta!.backup!.proof_reason ?? ''}>
                        {b.meta!.backup!.reason ?? b.meta!.backup!.proof_reason}
                      </span>
                    )}
                  </span>
                ),
              },
              {
                name: 'Contents',
                cell: (b) => (
                  <span className="block truncate font-mono text-sm text-muted">{(b.meta?.backup?.objects ?? []).map((o) => o.name).join(', ')}</span>
                ),
              },
              {
                name: 'Size',
                width: '6rem',
                cell: (b) => <span className="text-muted">{b.attributes.status === 'finished' ? bytes(b.attributes.size) : ''}</span>,
              },
              {
                name: 'Actions',
                width: '19rem',
                end: true,
                cell: (b) => (
                  <span className="flex gap-1">
                    {b.attributes.status === 'finished' && (
                      <>
                        <ButtonLink
                          look="quiet"
                          needs={create}
                          to="/orgs/$org/servers/$server/backups/$configuration/$backup/restore"
                          params={{ ...to, backup: b.id }}
                        >
                          Restore
                        </ButtonLink>
                        <Action
                          write={prove}
                          at={{ backup: b.id }}
                          look="quiet"
                          needs={create}
                          title="Restore into a scratch database, compare, and drop it"
                          cli={() => `hostler backups verify ${command} ${b.id}`}
                        >
                          Verify
                        </Action>
                        <Button look="quiet" only icon={Download} needs={create} title="Download" onClick={() => setLoading(b)}>
                          Download
                        </Button>
                      </>
                    )}
                    <Button look="quiet" needs="server:delete-backups" onClick={() => setRemoving(b)}>
                      Delete
                    </Button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </Section>
      <Section title="Configuration">
        <Facts
          rows={[
            ['Schedule', a.displayable_schedule],
            ['Next backup', <Time key="n" at={a.next_run_time} />],
            ['Retention', plural(a.retention, 'backup')],
            [
              'Bucket',
              <span key="b" className="font-mono text-sm">
                {a.bucket}
                {a.directory && `/${a.directory}`}
              </span>,
            ],
            ['Databases', `${plural(a.database_ids?.length ?? 0, 'database')}${a.include_new_databases ? ', plus new ones' : ''}`],
            ['Test restore', c.meta?.backups?.prove_every_days ? `Every ${plural(c.meta.backups.prove_every_days, 'day')}` : 'Manual'],
            ['Email on failure', a.notify_email],
          ]}
        />
      </Section>
      <Section title="Danger zone">
        <div className="flex flex-wrap items-center gap-4">
          <p className="min-w-0 flex-1 basis-64">Stop these backups. Existing backups stay in the bucket.</p>
          <Button look="danger" needs="server:delete-backups" onClick={() => setEnding(true)}>
            Delete configuration
          </Button>
        </div>
      </Section>
      {removing && <RemoveInstance at={at} b={removing} onClose={() => setRemoving(null)} />}
      {loading && <Downloads at={at} b={loading} onClose={() => setLoading(null)} />}
      {ending && <End at={at} c={c} onClose={() => setEnding(false)} />}
    </div>
  );
}

type At = Record<string, string>;

function RemoveInstance({ at, b, onClose }: { at: At; b: Backup; onClose: () => void }) {
  const write = useWrite('delete', `${instances}/{backup}`, { ...at, backup: b.id }, onClose);
  const name = (b.meta?.backup?.objects ?? [])[0]?.name ?? 'backup';
  return (
    <ConfirmName
      open
      onClose={onClose}
      title="Delete this backup?"
      name={name}
      submit="Delete backup"
      what={
        <>
          The backup of {(b.meta?.backup?.objects ?? []).map((o) => o.name).join(', ')} from <Time at={when(b)} /> is permanently deleted from the bucket.
        </>
      }
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
      cli={() => `hostler backups delete ${at.server} ${at.backupConfiguration} ${b.id}`}
    />
  );
}

function End({ at, c, onClose }: { at: At; c: BackupConfiguration; onClose: () => void }) {
  const navigate = useNavigate();
  const write = useWrite(
    'delete',
    `${configurations}/{backupConfiguration}`,
    at,
    () => void navigate({ to: '/orgs/$org/servers/$server/backups', params: { org: at.organization!, server: at.server! } }),
  );
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={`Delete ${c.attributes.name}?`}
      name={c.attributes.name}
      submit="Delete configuration"
      what="This configuration no longer backs up its databases. Existing backups stay in the bucket but are no longer listed here."
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}

function Downloads({ at, b, onClose }: { at: At; b: Backup; onClose: () => void }) {
  const write = useWrite('post', `${instances}/{backup}/downloads`, { ...at, backup: b.id });
  const objects = write.answer?.data.meta?.backup?.objects ?? [];
  return (
    <Dialog open onClose={onClose} title="Download" text="Files are encrypted, as stored in the bucket. Links expire after an hour.">
      <div className="grid gap-4">
        {write.error && (
          <Notice tone="bad" role="alert">
            {write.error.message}
          </Notice>
        )}
        {objects.length === 0 ? (
          <div>
            <Action write={write} look="primary" needs={create} cli={() => `hostler backups download ${at.server} ${at.backupConfiguration} ${b.id}`}>
              Create download links
            </Action>
          </div>
        ) : (
          <ul className="panel divide-y divide-line">
            {objects
              .filter((o) => o.url)
              .map((o) => (
                <li key={o.key} className="flex items-center gap-3 px-4 py-2.5">
                  <span className="min-w-0 flex-1 truncate font-mono text-sm">{o.name}</span>
                  <span className="text-sm text-muted">{bytes(o.size)}</span>
                  <a href={o.url} rel="noreferrer" className="font-medium text-accent underline-offset-2 hover:underline">
                    Download<span className="sr-only"> {o.name}</span>
                  </a>
                </li>
              ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
