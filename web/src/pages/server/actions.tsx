import { Rocket, RotateCw, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import { useList } from '../../api/query';
import type { Server } from '../../api/types';
import { Bulk } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { plural } from '../../kit/numbers';
import { Failed, Waiting } from '../../kit/page';
import { acted, restartOf, services } from '../service/services';
import { deployOf } from '../site/bulk';
import Reboot from './reboot';

const manage = 'server:manage-services';
const deploys = 'site:manage-deploys';

/** Actions are what is done most with a whole server. */
export function Actions({ org, server }: { org: string; server: Server }) {
  const [doing, setDoing] = useState<'reboot' | 'restart' | 'deploy' | null>(null);
  const close = () => setDoing(null);
  return (
    <div role="group" aria-label="Actions" className="flex flex-wrap gap-2">
      <Button icon={Rocket} needs={deploys} onClick={() => setDoing('deploy')}>
        Deploy all sites
      </Button>
      <Button icon={RotateCw} needs={manage} onClick={() => setDoing('restart')}>
        Restart services
      </Button>
      <Button icon={ServerIcon} needs={manage} onClick={() => setDoing('reboot')}>
        Reboot
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
      title={`Deploy all sites on ${server.attributes.name}`}
      text="Each site is deployed from its own repository and branch."
      submit={(n) => `Deploy ${plural(n, 'site')}`}
      needs={deploys}
      missing={list.isSuccess && list.rows.length === 0 ? 'There are no sites on this server.' : undefined}
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
      title={`Restart services on ${server.attributes.name}?`}
      text="Requests and connections fail briefly while each service restarts. An invalid configuration is not applied."
      submit={(n) => `Restart ${plural(n, 'service')}`}
      needs={manage}
      plans
      missing={list.isSuccess && list.rows.length === 0 ? 'There are no services on this server.' : undefined}
      targets={list.rows.filter(acted).map((s) => restartOf(org, server.id, s))}
      onClose={onClose}
    >
      {list.isPending ? <Waiting /> : list.error && <Failed error={list.error} again={() => void list.refetch()} />}
    </Bulk>
  );
}
