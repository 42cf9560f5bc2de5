import { Rocket } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import type { Site } from '../../api/types';
import { Bulk, type Target } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { plural } from '../../kit/numbers';
import { type Selection, SelectionBar } from '../../kit/selection';
import { isBalanced } from '../../shell/places';

const deploys = 'site:manage-deploys';

/** SitesBar is what can be done with several sites at once. */
export function SitesBar({ org, rows, selection }: { org: string; rows: Site[]; selection: Selection<Site> }) {
  const [deploying, setDeploying] = useState(false);
  const chosen = [...selection.chosen.values()];
  return (
    <>
      <SelectionBar of={selection} rows={rows} one="site">
        <Button icon={Rocket} needs={deploys} onClick={() => setDeploying(true)}>
          Deploy
        </Button>
      </SelectionBar>
      {deploying && (
        <Bulk
          org={org}
          title={`Deploy ${plural(chosen.length, 'site')}`}
          text="Each site is deployed from its own repository and branch."
          submit={(n) => `Deploy ${plural(n, 'site')}`}
          needs={deploys}
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
    path: fill('/orgs/{organization}/servers/{server}/sites/{site}/deployments', { organization: org, server, site: s.id }),
    why: isBalanced(s) ? 'Load balancers have no code to deploy.' : s.attributes.repository?.url ? undefined : 'No repository connected.',
  };
}
