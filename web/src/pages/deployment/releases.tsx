import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate } from '@tanstack/react-router';
import { Rocket, Undo2 } from 'lucide-react';
import { useGet, useWrite } from '../../api/query';
import type { Deployment, Site } from '../../api/types';
import { Action } from '../../kit/action';
import { ButtonLink } from '../../kit/button';
import { took } from '../../kit/numbers';
import { Notice, Section } from '../../kit/page';
import { Elapsed, Pill, State, Time } from '../../kit/state';

export const deployments = '/orgs/{organization}/servers/{server}/sites/{site}/deployments';

export const triggers: Record<string, string> = {
  manual: t`Manual`,
  push: t`Push`,
  hook: t`Deploy hook`,
  redeploy: t`Redeploy`,
  rollback: t`Rollback`,
};

/** At is where a site is, in the API and in the dashboard. */
interface At {
  site: Site;
  params: { organization: string; server: string; site: string };
  to: { org: string; site: string };
}

/** useOpen opens a deployment that was just started. */
export function useOpen(to: At['to']) {
  const navigate = useNavigate();
  return (a: { data: { id: string } }) => void navigate({ to: '/orgs/$org/sites/$site/deployments/$deployment', params: { ...to, deployment: a.data.id } });
}

/** deploys reports whether a site has something to deploy. */
export const deploys = (s: Site) => !!(s.attributes.repository?.url || s.attributes.deployment_script);

/** titleOf is what a deployment is called: the first line of its commit's message. */
export const titleOf = (d: Deployment) => d.attributes.commit.message?.split('\n')[0] || triggers[d.attributes.type] || t`Deployment`;

/** useDeploy is the button that deploys a site, on each of its pages, and what went wrong with it. */
export function useDeploy({ site, params, to }: At) {
  const write = useWrite('post', deployments, params, useOpen(to));
  return {
    button: deploys(site) && (
      // before the first deployment, the card of the first steps has the button that matters
      <Action write={write} look={site.attributes.status === 'deployed' ? 'primary' : 'plain'} icon={Rocket}>{t`Deploy now`}</Action>
    ),
    error: write.error && (
      <Notice tone="bad" role="alert">
        {write.error.message}
      </Notice>
    ),
  };
}

/** useLiveDeployment is the deployment that is live: the newest that succeeded; null if none of the last did, undefined until it is known. */
export function useLiveDeployment(params: At['params'], enabled = true): Deployment | null | undefined {
  const newest = useGet(deployments, params, { query: { sort: '-created_at', 'page[size]': 50 }, every: 10_000, enabled });
  return newest.data && (newest.data.data.find((d) => d.attributes.status === 'finished') ?? null);
}

/** useLive is the id of the deployment that is live. */
export function useLive(params: At['params']): string | null | undefined {
  const live = useLiveDeployment(params);
  return live === null ? null : live?.id;
}

export const Live = () => (
  <Pill tone="good">
    <Trans>Live</Trans>
  </Pill>
);

export function Took({ d }: { d: Deployment }) {
  const { started_at: began, ended_at: ended } = d.attributes;
  if (!began) return null;
  return ended ? took(new Date(ended).getTime() - new Date(began).getTime()) : <Elapsed since={began} />;
}

/** Recent are the last deployments of a site: which is live, and the way back to one before it. Without any, the way to the first. */
export function Recent({ site, params, to }: At) {
  const list = useGet(deployments, params, { query: { sort: '-created_at', 'page[size]': 4 }, every: 10_000 });
  const back = useWrite('post', `${deployments}/{deployment}/rollback`, params, useOpen(to));
  const live = useLive(params);
  const rows = list.data?.data;
  if (!rows) return null;
  if (rows.length === 0)
    return (
      <div className="panel flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-4">
        <Rocket className="size-5 text-muted" aria-hidden />
        <p className="min-w-0 flex-1 basis-64">{deploys(site) ? t`No deployments yet.` : t`No repository connected yet.`}</p>
        {!deploys(site) && (
          <ButtonLink look="primary" to="/orgs/$org/sites/$site/deployments/source" params={to}>
            <Trans>Connect a repository</Trans>
          </ButtonLink>
        )}
      </div>
    );
  const releases = site.attributes.zero_downtime_deployments;
  return (
    <Section
      title={t`Deployments`}
      plain
      actions={
        <Link to="/orgs/$org/sites/$site/deployments" params={to} className="font-medium text-accent underline-offset-2 hover:underline">
          <Trans>All deployments</Trans>
        </Link>
      }
    >
      {back.error && (
        <Notice tone="bad" role="alert">
          {back.error.message}
        </Notice>
      )}
      <ul className="panel divide-y divide-line">
        {rows.map((d) => {
          const title = titleOf(d);
          return (
            <li key={d.id} className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 transition-colors hover:bg-hover">
              <span className="w-28 shrink-0">
                <State state={d.attributes.status} />
              </span>
              <span className="grid min-w-0 flex-1 basis-64">
                <Link
                  to="/orgs/$org/sites/$site/deployments/$deployment"
                  params={{ ...to, deployment: d.id }}
                  className="truncate font-medium after:absolute after:inset-0 hover:underline"
                >
                  {title}
                </Link>
                <span className="truncate text-sm text-muted">
                  {d.attributes.commit.hash && <span className="font-mono">{d.attributes.commit.hash.slice(0, 10)} </span>}
                  {d.attributes.commit.author}
                  {d.attributes.started_at && (
                    <>
                      {' · '}
                      <Took d={d} />
                    </>
                  )}
                </span>
              </span>
              {d.id === live && <Live />}
              {releases && d.attributes.status === 'finished' && live !== undefined && d.id !== live && (
                <span className="relative z-10 -my-1">
                  <Action
                    write={back}
                    at={{ deployment: d.id }}
                    look="quiet"
                    icon={Undo2}
                    label={t`Roll back to ${title}`}
                    title={t`Activate this release without running the deploy script`}
                  >{t`Roll back`}</Action>
                </span>
              )}
              <span className="text-muted">
                <Time at={d.attributes.ended_at ?? d.attributes.created_at} ago />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
