import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { address } from '../../api/client';
import { useLacked } from '../../api/may';
import { asks, useWrite } from '../../api/query';
import { Button } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Select } from '../../kit/field';
import { LogFile } from '../../kit/log-file';
import { Notice, Section } from '../../kit/page';
import { permissionNamed, version } from '../../kit/words';
import { EventWork } from '../event/work';
import { useServer } from '../server/at';

const path = '/orgs/{organization}/servers/{server}/logs/{key}';

/** ServerLogs are those of the system and of what runs on it. */
export function ServerLogs() {
  const server = useServer();
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const a = server.attributes;
  const lacks = useLacked(`get ${path}`);
  const kinds: (readonly [string, string])[] = [
    ['system', t`System`],
    ['auth', t`Authentication`],
    ['nginx-error', t`nginx error log`],
    ['nginx-access', t`nginx access log`],
    ['nginx', t`nginx service`],
    ...(['app', 'web', 'cache'].includes(a.type) ? [['redis', 'Redis'] as const] : []),
    ...(a.type === 'meilisearch' ? [['meilisearch', 'Meilisearch'] as const] : []),
    ...(a.php_version ? [[a.php_version.replace('.', ''), version(a.php_version)] as const] : []),
    ...(a.database_type ? [['database', t`Database`] as const] : []),
    ['packages', t`Packages`],
    ['upgrades', t`Unattended upgrades`],
  ];
  const [key, setKey] = useState('system');
  if (lacks) return <Notice>{t`You need the permission ${permissionNamed(lacks)} to read logs.`}</Notice>;
  return (
    <Section
      title={t`Logs`}
      plain
      text={t`Read from the server on demand. Hostler does not store logs.`}
      actions={
        <div className="w-56">
          <Select label={t`Log`} hidden name="log" value={key} onChange={(e) => setKey(e.target.value)} options={kinds} />
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
          done={t`Log cleared.`}
          ended={() => void cache.invalidateQueries({ queryKey: [asks + url] })}
        />
      )}
      <LogFile
        url={url}
        name={name}
        empty={t`The log is empty.`}
        actions={
          <Button look="quiet" only icon={Eraser} does={clear.operation} title={t`Clear log`} onClick={() => setAsked(true)}>
            <Trans>Clear log</Trans>
          </Button>
        }
      />
      {asked && (
        <ConfirmName
          open
          easy
          onClose={() => setAsked(false)}
          title={t`Clear the log ${title}?`}
          name={name}
          submit={t`Clear log`}
          what={t`The log is permanently cleared on the server. The system journal can't be cleared.`}
          removal={{ ...clear, submit: () => clear.submit(), tryOut: () => clear.tryOut() }}
          call={() => clear.call()}
        />
      )}
    </div>
  );
}
