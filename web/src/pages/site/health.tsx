import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMay } from '../../api/may';
import { useGet, useList } from '../../api/query';
import type { Site } from '../../api/types';
import { Section } from '../../kit/page';
import { State, soonAny, Time, useNow } from '../../kit/state';
import { configurations } from '../backup/backups';
import { deploys } from '../deployment/releases';
import { many as heartbeats } from '../heartbeat/heartbeats';
import { processes } from '../process/form';
import { ofCertificate, ofHeartbeats, ofProcesses, ofResponse, type Verdict } from './verdict';

interface At {
  site: Site;
  params: { organization: string; server: string; site: string };
  to: { org: string; site: string };
}

/** Health is what a site depends on, a line each, with the way to what there is not yet. A part that the person may not see is left out. */
export function Health({ site, params, to }: At) {
  const { organization, server } = params;
  const above = { organization, server };
  const host = useGet('/orgs/{organization}/servers/{server}', above);
  const databases = !!host.data?.data.attributes.database_type;
  const may = useMay('get /orgs/{organization}/servers/{server}/sites/{site}/certificates');
  const certificates = useGet('/orgs/{organization}/servers/{server}/sites/{site}/certificates', params, { every: 60_000 });
  const running = useList(processes, above, { query: { 'filter[site_id]': params.site }, every: soonAny, all: true });
  const checks = useMay('get /orgs/{organization}/servers/{server}/sites/{site}/healthcheck') && deploys(site);
  const check = useGet('/orgs/{organization}/servers/{server}/sites/{site}/healthcheck', params, { enabled: checks });
  const pings = useList(heartbeats, params, { every: 30_000, all: true });
  const monitors = useList('/orgs/{organization}/servers/{server}/monitors', above, { every: 30_000, all: true });
  const backups = useList(configurations, above, { query: { sort: 'name' }, every: 60_000, enabled: databases, all: true });
  const ends = ofCertificate(certificates.data?.data.filter((c) => c.attributes.active).map((c) => c.meta?.certificate?.expires_at) ?? [], useNow());
  const last = backups.rows
    .map((b) => b.meta?.backups?.last_backup ?? '')
    .sort()
    .at(-1);
  const next = backups.rows
    .map((b) => b.attributes.next_run_time)
    .filter(Boolean)
    .sort()[0];
  const onSite = (path: string) => ({ to: `/orgs/$org/sites/$site/${path}`, params: to }) as never;
  const onServer = (path: string) => ({ to: `/orgs/$org/servers/$server/${path}`, params: { org: organization, server } }) as never;
  const https: Verdict = may ? ends : site.attributes.https ? [t`Active`, 'good'] : null;
  return (
    <Section title={t`Health`} plain>
      <dl className="panel grid gap-x-4 py-1.5 md:grid-cols-2 lg:grid-cols-3">
        <Line of={may ? certificates : known} name={t`Certificate`} verdict={https} at={onSite('domains')} none={t`None`} way={t`Turn on HTTPS`} />
        <Line
          of={monitors}
          name={t`Response check`}
          verdict={ofResponse(monitors.rows, [site.attributes.name])}
          at={onServer('monitors')}
          none={t`None`}
          way={t`Add a URL monitor`}
        />
        {checks && (
          <Line
            of={check}
            name={t`Health check of deployments`}
            verdict={check.data?.data.attributes.healthcheck_endpoint ? [t`On`, 'good'] : null}
            at={onSite('deployments/source')}
            none={t`None`}
            way={t`Set a health check`}
          />
        )}
        <Line of={running} name={t`Processes`} verdict={ofProcesses(running.rows)} at={onSite('processes')} none={t`None`} />
        <Line of={pings} name={t`Heartbeats`} verdict={ofHeartbeats(pings.rows)} at={onSite('processes/heartbeats')} none={t`None`} />
        {databases && (
          <Line of={backups} name={t`Database backups`} verdict={null} at={onServer('backups')} none={t`None`} way={t`Schedule backups`}>
            {backups.rows.length > 0 &&
              (last && next ? (
                <Trans>
                  Last <Time at={last} ago />, next <Time at={next} ago />
                </Trans>
              ) : last ? (
                <Trans>
                  Last <Time at={last} ago />
                </Trans>
              ) : next ? (
                <Trans>
                  None yet, next <Time at={next} ago />
                </Trans>
              ) : (
                t`None yet`
              ))}
          </Line>
        )}
      </dl>
    </Section>
  );
}

const known = { isPending: false, isError: false };

function Line({
  of,
  name,
  verdict,
  at,
  none,
  way,
  children,
}: {
  of: { isPending: boolean; isError: boolean; data?: unknown };
  name: string;
  verdict: Verdict;
  at: LinkProps;
  none: string;
  /** way is what to do where there is none. */
  way?: string;
  children?: ReactNode;
}) {
  if (of.isError && !of.data) return null;
  return (
    <div className="grid content-start gap-0.5 px-5 py-2.5">
      <dt className="text-sm text-muted">
        <Link {...at} className="hover:text-text hover:underline">
          {name}
        </Link>
      </dt>
      <dd>
        {of.isPending ? (
          <span role="status" aria-label={t`Loading`} className="beating inline-block h-4 w-24 rounded bg-sunken" />
        ) : verdict ? (
          <State state={verdict[0]} text={verdict[0]} tone={verdict[1]} />
        ) : (
          children || (
            <span className="flex flex-wrap gap-x-3 text-muted">
              {none}
              {way && (
                <Link {...at} className="text-accent underline-offset-2 hover:underline">
                  {way}
                </Link>
              )}
            </span>
          )
        )}
      </dd>
    </div>
  );
}
