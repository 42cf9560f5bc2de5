import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { address } from '../../api/client';
import { asks, useWrite } from '../../api/query';
import { Button, useMay } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Select } from '../../kit/field';
import { LogFile } from '../../kit/log-file';
import { Notice, Section } from '../../kit/page';
import { requires, version } from '../../kit/words';
import { EventWork } from '../event/work';
import { useServer } from '../server/at';

const path = '/orgs/{organization}/servers/{server}/logs/{key}';
const manage = 'server:manage-logs';

/** ServerLogs are those of the system and of what runs on it. */
export function ServerLogs() {
  const server = useServer();
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const a = server.attributes;
  const may = useMay(manage);
  const kinds: (readonly [string, string])[] = [
    ['system', 'System'],
    ['auth', 'Sign-ins'],
    ['nginx-error', 'nginx error log'],
    ['nginx-access', 'nginx access log'],
    ['nginx', 'nginx service'],
    ...(['app', 'web', 'cache'].includes(a.type) ? [['redis', 'Redis'] as const] : []),
    ...(a.type === 'meilisearch' ? [['meilisearch', 'Meilisearch'] as const] : []),
    ...(a.php_version ? [[a.php_version.replace('.', ''), version(a.php_version)] as const] : []),
    ...(a.database_type ? [['database', 'Database'] as const] : []),
    ['packages', 'Packages'],
    ['upgrades', 'Unattended upgrades'],
  ];
  const [key, setKey] = useState('system');
  if (!may) return <Notice>{requires(manage, 'Reading logs')}</Notice>;
  return (
    <Section
      title="Logs"
      plain
      text="Read from the server on demand. Hostler does not store logs."
      actions={
        <div className="w-56">
          <Select label="Log" hidden name="log" value={key} onChange={(e) => setKey(e.target.value)} options={kinds} />
        </div>
      }
    >
      <One key={key} org={org} server={server.id} name={key} title={kinds.find(([k]) => k === key)?.[1] ?? key} />
    </Section>
  );
}

function One({ org, server, name, title }: { org: string; server: string; name: string; title: string }) {
  const cache = useQueryClient();
  const params = { organization: org, server, key: name };
  const [asked, setAsked] = useState(false);
  const clear = useWrite('delete', path, params, () => setAsked(false));
  const url = address(path, params);
  return (
    <div className="grid gap-3">
      {clear.event && (
        <EventWork org={org} server={server} event={clear.event} done="Log cleared." ended={() => void cache.invalidateQueries({ queryKey: [asks + url] })} />
      )}
      <LogFile
        url={url}
        name={name}
        empty="The log is empty."
        actions={
          <Button look="quiet" only icon={Eraser} needs={manage} title="Clear log" onClick={() => setAsked(true)}>
            Clear log
          </Button>
        }
      />
      {asked && (
        <ConfirmName
          open
          easy
          onClose={() => setAsked(false)}
          title={`Clear the log ${title}?`}
          name={name}
          submit="Clear log"
          what="The log is permanently cleared on the server. The system journal can't be cleared."
          removal={{ ...clear, submit: () => clear.submit(), tryOut: () => clear.tryOut() }}
          call={() => clear.call()}
          cli={() => `hostler logs server ${server} ${name} --clear`}
        />
      )}
    </div>
  );
}
