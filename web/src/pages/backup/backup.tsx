import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Archive, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Backup, BackupConfiguration } from '../../api/types';
import { Action } from '../../kit/action';
import { Button, ButtonLink } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Unconfirmed } from '../../kit/mail';
import { bytes } from '../../kit/numbers';
import { Empty, Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useServerAt } from '../database/at';
import { EventWork } from '../event/work';
import { useLastLine } from '../server/line';
import { configurations, Proof } from './backups';

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
  const run = <Action write={now} look="primary" icon={Archive}>{t`Back up now`}</Action>;
  return (
    <div className="grid min-w-0 gap-8">
      <header className="grid gap-4">
        <div className="flex flex-wrap items-start gap-3">
          <div className="min-w-0">
            <p className="text-sm text-muted">
              <Link to="/orgs/$org/servers/$server/backups" params={{ org, server: params.server }} className="hover:text-text hover:underline">
                <Trans>All backups</Trans>
              </Link>
            </p>
            <h2 className="text-xl font-semibold [overflow-wrap:anywhere]">{a.name}</h2>
          </div>
          <span className="ml-auto flex flex-wrap gap-2">
            <ButtonLink
              icon={Pencil}
              does={`put ${configurations}/{backupConfiguration}`}
              to="/orgs/$org/servers/$server/backups/$configuration/change"
              params={to}
            >
              <Trans>Edit</Trans>
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
          done={t`Verified: restored into a scratch database and identical to the dump.`}
        />
      )}
      <Section title={t`Backups`} plain>
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} again={() => void list.refetch()} />
        ) : list.rows.length === 0 ? (
          <Empty
            icon={Archive}
            title={t`No backups yet`}
            text={
              <Trans>
                The first backup runs <Time at={a.next_run_time} ago />, or when you start one.
              </Trans>
            }
            action={run}
          />
        ) : (
          <Table
            label={t`Backups`}
            rows={list.rows}
            id={(b) => b.id}
            more={list.more}
            columns={[
              { name: t`Time`, width: '9rem', cell: (b) => <span className="font-medium">{when(b) ? <Time at={when(b)} ago /> : t`Now`}</span> },
              {
                name: t`Status`,
                width: 'minmax(0,1.3fr)',
                cell: (b) => (
                  <span className="grid">
                    <span className="flex items-center gap-2">
                      <State state={b.attributes.status} text={partial(b) ? t`Incomplete` : undefined} tone={partial(b) ? 'warn' : undefined} />
                      {b.meta?.backup?.last_proven_restore && (
                        <Pill tone="good">
                          <Trans>Verified</Trans>
                        </Pill>
                      )}
                      {b.meta?.backup?.proof_status === 'failed' && (
                        <Pill tone="bad">
                          <Trans>Verification failed</Trans>
                        </Pill>
                      )}
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
                name: t`Contents`,
                minor: 'table',
                cell: (b) => (
                  <span className="block truncate font-mono text-sm text-muted">{(b.meta?.backup?.objects ?? []).map((o) => o.name).join(', ')}</span>
                ),
              },
              {
                name: t`Size`,
                width: '6rem',
                minor: 'table',
                cell: (b) => <span className="text-muted">{b.attributes.status === 'finished' ? bytes(b.attributes.size) : ''}</span>,
              },
              {
                name: t`Actions`,
                width: '22.5rem',
                end: true,
                cell: (b) => (
                  <span className="flex gap-1 max-md:grid max-md:grid-cols-[auto_auto] max-md:place-content-start max-md:justify-items-start">
                    {b.attributes.status === 'finished' && (
                      <>
                        <ButtonLink
                          look="quiet"
                          does={`post ${instances}/{backup}/restores`}
                          to="/orgs/$org/servers/$server/backups/$configuration/$backup/restore"
                          params={{ ...to, backup: b.id }}
                        >
                          <Trans>Restore</Trans>
                        </ButtonLink>
                        <Button look="quiet" does={`post ${instances}/{backup}/downloads`} onClick={() => setLoading(b)}>
                          <Trans>Download</Trans>
                        </Button>
                      </>
                    )}
                    <Button look="remove" does={`delete ${instances}/{backup}`} onClick={() => setRemoving(b)}>
                      <Trans>Delete</Trans>
                    </Button>
                    {b.attributes.status === 'finished' && (
                      <Action
                        write={prove}
                        at={{ backup: b.id }}
                        look="quiet"
                        title={t`Restore into a scratch database, compare, and drop it`}
                      >{t`Verify`}</Action>
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Section>
      <Section title={t`Configuration`}>
        <Facts
          rows={[
            [t`Schedule`, a.displayable_schedule],
            [t`Next backup`, <Time key="n" at={a.next_run_time} />],
            [t`Retention`, plural(a.retention, { one: '# backup', other: '# backups' })],
            [
              t`Bucket`,
              <span key="b" className="font-mono text-sm">
                {a.bucket}
                {a.directory && `/${a.directory}`}
              </span>,
            ],
            [
              t`Databases`,
              a.include_new_databases
                ? plural(a.database_ids?.length ?? 0, { one: '# database, plus new ones', other: '# databases, plus new ones' })
                : plural(a.database_ids?.length ?? 0, { one: '# database', other: '# databases' }),
            ],
            [
              t`Test restore`,
              c.meta?.backups?.prove_every_days ? t`Every ${plural(c.meta.backups.prove_every_days, { one: '# day', other: '# days' })}` : t`Manual`,
            ],
            [
              t`Email on failure`,
              a.notify_email && (
                <>
                  {a.notify_email} <Unconfirmed of={c} />
                </>
              ),
            ],
          ]}
        />
      </Section>
      <Section title={t`Danger zone`}>
        <div className="flex flex-wrap items-center gap-4">
          <p className="min-w-0 flex-1 basis-64">
            <Trans>Stop these backups. Existing backups stay in the bucket.</Trans>
          </p>
          <Button look="danger" does={`delete ${configurations}/{backupConfiguration}`} onClick={() => setEnding(true)}>
            <Trans>Delete configuration</Trans>
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
      title={t`Delete this backup?`}
      name={name}
      submit={t`Delete backup`}
      what={
        <Trans>
          The backup of {(b.meta?.backup?.objects ?? []).map((o) => o.name).join(', ')} from <Time at={when(b)} /> is permanently deleted from the bucket.
        </Trans>
      }
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
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
      title={t`Delete ${c.attributes.name}?`}
      name={c.attributes.name}
      submit={t`Delete configuration`}
      what={t`This configuration no longer backs up its databases. Existing backups stay in the bucket but are no longer listed here.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}

function Downloads({ at, b, onClose }: { at: At; b: Backup; onClose: () => void }) {
  const write = useWrite('post', `${instances}/{backup}/downloads`, { ...at, backup: b.id });
  const objects = write.answer?.data.meta?.backup?.objects ?? [];
  return (
    <Dialog open onClose={onClose} title={t`Download`} text={t`Files are encrypted, as stored in the bucket. Links expire after an hour.`}>
      <div className="grid gap-4">
        {write.error && (
          <Notice tone="bad" role="alert">
            {write.error.message}
          </Notice>
        )}
        {objects.length === 0 ? (
          <div>
            <Action write={write} look="primary">{t`Create download links`}</Action>
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
                    <Trans>
                      Download<span className="sr-only"> {o.name}</span>
                    </Trans>
                  </a>
                </li>
              ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
