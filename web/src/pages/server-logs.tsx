import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { address } from '../api/client';
import { asks, useWrite } from '../api/query';
import { Button, useMay } from '../kit/button';
import { ConfirmName } from '../kit/dialog';
import { Select } from '../kit/field';
import { LogFile } from '../kit/log-file';
import { Notice, Section } from '../kit/page';
import { EventWork } from './event-work';
import { useServer } from './server';

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
    ['nginx-error', 'nginx: errors'],
    ['nginx-access', 'nginx: requests'],
    ...(a.php_version ? [[a.php_version.replace('.', ''), `PHP ${a.php_version.replace(/^php(\d)(\d+)$/, '$1.$2')}`] as const] : []),
    ...(a.database_type ? [['database', 'Database'] as const] : []),
    ['packages', 'Packages'],
    ['upgrades', 'Upgrades by themselves'],
  ];
  const [key, setKey] = useState('system');
  if (!may) return <Notice>Reading logs needs the permission {manage}, which your role does not have.</Notice>;
  return (
    <Section
      title="Logs"
      plain
      text="Read on the server when you look; nothing of them is kept here."
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
        <EventWork
          org={org}
          server={server}
          event={clear.event}
          done="The log was emptied."
          ended={() => void cache.invalidateQueries({ queryKey: [asks + url] })}
        />
      )}
      <LogFile
        url={url}
        name={name}
        empty="It has no line."
        actions={
          <Button look="quiet" only icon={Eraser} needs={manage} title="Empty the log" onClick={() => setAsked(true)}>
            Empty the log
          </Button>
        }
      />
      {asked && (
        <ConfirmName
          open
          easy
          onClose={() => setAsked(false)}
          title={`Empty the log ${title}?`}
          name={name}
          submit="Empty it"
          what="What it says until now is gone for good. What the system's journal keeps can't be emptied."
          removal={{ ...clear, submit: () => clear.submit(), tryOut: () => clear.tryOut() }}
          call={() => clear.call()}
          cli={() => `hostler logs server ${server} ${name} --clear`}
        />
      )}
    </div>
  );
}
