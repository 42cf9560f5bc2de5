import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import type { Site } from '../../api/types';
import { Bulk, type Target } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { type Selection, SelectionBar } from '../../kit/selection';
import { isBalanced } from '../../shell/places';

const deployments = '/orgs/{organization}/servers/{server}/sites/{site}/deployments';

/** SitesBar is what can be done with several sites at once. */
export function SitesBar({ org, rows, selection }: { org: string; rows: Site[]; selection: Selection<Site> }) {
  const [deploying, setDeploying] = useState(false);
  const chosen = [...selection.chosen.values()];
  return (
    <>
      <SelectionBar of={selection} rows={rows} one="site">
        <Button icon={Rocket} does={`post ${deployments}`} onClick={() => setDeploying(true)}>
          <Trans>Deploy</Trans>
        </Button>
      </SelectionBar>
      {deploying && (
        <Bulk
          org={org}
          title={t`Deploy ${plural(chosen.length, { one: '# site', other: '# sites' })}`}
          text={t`Each site is deployed from its own repository and branch.`}
          submit={(n) => t`Deploy ${plural(n, { one: '# site', other: '# sites' })}`}
          does={`post ${deployments}`}
          targets={chosen.map((s) => deployOf(org, s.relationships?.server.data?.id ?? '', s))}
          onClose={() => setDeploying(false)}
        />
      )}
    </>
  );
}

/** deployOf deploys one site, as one of several. */
export function deployOf(org: string, server: string, s: Site): Target {
  return {
    id: s.id,
    name: s.attributes.name,
    server,
    path: fill(deployments, { organization: org, server, site: s.id }),
    why: isBalanced(s) ? t`Load balancers have no code to deploy.` : s.attributes.repository?.url ? undefined : t`No repository connected.`,
  };
}
