import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Rocket, RotateCw, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../api/query';
import type { Server } from '../../api/types';
import { Bulk } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { Failed, Waiting } from '../../kit/page';
import { acted, restartOf, services } from '../service/services';
import { deployOf } from '../site/bulk';
import Reboot from './reboot';

const deployments = '/orgs/{organization}/servers/{server}/sites/{site}/deployments';

/** Actions are what is done most with a whole server. */
export function Actions({ org, server }: { org: string; server: Server }) {
  const [doing, setDoing] = useState<'reboot' | 'restart' | 'deploy' | null>(null);
  const close = () => setDoing(null);
  return (
    <div role="group" aria-label={t`Actions`} className="flex flex-wrap gap-2">
      <Button icon={Rocket} does={`post ${deployments}`} onClick={() => setDoing('deploy')}>
        <Trans>Deploy all sites</Trans>
      </Button>
      <Button icon={RotateCw} does={`post ${services}/nginx/actions`} onClick={() => setDoing('restart')}>
        <Trans>Restart services</Trans>
      </Button>
      <Button icon={ServerIcon} does="post /orgs/{organization}/servers/{server}/actions" onClick={() => setDoing('reboot')}>
        <Trans>Reboot</Trans>
      </Button>
      {doing === 'deploy' && <DeployAll org={org} server={server} onClose={close} />}
      {doing === 'restart' && <RestartServices org={org} server={server} onClose={close} />}
      {doing === 'reboot' && <Reboot org={org} server={server.id} name={server.attributes.name} onClose={close} />}
    </div>
  );
}

interface Props {
  org: string;
  server: Server;
  onClose: () => void;
}

function DeployAll({ org, server, onClose }: Props) {
  const list = useList('/orgs/{organization}/servers/{server}/sites', { organization: org, server: server.id }, { query: { sort: 'name' }, all: true });
  return (
    <Bulk
      org={org}
      title={t`Deploy all sites on ${server.attributes.name}`}
      text={t`Each site is deployed from its own repository and branch.`}
      submit={(n) => t`Deploy ${plural(n, { one: '# site', other: '# sites' })}`}
      does={`post ${deployments}`}
      missing={list.isSuccess && list.rows.length === 0 ? t`There are no sites on this server.` : undefined}
      targets={list.isPending ? [] : list.rows.map((s) => deployOf(org, server.id, s))}
      onClose={onClose}
    >
      {list.isPending ? <Waiting /> : list.error && <Failed error={list.error} again={() => void list.refetch()} />}
    </Bulk>
  );
}

function RestartServices({ org, server, onClose }: Props) {
  const list = useList(services, { organization: org, server: server.id });
  return (
    <Bulk
      org={org}
      title={t`Restart services on ${server.attributes.name}?`}
      text={t`Requests and connections fail briefly while each service restarts. An invalid configuration is not applied.`}
      submit={(n) => t`Restart ${plural(n, { one: '# service', other: '# services' })}`}
      does={`post ${services}/nginx/actions`}
      plans
      missing={list.isSuccess && list.rows.length === 0 ? t`There are no services on this server.` : undefined}
      targets={list.rows.filter(acted).map((s) => restartOf(org, server.id, s))}
      onClose={onClose}
    >
      {list.isPending ? <Waiting /> : list.error && <Failed error={list.error} again={() => void list.refetch()} />}
    </Bulk>
  );
}
