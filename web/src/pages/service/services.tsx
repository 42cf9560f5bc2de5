import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Layers, RotateCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { fill } from '../../api/client';
import { useList, useWrite } from '../../api/query';
import type { Service } from '../../api/types';
import type { Target } from '../../kit/bulk';
import { Button } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Pill } from '../../kit/state';
import { Table } from '../../kit/table';
import { unitStates, version } from '../../kit/words';
import { EventWork } from '../event/work';
import { useServer } from '../server/at';

export const services = '/orgs/{organization}/servers/{server}/services';
const titles: Record<string, string> = {
  nginx: 'nginx',
  mysql: t`MariaDB or MySQL`,
  postgres: 'PostgreSQL',
  redis: 'Redis',
  meilisearch: 'Meilisearch',
  supervisor: t`Background processes`,
};
type Name = 'nginx' | 'php' | 'mysql' | 'postgres' | 'redis' | 'supervisor';
type Verb = 'reboot' | 'reload' | 'stop';
type Asked = { name: Name; version: string | null; action: Verb };

const title = (s: { name: string; version: string | null }) => (s.version ? version(s.version) : (titles[s.name] ?? s.name));
const words: Record<Verb, string> = { reboot: t`Restart`, reload: t`Reload`, stop: t`Stop` };
const what = (a: Asked) =>
  a.action === 'stop'
    ? t`Anything that depends on it fails until it is started again.`
    : a.name === 'supervisor'
      ? t`Restarts all running background processes of this server and its sites, within their stop timeouts.`
      : a.action === 'reload'
        ? t`Requests in progress finish first, and new requests wait. An invalid configuration is not applied.`
        : a.name === 'mysql' || a.name === 'postgres' || a.name === 'redis'
          ? t`Open connections are closed. Sites can reconnect a moment later.`
          : t`Requests fail briefly. An invalid configuration is not applied.`;

/** acted reports whether a service has actions: Meilisearch restarts with its server only. */
export const acted = (s: Service) => s.attributes.name !== 'meilisearch';

/** actionsOf is what acts on a service. */
const actionsOf = (s: Service) => `post ${services}/${s.attributes.name as Name}/actions` as const;

/** restartOf restarts one service, as one of several. */
export const restartOf = (org: string, server: string, s: Service): Target => ({
  id: s.id,
  name: title(s.attributes),
  server,
  path: fill(`${services}/${s.attributes.name as 'php'}/actions`, { organization: org, server }),
  body: { action: 'reboot', ...(s.attributes.version ? { version: s.attributes.version } : {}) },
});

/** Services are the programs of a server, asked for their state when the page is looked at. */
export function Services() {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [event, setEvent] = useState<string>();
  const list = useList(services, { organization: org, server: server.id }, { every: 15_000 });
  const ask = (s: Service['attributes'], action: Verb) => setAsked({ name: s.name as Name, version: s.version, action });
  return (
    <Section
      title={t`Services`}
      plain
      text={t`Current state, read from the server.`}
      actions={
        <Button icon={RotateCw} does={`post ${services}/supervisor/actions`} onClick={() => setAsked({ name: 'supervisor', version: null, action: 'reboot' })}>
          <Trans>Restart background processes</Trans>
        </Button>
      }
    >
      {event && <EventWork org={org} server={server.id} event={event} done={t`The services were updated.`} ended={() => void list.refetch()} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Layers} title={t`No services`} text={t`This type of server runs background processes only.`} />
      ) : (
        <Table
          label={t`Services`}
          rows={list.rows}
          more={list.more}
          id={(s) => s.id}
          columns={[
            { name: t`Name`, width: 'minmax(0,2fr)', cell: (s) => <span className="block truncate font-medium">{title(s.attributes)}</span> },
            {
              name: t`Unit`,
              width: 'minmax(0,2fr)',
              minor: true,
              cell: (s) => <span className="block truncate font-mono text-sm text-muted">{s.attributes.unit}</span>,
            },
            {
              name: t`Status`,
              width: '9rem',
              cell: (s) => <Pill tone={s.attributes.state === 'active' ? 'good' : 'bad'}>{unitStates[s.attributes.state] ?? s.attributes.state}</Pill>,
            },
            {
              name: t`Actions`,
              width: '16rem',
              end: true,
              cell: (s) =>
                acted(s) && (
                  <span className="flex justify-end gap-1">
                    {s.attributes.name === 'php' && (
                      <Button look="quiet" does={`post ${services}/php/actions`} onClick={() => ask(s.attributes, 'reload')}>
                        <Trans>Reload</Trans>
                      </Button>
                    )}
                    <Button look="quiet" does={actionsOf(s)} onClick={() => ask(s.attributes, 'reboot')}>
                      <Trans>Restart</Trans>
                    </Button>
                    {s.attributes.name !== 'php' && s.attributes.name !== 'redis' && (
                      <Button look="quiet" does={actionsOf(s)} aria-label={t`Stop ${title(s.attributes)}`} onClick={() => ask(s.attributes, 'stop')}>
                        <Trans>Stop</Trans>
                      </Button>
                    )}
                  </span>
                ),
            },
          ]}
        />
      )}
      {asked && <Act org={org} asked={asked} onClose={() => setAsked(null)} begun={setEvent} />}
    </Section>
  );
}

function Act({ org, asked, onClose, begun }: { org: string; asked: Asked; onClose: () => void; begun: (event: string) => void }) {
  const server = useServer();
  // The paths differ in their bodies' lists of actions only, which the table above keeps to.
  const path = `${services}/${asked.name}/actions` as `${typeof services}/php/actions`;
  const write = useWrite('post', path, { organization: org, server: server.id });
  useEffect(() => {
    if (!write.event) return;
    begun(write.event);
    onClose();
  }, [write.event, begun, onClose]);
  const body = { action: asked.action, ...(asked.version ? { version: asked.version } : {}) } as { action: 'reload'; version: 'php84' };
  const submit = () => {
    write.submit(body);
  };
  return (
    <ConfirmName
      open
      easy={asked.action !== 'stop'}
      onClose={onClose}
      title={`${words[asked.action]} ${title(asked)}?`}
      name={server.attributes.name}
      submit={words[asked.action]}
      what={what(asked)}
      removal={{ ...write, submit, tryOut: () => write.tryOut(body) }}
      call={() => write.call(body)}
    />
  );
}
