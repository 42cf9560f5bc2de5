import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Rocket } from 'lucide-react';
import { useWrite } from '../../api/query';
import type { Deployment } from '../../api/types';
import { Action } from '../../kit/action';
import { ButtonLink } from '../../kit/button';
import { Notice } from '../../kit/page';
import { useAt } from '../site/at';
import { deployments, useOpen } from './releases';

type Cause = NonNullable<NonNullable<NonNullable<Deployment['meta']>['deployment']>['cause']>;

/** WhyFailed says in a sentence why a deployment failed, with the line that says so, and leads to where it can be put right, unless that is here. */
export function WhyFailed({ cause, here }: { cause: Cause; here?: boolean }) {
  const { params, to } = useAt();
  const again = useWrite('post', deployments, params, useOpen(to));
  return (
    <Notice tone="warn" role="status">
      <span className="grid justify-items-start gap-2">
        <span>{cause.text}</span>
        {cause.line && <code className="max-w-full font-mono text-sm [overflow-wrap:anywhere]">{cause.line}</code>}
        {cause.remedy === 'again' && (
          <Action write={again} icon={Rocket}>
            {t`Deploy again`}
          </Action>
        )}
        {!here && <Lead cause={cause} />}
      </span>
    </Notice>
  );
}

/** Lead is the one link to where a cause is put right; nothing for one that no page repairs. */
function Lead({ cause: { code, remedy } }: { cause: Cause }) {
  const { params, to } = useAt();
  switch (remedy) {
    case 'deploy-key':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/deployments/source" params={to}>
          <Trans>Show the deploy key</Trans>
        </ButtonLink>
      );
    case 'repository':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/deployments/source" params={to}>
          {code === 'host-key' ? <Trans>Check access to the repository</Trans> : <Trans>Change the repository</Trans>}
        </ButtonLink>
      );
    case 'deploy-script':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/deployments/script" params={to}>
          <Trans>Edit the deploy script</Trans>
        </ButtonLink>
      );
    case 'environment':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/environment" params={to}>
          <Trans>Edit the environment</Trans>
        </ButtonLink>
      );
    case 'databases':
      return (
        <ButtonLink to="/orgs/$org/servers/$server/databases" params={{ org: to.org, server: params.server }}>
          <Trans>Create the database</Trans>
        </ButtonLink>
      );
    case 'packages':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/deployments/packages" params={to}>
          <Trans>Enter the credentials</Trans>
        </ButtonLink>
      );
    case 'start-command':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/settings" params={to}>
          <Trans>Change the start command</Trans>
        </ButtonLink>
      );
    case 'php':
    case 'runtime':
      return (
        <ButtonLink to="/orgs/$org/sites/$site/settings" params={to}>
          <Trans>Change the version</Trans>
        </ButtonLink>
      );
    default:
      return null;
  }
}
