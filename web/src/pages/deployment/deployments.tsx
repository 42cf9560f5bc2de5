import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { Ban, GitBranch, Rocket, RotateCcw, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/may';
import { useGet, useList, useWrite } from '../../api/query';
import type { Deployment } from '../../api/types';
import { Action } from '../../kit/action';
import { Button, ButtonLink } from '../../kit/button';
import { CopyButton } from '../../kit/copy';
import { Log } from '../../kit/log';
import { Empty, Facts, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, State, soon, soonAny, Time } from '../../kit/state';
import { Filter, rowLink, Table } from '../../kit/table';
import { SubTabs } from '../../kit/tabs';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';
import { WhyFailed } from './cause';
import { deployments, Live, Took, titleOf, triggers, useLive, useOpen } from './releases';
import { SetCheck, useUnchecked } from './unchecked';

function DeploymentState({ d }: { d: Deployment }) {
  return <State state={d.attributes.status} />;
}

export const isOpen = (d: Deployment) => d.attributes.status === 'queued' || d.attributes.status === 'deploying' || d.attributes.status === 'pending';

export function DeploymentsFrame() {
  const { to } = useAt();
  return (
    <div className="grid min-w-0 gap-6">
      <SubTabs
        label={t`Deployments`}
        params={to}
        tabs={[
          { to: '/orgs/$org/sites/$site/deployments', text: t`History`, exact: true },
          { to: '/orgs/$org/sites/$site/deployments/script', text: t`Deploy script` },
          { to: '/orgs/$org/sites/$site/deployments/source', text: t`Repository` },
          { to: '/orgs/$org/sites/$site/deployments/packages', text: t`Packages` },
          { to: '/orgs/$org/sites/$site/deployments/webhooks', text: t`Webhooks`, reads: 'get /orgs/{organization}/servers/{server}/sites/{site}/webhooks' },
        ]}
      />
      <Outlet />
    </div>
  );
}

export function Deployments() {
  const { site, params, to } = useAt();
  const [message, setMessage] = useState('');
  const list = useList(deployments, params, { query: { sort: '-created_at', 'filter[commit_message]': message }, every: soonAny, size: 50 });
  const back = useWrite('post', `${deployments}/{deployment}/rollback`, params, useOpen(to));
  const released = useLive(params);
  const source = site.attributes.repository?.url;
  const script = site.attributes.deployment_script;
  const none = list.isSuccess && list.rows.length === 0 && !message;
  return (
    <Section
      title={t`Deployments`}
      plain
      text={
        source ? (
          <>
            {site.attributes.repository?.branch ? (
              <Trans>
                Repository <span className="font-mono text-sm">{source}</span>, branch{' '}
                <span className="font-mono text-sm">{site.attributes.repository.branch}</span>.
              </Trans>
            ) : (
              <Trans>
                Repository <span className="font-mono text-sm">{source}</span>.
              </Trans>
            )}{' '}
            <Trans>Deployments run one at a time.</Trans>
          </>
        ) : undefined
      }
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : none ? (
        source || script ? (
          <Empty
            icon={Rocket}
            title={t`No deployments yet`}
            text={
              site.attributes.zero_downtime_deployments
                ? t`Hostler fetches the branch, runs the deploy script and activates the new release once it is healthy.`
                : t`Hostler fetches the branch and runs the deploy script in the site's directory.`
            }
          />
        ) : (
          <Empty
            icon={GitBranch}
            title={t`No repository yet`}
            text={t`Connect one to deploy the site manually, on each push, or from your own pipeline.`}
            action={
              <ButtonLink
                look="primary"
                does="put /orgs/{organization}/servers/{server}/sites/{site}/git"
                to="/orgs/$org/sites/$site/deployments/source"
                params={to}
              >
                <Trans>Connect a repository</Trans>
              </ButtonLink>
            }
          />
        )
      ) : (
        <>
          {back.error && (
            <Notice tone="bad" role="alert">
              {back.error.message}
            </Notice>
          )}
          {(list.rows.length > 8 || message) && <Filter label={t`Filter by commit message`} onChange={setMessage} />}
          <Table
            label={t`Deployments`}
            rows={list.rows}
            id={(d) => d.id}
            more={list.more}
            columns={[
              {
                name: t`Commit`,
                width: 'minmax(0,3fr)',
                cell: (d) => (
                  <span className="grid">
                    <span className="flex min-w-0 items-center gap-2">
                      <Link to="/orgs/$org/sites/$site/deployments/$deployment" params={{ ...to, deployment: d.id }} className={rowLink + ' truncate'}>
                        {titleOf(d)}
                      </Link>
                      {d.id === released && <Live />}
                    </span>
                    <span className="truncate text-sm text-muted">
                      {d.attributes.commit.hash && <span className="font-mono">{d.attributes.commit.hash.slice(0, 10)} </span>}
                      {d.attributes.commit.author}
                    </span>
                  </span>
                ),
              },
              { name: t`Status`, width: '8rem', cell: (d) => <DeploymentState d={d} /> },
              {
                name: t`Trigger`,
                width: '11rem',
                minor: true,
                cell: (d) => <span className="text-muted">{triggers[d.attributes.type] ?? d.attributes.type}</span>,
              },
              {
                name: t`Duration`,
                width: '6rem',
                minor: true,
                cell: (d) => (
                  <span className="text-muted">
                    <Took d={d} />
                  </span>
                ),
              },
              {
                name: t`Created`,
                width: '7rem',
                cell: (d) => (
                  <span className="text-muted">
                    <Time at={d.attributes.created_at} ago />
                  </span>
                ),
              },
              ...(site.attributes.zero_downtime_deployments
                ? [
                    {
                      name: t`Roll back`,
                      width: '8rem',
                      end: true,
                      cell: (d: Deployment) =>
                        d.attributes.status === 'finished' && released !== undefined && d.id !== released ? (
                          <Action
                            write={back}
                            at={{ deployment: d.id }}
                            look="quiet"
                            icon={Undo2}
                            label={t`Roll back to ${titleOf(d)}`}
                            title={t`Activate this release without running the deploy script`}
                          >{t`Roll back`}</Action>
                        ) : null,
                    },
                  ]
                : []),
            ]}
          />
        </>
      )}
    </Section>
  );
}

