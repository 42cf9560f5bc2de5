import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, CircleDot, Rocket, X } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useMay } from '../../api/may';
import { useGet, useWrite } from '../../api/query';
import type { Deployment, Domain } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { AllDone, useOnce } from '../../kit/once';
import { Notice, Section } from '../../kit/page';
import { State } from '../../kit/state';
import { isBalanced } from '../../shell/places';
import { Offer, useDNS } from '../certificate/offer-notice';
import { Access, useAccess } from '../deployment/access';
import { WhyFailed } from '../deployment/cause';
import { deployments, Took } from '../deployment/releases';
import { SetCheck, useUnchecked } from '../deployment/unchecked';
import { domains } from '../domain/domains';
import { useAt } from './at';
import { factsOf, type Look, type StepName, stepsOf } from './first';

const icons = { done: CircleCheck, now: CircleDot, open: CircleDashed };
const tones = { done: 'text-accent', now: 'text-info', open: 'text-muted' };
const titles: Record<StepName, string> = {
  key: t`Let the server read the repository`,
  access: t`Access checked`,
  deployment: t`First deployment`,
  address: t`Domain points to the server`,
  https: 'HTTPS',
};

function Step({ name, look, children }: { name: StepName; look: Look; children?: ReactNode }) {
  const Icon = icons[look];
  return (
    <li aria-current={look === 'now' ? 'step' : undefined} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-5 py-3.5">
      <Icon className={`mt-0.5 size-5 ${tones[look]}`} aria-hidden />
      <div className="grid min-w-0 gap-2">
        <p>
          <strong className={`font-medium ${look === 'open' ? 'text-muted' : ''}`}>{titles[name]}</strong>
          {look === 'done' && <span className="sr-only"> {t`Done`}</span>}
        </p>
        {children}
      </div>
    </li>
  );
}

const stored = (site: string) => `hostler.first.${site}`;

