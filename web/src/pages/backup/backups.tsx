import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Archive, History, Plus, ShieldAlert, ShieldCheck, ShieldQuestion } from 'lucide-react';
import { useList } from '../../api/query';
import type { BackupConfiguration } from '../../api/types';
import { ButtonLink } from '../../kit/button';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { useServerAt } from '../database/at';

export const configurations = '/orgs/{organization}/servers/{server}/database/backups';
/** newest stands for the newest backup where an address names one. */
export const newest = 'newest';

/** Proof is the headline of backups: when one was last restored and found to be what was dumped. Nothing else says that they are good. */
export function Proof({ c, big }: { c: BackupConfiguration; big?: boolean }) {
  const b = c.meta?.backups;
  const at = b?.last_proven_restore;
  const failed = !!b?.alarm || b?.proof_status === 'failed';
  const Icon = failed ? ShieldAlert : at ? ShieldCheck : ShieldQuestion;
  const tone = failed ? 'text-danger' : at ? 'text-accent' : 'text-warn';
  return (
    <div className="flex min-w-0 items-start gap-3">
      <Icon className={`${big ? 'size-8' : 'size-6'} mt-0.5 shrink-0 ${tone}`} aria-hidden />
      <div className="min-w-0">
        <p className={`${big ? 'text-xl' : 'text-lg'} font-semibold`}>
          {at ? (
            <Trans>
              Last verified restore <Time at={at} ago />
            </Trans>
          ) : (
            t`Not verified yet`
          )}
        </p>
        <p className={`[overflow-wrap:anywhere] ${failed ? 'text-danger' : 'text-muted'}`}>
          {b?.alarm ??
            (b?.proof_status === 'failed' ? (
              (b.proof_reason ?? t`The last verification failed.`)
            ) : at ? (
              <>
                <Trans>Restored into a scratch database and compared with the dump.</Trans>
                {b?.next_proof && (
                  <>
                    {' '}
                    <Trans>
                      Next verification <Time at={b.next_proof} ago />.
                    </Trans>
                  </>
                )}
              </>
            ) : b?.next_proof ? (
              b.last_backup || !c.attributes.database_ids?.length ? (
                <Trans>
                  Verified <Time at={b.next_proof} ago /> at the latest, or when you start it.
                </Trans>
              ) : (
                t`The first backup is test-restored as soon as it is stored.`
              )
            ) : (
              t`These backups have never been test-restored.`
            ))}
        </p>
      </div>
    </div>
  );
}

export function Backups() {
  const { server, params } = useServerAt();
  const to = { org: params.organization, server: params.server };
  const list = useList(configurations, params, { query: { sort: 'name' }, every: 20_000, enabled: !!server.attributes.database_type, all: true });
  const add = (
    <ButtonLink look="primary" icon={Plus} does={`post ${configurations}`} to="/orgs/$org/servers/$server/backups/new" params={to}>
      <Trans>New backup</Trans>
    </ButtonLink>
  );
  if (!server.attributes.database_type)
    return (
      <Empty
        icon={Archive}
        title={t`No databases to back up`}
        text={t`This server has no database engine. Site files are backed up together with a database.`}
      />
    );
  return (
    <Section
      title={t`Backups`}
      plain
      text={t`Compressed and encrypted on the server, stored in your bucket, and test-restored on a schedule.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={Archive}
          title={t`No backups configured`}
          text={t`Choose databases, a bucket and a schedule. You can run the first backup right away.`}
          action={add}
        />
      ) : (
        <ul className="grid gap-4 lg:grid-cols-2">
          {list.rows.map((c) => (
            <li key={c.id} className="panel relative grid content-start gap-4 p-5 transition-colors hover:bg-hover">
              <div className="flex items-baseline gap-3">
                <h3 className="min-w-0 flex-1 truncate text-base font-medium">
                  <Link
                    to="/orgs/$org/servers/$server/backups/$configuration"
                    params={{ ...to, configuration: c.id }}
                    className="after:absolute after:inset-0 hover:underline"
                  >
                    {c.attributes.name}
                  </Link>
                </h3>
                <span className="text-sm text-muted">{c.attributes.displayable_schedule}</span>
              </div>
              <Proof c={c} />
              <p className="text-sm text-muted">
                {c.attributes.include_new_databases ? (
                  <Trans>
                    <Plural value={c.attributes.database_ids?.length ?? 0} one="# database" other="# databases" />, plus new ones, to {c.attributes.bucket}.
                  </Trans>
                ) : (
                  <Trans>
                    <Plural value={c.attributes.database_ids?.length ?? 0} one="# database" other="# databases" /> to {c.attributes.bucket}.
                  </Trans>
                )}{' '}
                <Trans>Keeps the last {c.attributes.retention}.</Trans>{' '}
                {c.meta?.backups?.last_backup ? (
                  <Trans>
                    Last backup <Time at={c.meta.backups.last_backup} ago />, next <Time at={c.attributes.next_run_time} ago />.
                  </Trans>
                ) : (
                  <Trans>
                    No backups yet, next <Time at={c.attributes.next_run_time} ago />.
                  </Trans>
                )}
              </p>
              {c.meta?.backups?.last_backup && (
                <span className="relative z-10 justify-self-start">
                  <ButtonLink
                    icon={History}
                    does={`post ${configurations}/{backupConfiguration}/instances/{backup}/restores`}
                    to="/orgs/$org/servers/$server/backups/$configuration/$backup/restore"
                    params={{ ...to, configuration: c.id, backup: newest }}
                  >
                    <Trans>
                      Restore<span className="sr-only"> {c.attributes.name}</span>
                    </Trans>
                  </ButtonLink>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