/** saysOf says what became of a deployment that succeeded: a later one may have taken its place. */
function saysOf(id: string, releases: boolean, live: string | null | undefined): string {
  if (live !== undefined && live !== id) return t`Deployed; a later deployment is live now`;
  return releases && live === id ? t`The new release is live` : t`The site is deployed`;
}

export function DeploymentPage() {
  const { deployment } = useParams({ from: '/orgs/$org/sites/$site/deployments/$deployment' });
  const { org, site, params, to } = useAt();
  const at = { ...params, deployment };
  const doc = useGet(`${deployments}/{deployment}`, at, { every: soon });
  const d = doc.data?.data;
  const operation = d?.meta?.operation;
  const event = operation?.event_id ?? '';
  const live = active(operation) || (!!d && isOpen(d));
  const output = useGet('/orgs/{organization}/servers/{server}/events/{event}/output', { ...params, event }, { enabled: !!event, every: live ? 5_000 : false });
  const last = useLastLine(event);
  const go = useOpen(to);
  const cancel = useWrite('delete', `${deployments}/status`, params);
  const again = useWrite('post', `${deployments}/{deployment}/redeploy`, at, go);
  const back = useWrite('post', `${deployments}/{deployment}/rollback`, at, go);
  const [sure, setSure] = useState(false);
  const released = useLive(params);
  const unchecked = useUnchecked(d?.attributes.status === 'finished');
  const reads = useMay('get /orgs/{organization}/servers/{server}/sites/{site}/logs/nginx-access');
  if (!d) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = d.attributes;
  const trigger = triggers[a.type] ?? a.type;
  const error = cancel.error ?? again.error ?? back.error;
  const releases = site.attributes.zero_downtime_deployments;
  const actions = live ? (
    sure ? (
      <Action write={cancel} look="danger" icon={Ban}>
        {releases ? t`Cancel and keep the current release` : t`Cancel without rolling back`}
      </Action>
    ) : (
      <Button icon={Ban} does={cancel.operation} onClick={() => setSure(true)}>
        <Trans>Cancel</Trans>
      </Button>
    )
  ) : (
    <span />
  );
  return (
    <div className="grid min-w-0 gap-5">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-80">
          <h2 className="text-xl font-semibold [overflow-wrap:anywhere]">{a.commit.message?.split('\n')[0] || t`Deployment ${d.id}`}</h2>
          <p className="text-muted">
            {a.commit.author ? (
              <Trans>
                {trigger}, <Time at={a.created_at} ago /> · commit by {a.commit.author}
              </Trans>
            ) : (
              <Trans>
                {trigger}, <Time at={a.created_at} ago />
              </Trans>
            )}
          </p>
        </div>
        {!live && (
          <span className="flex flex-wrap gap-2">
            {releases && a.commit.hash && (
              <Action
                write={again}
                icon={RotateCcw}
                title={t`Create a new release of this commit with the current deploy script`}
              >{t`Redeploy this commit`}</Action>
            )}
            {releases && a.status === 'finished' && released !== undefined && released !== d.id && (
              <Action write={back} icon={Undo2} title={t`Activate this release without running the deploy script`}>{t`Roll back to this release`}</Action>
            )}
          </span>
        )}
      </header>
      {error && (
        <Notice tone="bad" role="alert">
          {error.message}
        </Notice>
      )}
      {operation ? (
        <Work
          operation={{
            ...operation,
            step: operation.state === 'succeeded' ? saysOf(d.id, releases, released) : operation.step,
          }}
          org={org}
          server={params.server}
          line={last}
          linked={false}
          actions={actions}
          released={releases}
        />
      ) : (
        <div className="panel px-4 py-3">
          <DeploymentState d={d} />
        </div>
      )}
      {a.status === 'failed' && reads && (
        <p>
          <Link to="/orgs/$org/sites/$site/logs/$log" params={{ ...to, log: 'error' }} className="font-medium text-accent underline-offset-2 hover:underline">
            <Trans>Error log of the site</Trans>
          </Link>
        </p>
      )}
      {unchecked && released === d.id && (
        <p className="text-muted">
          <Trans>Hostler did not look at what the site answers.</Trans> <SetCheck />
        </p>
      )}
      {d.meta?.deployment?.cause && <WhyFailed cause={d.meta.deployment.cause} />}
      <Facts
        rows={[
          [
            t`Commit`,
            a.commit.hash && (
              <span key="h" className="inline-flex items-center font-mono text-sm">
                {a.commit.hash.slice(0, 12)}
                <CopyButton text={a.commit.hash} label={t`Copy commit hash`} />
              </span>
            ),
          ],
          [
            t`Branch`,
            a.commit.branch && (
              <span key="b" className="font-mono text-sm">
                {a.commit.branch}
              </span>
            ),
          ],
          [t`Started`, <Time key="t" at={a.started_at} />],
          [t`Duration`, a.started_at && <Took key="k" d={d} />],
          releases && [
            t`Release`,
            <span key="n" className="font-mono text-sm">
              {d.id}
            </span>,
          ],
        ]}
      />
      {a.commit.message?.includes('\n') && (
        <p className="max-w-prose whitespace-pre-wrap [overflow-wrap:anywhere] text-muted">{a.commit.message.split('\n').slice(1).join('\n').trim()}</p>
      )}
      {!event ? null : output.error && !output.data ? (
        <Failed error={output.error} again={() => void output.refetch()} />
      ) : (
        <Log key={d.id} text={output.data?.data.attributes.output ?? ''} live={live} step={operation?.step} name={`deployment-${d.id}`} />
      )}
    </div>
  );
}
