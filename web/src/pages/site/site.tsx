import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { ChevronRight, ExternalLink } from 'lucide-react';
import { useGet } from '../../api/query';
import { Facts, Failed, Page, Section, Waiting } from '../../kit/page';
import { active, Day, soon, Time, useNow } from '../../kit/state';
import { GroupTabs } from '../../kit/tabs';
import { methods, version } from '../../kit/words';
import { Work } from '../../kit/work';
import { groupsOf, isBalanced, sitePlaces } from '../../shell/places';
import { Offer } from '../certificate/offer-notice';
import { Recent, useDeploy } from '../deployment/releases';
import { domains } from '../domain/domains';
import { SiteRequests } from '../metric/metrics';
import { useLastLine } from '../server/line';
import { SiteContext, serverOf, useAt, useSite } from './at';
import { FirstDeployment, FirstDone, useFirst } from './card';
import { LastChange } from './change';
import { Glance } from './glance';
import { Health } from './health';
import { NewerRuntime } from './newer';
import { SiteState } from './sites';

export function SiteFrame() {
  const { org, site: id } = useParams({ from: '/orgs/$org/sites/$site' });
  const doc = useGet('/orgs/{organization}/sites/{site}', { organization: org, site: id }, { every: soon });
  const site = doc.data?.data;
  const server = useGet('/orgs/{organization}/servers/{server}', { organization: org, server: site ? serverOf(site) : '' }, { enabled: !!site });
  if (!site) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return (
    <SiteContext value={site}>
      <Inside server={server.data?.data.attributes.name ?? '…'} />
    </SiteContext>
  );
}

function Inside({ server }: { server: string }) {
  const { org, site, params, to } = useAt();
  const a = site.attributes;
  const deploy = useDeploy({ site, params, to });
  return (
    <>
      <nav aria-label={t`Breadcrumb`} className="mb-3 flex items-center gap-1.5 text-sm text-muted">
        <Link to="/orgs/$org/sites" params={{ org }} className="hover:text-text hover:underline">
          <Trans>Sites</Trans>
        </Link>
        <ChevronRight className="size-3.5" aria-hidden />
        <span className="truncate">{a.name}</span>
      </nav>
      <Page
        title={a.name}
        state={<SiteState site={site} />}
        sub={
          <Trans>
            {isBalanced(site) ? t`Load balanced` : a.app_type} on{' '}
            <Link to="/orgs/$org/servers/$server" params={{ org, server: serverOf(site) }} className="text-accent underline underline-offset-2">
              {server}
            </Link>
          </Trans>
        }
        actions={
          a.status !== 'installing' && (
            <>
              <a
                href={`${a.https ? 'https' : 'http'}://${a.name}`}
                target="_blank"
                rel="noreferrer noopener"
                className="inline-flex h-9 items-center gap-1.5 rounded-lg border border-edge bg-surface px-3 font-medium shadow-raised hover:bg-hover max-md:h-11"
              >
                <ExternalLink className="size-4" aria-hidden />
                <Trans>
                  Visit<span className="sr-only"> (opens a new tab)</span>
                </Trans>
              </a>
              {deploy.button}
            </>
          )
        }
      >
        {deploy.error}
        <GroupTabs label={t`Site`} groups={groupsOf(sitePlaces(site))} params={to} />
        <Outlet />
      </Page>
    </>
  );
}

export function SiteWork() {
  const { org } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  const operation = site.meta?.operation;
  const last = useLastLine(operation?.event_id);
  return operation && (active(operation) || operation.state === 'failed') ? <Work operation={operation} org={org} server={serverOf(site)} line={last} /> : null;
}

/** OfferHTTPS offers a certificate for the domain that the site is named after. */
function OfferHTTPS() {
  const { params } = useAt();
  const primary = useGet(domains, params, { query: { 'filter[type]': 'primary' } });
  const domain = primary.data?.data[0];
  return domain ? <Offer domain={domain} /> : null;
}

export function SiteOverview() {
  const { site, params, to } = useAt();
  const a = site.attributes;
  const balanced = isBalanced(site);
  const shown = useFirst();
  const first = shown && !shown.done ? shown : null;
  return (
    <div className="grid gap-8">
      <SiteWork />
      {shown?.done && <FirstDone hide={shown.hide} />}
      {first && <FirstDeployment first={first} />}
      {a.status !== 'installing' && !first && <Glance />}
      {a.status !== 'installing' && <LastChange />}
      {!first && !a.https && a.status !== 'installing' && <OfferHTTPS />}
      {!balanced && !(first && !first.facts.deployed) && <Recent site={site} params={params} to={to} />}
      {!balanced && a.status !== 'installing' && <Health site={site} params={params} to={to} />}
      <Section title={t`Details`}>
        <Facts
          rows={[
            [
              'URL',
              <span key="u" className="font-mono text-sm">
                {a.url}
              </span>,
            ],
            [
              'HTTPS',
              a.https ? (
                t`On`
              ) : (
                <Link key="h" to="/orgs/$org/sites/$site/domains" params={to} className="text-accent underline-offset-2 hover:underline">
                  <Trans>No certificate yet</Trans>
                </Link>
              ),
            ],
            balanced ? [t`Method`, methods[site.meta!.balancer!.method] ?? site.meta!.balancer!.method] : ['PHP', a.php_version && version(a.php_version)],
            !!site.meta?.runtime?.version && [
              { bun: t`Bun`, deno: t`Deno`, go: t`Go` }[site.meta.runtime.name as string] ?? t`Node`,
              <span key="n" title={site.meta.runtime.why}>
                {site.meta.runtime.installed ?? t`being installed`}
                {site.meta.runtime.ends_on && <Updates until={site.meta.runtime.ends_on} />}
                {site.meta.runtime.newest && <NewerRuntime newest={site.meta.runtime.newest} />}
              </span>,
            ],
            !balanced && [
              t`Repository`,
              a.repository?.url && (
                <span key="r" className="font-mono text-sm">
                  {a.repository.url}
                  {a.repository.branch && ` (${a.repository.branch})`}
                </span>
              ),
            ],
            [t`User`, a.user && <span className="font-mono text-sm">{a.isolated ? t`${a.user} (isolated)` : a.user}</span>],
            !balanced && [
              t`Database`,
              a.database && (
                <Link
                  key="d"
                  to="/orgs/$org/servers/$server/databases"
                  params={{ org: params.organization, server: serverOf(site) }}
                  className="font-mono text-sm text-accent underline-offset-2 hover:underline"
                >
                  {a.database}
                </Link>
              ),
            ],
            [t`Web directory`, a.web_directory && <span className="font-mono text-sm">{a.web_directory}</span>],
            [t`Subdomains`, a.wildcards ? t`Included` : t`None`],
            [t`Added`, <Time key="t" at={a.created_at} />],
          ]}
        />
      </Section>
      {a.status !== 'installing' && <SiteRequests org={params.organization} server={serverOf(site)} site={site} />}
    </div>
  );
}

/** Updates says how long the release line of the site's runtime gets security updates. */
function Updates({ until }: { until: string }) {
  const over = new Date(until + 'T23:59:59Z').getTime() < useNow();
  return (
    <span className={`block text-sm ${over ? 'text-warn' : 'text-muted'}`}>
      {over ? (
        <Trans>
          No security updates since <Day on={until} />
        </Trans>
      ) : (
        <Trans>
          Security updates until <Day on={until} />
        </Trans>
      )}
    </span>
  );
}