/** useFirst is the way of a site with a repository to its first deployment and HTTPS, for those who deploy it; null once it is gone, or hidden. */
export function useFirst() {
  const { site, params } = useAt();
  const a = site.attributes;
  const may = useMay([`get ${deployments}`, `get ${domains}`, `post ${deployments}`, 'get /orgs/{organization}/servers/{server}/sites/{site}/deploy-key']); // asking without the permission would be in the audit log
  const { gone, seen, see, leave } = useOnce(stored(site.id));
  const applies = may && !gone && !isBalanced(site) && !!a.repository?.url;
  const all = a.https && a.status === 'deployed';
  const open = applies && !all;
  const list = useGet(deployments, params, { query: { sort: '-created_at', 'page[size]': 4 }, every: 10_000, enabled: open });
  const key = useGet('/orgs/{organization}/servers/{server}/sites/{site}/deploy-key', params, { enabled: open });
  const primary = useGet(domains, params, { query: { 'filter[type]': 'primary' }, enabled: open });
  const access = useAccess();
  const domain = primary.data?.data[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once it is shown
  useEffect(() => {
    if (open) see();
  }, [open]);
  if (applies && all && seen) return { done: true as const, hide: leave };
  if (!open || !list.data || !key.data) return null;
  const known = {
    url: a.repository.url!,
    key: key.data.data.attributes.key,
    check: access.now?.state,
    status: a.status,
    statuses: list.data.data.map((d) => d.attributes.status),
    here: false,
    https: a.https,
  };
  return { done: false as const, access, known, facts: factsOf(known), key: known.key, newest: list.data.data[0], domain, hide: leave };
}

type First = Extract<NonNullable<ReturnType<typeof useFirst>>, { done: false }>;

/** FirstDone says that all steps are done, with the address, until it is closed. */
export function FirstDone({ hide }: { hide: () => void }) {
  const { site } = useAt();
  const unchecked = useUnchecked();
  const url = `https://${site.attributes.name}`;
  return (
    <AllDone onClose={hide} title={t`Your site is deployed`}>
      <Trans>
        All 5 steps are done. Its address is{' '}
        <a href={url} target="_blank" rel="noreferrer noopener" className="font-medium text-accent underline underline-offset-2">
          {url}
        </a>
        . The certificate renews automatically.
      </Trans>
      {unchecked && (
        <>
          {' '}
          <Trans>Hostler did not look at what it answers.</Trans> <SetCheck />
        </>
      )}
    </AllDone>
  );
}

/** FirstDeployment is that way as one card. Each step is ticked by itself, and only by what is recorded. */
export function FirstDeployment({ first }: { first: First }) {
  return first.domain ? <WithDomain first={first} domain={first.domain} /> : <Card first={first} here={false} />;
}

function WithDomain({ first, domain }: { first: First; domain: Domain }) {
  const { dns, here, newest } = useDNS(domain);
  return <Card first={first} here={here} address={dns && !dns.here && <Offer domain={domain} waits />} https={(here || newest) && <Offer domain={domain} />} />;
}

function Card({ first, here, address, https }: { first: First; here: boolean; address?: ReactNode; https?: ReactNode }) {
  const { site, to } = useAt();
  const facts = factsOf({ ...first.known, here });
  const steps = stepsOf(facts);
  const look = (name: StepName) => steps.find((s) => s.name === name)!.look;
  const done = steps.filter((s) => s.look === 'done').length;
  const repository = <span className="font-mono text-sm">{site.attributes.repository.url}</span>;
  return (
    <Section
      title={t`From the repository to HTTPS`}
      text={t`${done} of ${steps.length} steps done`}
      plain
      actions={
        <Button look="quiet" icon={X} onClick={first.hide}>
          <Trans>Hide</Trans>
        </Button>
      }
    >
      <ol className="panel divide-y divide-line">
        <Step name="key" look={look('key')}>
          {!facts.keyed &&
            (first.key ? (
              <>
                <p className="text-muted">
                  <Trans>Add this key to {repository} as a read-only deploy key. Access is checked again when you come back.</Trans>
                </p>
                <Code text={first.key} label={t`Public deploy key`} wrap />
              </>
            ) : (
              <Link to="/orgs/$org/sites/$site/deployments/source" params={to} className="font-medium text-accent underline-offset-2 hover:underline">
                <Trans>Create a deploy key</Trans>
              </Link>
            ))}
        </Step>
        <Step name="access" look={look('access')}>
          {!facts.deployed && <Access of={first.access} keyed />}
        </Step>
        <Step name="deployment" look={look('deployment')}>
          {!facts.deployed && <Deploys newest={first.newest} now={look('deployment') === 'now'} />}
        </Step>
        <Step name="address" look={look('address')}>
          {look('address') !== 'done' && address && (
            <>
              {address}
              <Link to="/orgs/$org/sites/$site/domains" params={to} className="font-medium text-accent underline-offset-2 hover:underline">
                <Trans>Show the DNS records</Trans>
              </Link>
            </>
          )}
        </Step>
        <Step name="https" look={look('https')}>
          {look('https') !== 'done' && https}
        </Step>
      </ol>
    </Section>
  );
}

const running = ['queued', 'pending', 'deploying'];

/** Deploys starts the first deployment, follows it here, and says why it failed. */
function Deploys({ newest, now }: { newest?: Deployment; now: boolean }) {
  const { site, params, to } = useAt();
  const write = useWrite('post', deployments, params);
  const failed = newest?.attributes.status === 'failed';
  const one = useGet(`${deployments}/{deployment}`, { ...params, deployment: newest?.id ?? '' }, { enabled: failed });
  const cause = one.data?.data.meta?.deployment?.cause;
  const busy = !!newest && running.includes(newest.attributes.status);
  return (
    <>
      {newest && (
        <p className="flex flex-wrap items-center gap-x-3" role="status">
          <State state={newest.attributes.status} />
          <Took d={newest} />
          <Link
            to="/orgs/$org/sites/$site/deployments/$deployment"
            params={{ ...to, deployment: newest.id }}
            className="font-medium text-accent underline-offset-2 hover:underline"
          >
            <Trans>Output</Trans>
          </Link>
        </p>
      )}
      {failed && cause && <WhyFailed cause={cause} />}
      {write.error && (
        <Notice tone="bad" role="alert">
          {write.error.message}
        </Notice>
      )}
      {!busy && (
        <span>
          <Action
            write={write}
            look={now ? 'primary' : 'plain'}
            icon={Rocket}
            disabled={site.attributes.status === 'installing'}
            why={t`The site is being installed.`}
          >
            {newest ? t`Try the deployment again` : t`Start the first deployment`}
          </Action>
        </span>
      )}
    </>
  );
}

/** Ahead are the steps that follow once a site with a repository is created. */
export function Ahead() {
  return (
    <p className="text-sm text-muted">
      <Trans>
        Next, on the site's page: the deploy key to add at the Git server, a check that it lets the server in, the first deployment, the domain and HTTPS.
      </Trans>
    </p>
  );
}
