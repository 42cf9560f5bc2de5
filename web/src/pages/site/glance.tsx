import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Fragment, type ReactNode } from 'react';
import { useMay } from '../../api/may';
import { useGet, useList } from '../../api/query';
import { perMinute } from '../../kit/numbers';
import { State, Time } from '../../kit/state';
import { isBalanced } from '../../shell/places';
import { useLiveDeployment } from '../deployment/releases';
import { fitting } from '../metric/metrics';
import { useAt } from './at';
import { ofResponse } from './verdict';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid min-w-0 content-start gap-0.5 px-5 py-2.5">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

/** Glance is what a site is now, from what its page reads anyway: address, what is live and since when, whether it responds, and its requests. */
export function Glance() {
  const { site, params } = useAt();
  const a = site.attributes;
  const { organization, server } = params;
  const balanced = isBalanced(site);
  const newest = useLiveDeployment(params, !balanced);
  const live = newest?.attributes;
  const monitors = useList('/orgs/{organization}/servers/{server}/monitors', { organization, server }, { every: 30_000, all: true });
  const metrics = useGet('/orgs/{organization}/servers/{server}/sites/{site}/metrics', params, { query: { range: fitting(a.created_at) }, every: 60_000 });
  const response = ofResponse(monitors.rows, [a.name]);
  const sees = useMay('get /orgs/{organization}/servers/{server}/events/{event}');
  const m = metrics.data?.data.attributes;
  const counted = (m?.requests ?? []).filter((n) => n !== null);
  return (
    <section aria-label={t`At a glance`}>
      <dl className="panel grid grid-cols-2 py-1.5 xl:grid-cols-4">
        <Fact name={t`Address`}>
          <span className="font-medium">
            {a.url.split(/(?=\.)/).map((part, i) => (
              <Fragment key={i}>
                {i > 0 && <wbr />}
                {part}
              </Fragment>
            ))}
          </span>
        </Fact>
        {!balanced && (
          <Fact name={t`Live`}>
            {live ? (
              <>
                {live.commit.hash && <span className="font-mono text-sm">{live.commit.hash.slice(0, 10)} </span>}
                {live.commit.message?.split('\n')[0]}
                <br />
                <span className="text-sm text-muted">
                  {live.commit.branch ? (
                    <Trans>
                      {live.commit.branch}, since <Time at={live.ended_at} ago />
                    </Trans>
                  ) : (
                    <Trans>
                      Since <Time at={live.ended_at} ago />
                    </Trans>
                  )}
                </span>
              </>
            ) : newest === undefined ? (
              '…'
            ) : (
              <span className="text-muted">{a.repository?.url ? t`Nothing deployed yet` : t`Not deployed from a repository`}</span>
            )}
          </Fact>
        )}
        {sees && (
          <Fact name={t`Response`}>
            {response ? <State state={response[0]} text={response[0]} tone={response[1]} /> : <span className="text-muted">{t`Not monitored`}</span>}
          </Fact>
        )}
        <Fact name={t`Requests`}>
          {counted.length > 0 ? (
            <>
              <span className="tabular-nums">{perMinute(counted.reduce((sum, n) => sum + n, 0) / counted.length)}</span>{' '}
              <span className="text-sm text-muted">{m?.range === '1h' ? t`on average in the last hour` : t`on average in 24 hours`}</span>
            </>
          ) : (
            <span className="text-muted">{m ? t`None counted yet` : '…'}</span>
          )}
        </Fact>
      </dl>
    </section>
  );
}
