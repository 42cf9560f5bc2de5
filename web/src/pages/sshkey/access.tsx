import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import { useList } from '../../api/query';
import type { AccessKey } from '../../api/types';
import { Bulk } from '../../kit/bulk';
import { Button, ButtonLink } from '../../kit/button';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { soonAny, Time } from '../../kit/state';
import { Filter, Table } from '../../kit/table';
import { byFingerprint, type Held } from './key';
import { CloseSessions } from './keys';

/** SSHAccess is who can log in to which servers: each key once, with the accounts that it opens. */
export function SSHAccess() {
  const { org } = useParams({ from: '/orgs/$org' });
  const [name, setName] = useState('');
  const list = useList('/orgs/{organization}/ssh-keys', { organization: org }, { query: { 'filter[name]': name, sort: 'name' }, every: soonAny, all: true }); // the same key may be on any page
  const members = useList('/orgs/{organization}/members', { organization: org }, { all: true });
  const people = new Map(members.rows.map((m) => [Number(m.id), m.attributes.name]));
  const [removing, setRemoving] = useState<Held<AccessKey> | null>(null);
  const rows = byFingerprint(list.rows);
  const by = (k: AccessKey) => (k.attributes.created_by === null ? t`Deleted account` : (people.get(k.attributes.created_by) ?? t`Former member`));
  const add = (
    <ButtonLink to="/orgs/$org/servers" params={{ org }}>
      <Trans>Select servers</Trans>
    </ButtonLink>
  );
  return (
    <Section
      title={t`SSH access`}
      plain
      text={t`Keys that can log in to your servers over SSH. To add one to several servers, select them in Servers. Keys added manually on a server are not listed.`}
      actions={rows.length > 0 && add}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : (
        <>
          {(rows.length > 8 || name) && <Filter label={t`Filter by name`} onChange={setName} />}
          {rows.length === 0 ? (
            name ? (
              <p className="py-6 text-center text-muted">
                <Trans>No keys match “{name}”.</Trans>
              </p>
            ) : (
              <Empty icon={KeyRound} title={t`No SSH keys`} text={t`Select servers to add your public key to all of them.`} action={add} />
            )
          ) : (
            <Table
              label={t`SSH access`}
              rows={rows}
              more={undefined}
              id={(h) => h.fingerprint}
              footer={plural(rows.length, { one: '# key', other: '# keys' })}
              columns={[
                {
                  name: t`Key`,
                  width: 'minmax(0,2fr)',
                  cell: (h) => (
                    <span className="grid">
                      <span className="truncate font-medium">{h.name}</span>
                      <span className="truncate font-mono text-sm text-muted" title={h.fingerprint}>
                        {h.fingerprint}
                      </span>
                    </span>
                  ),
                },
                {
                  name: t`Can log in to`,
                  width: 'minmax(0,3fr)',
                  cell: (h) => (
                    <ul className="flex flex-wrap gap-x-4 gap-y-1">
                      {h.keys.map((k) => (
                        <li key={k.id} className="min-w-0">
                          <Trans>
                            <span className="font-mono text-sm">{k.attributes.user}</span> on{' '}
                            <Link
                              to="/orgs/$org/servers/$server/ssh-keys"
                              params={{ org, server: String(k.attributes.server_id) }}
                              className="text-accent underline-offset-2 hover:underline"
                            >
                              {k.attributes.server_name}
                            </Link>
                          </Trans>
                          {k.attributes.options && (
                            <span className="block truncate font-mono text-sm text-muted" title={k.attributes.options}>
                              {k.attributes.options}
                            </span>
                          )}
                        </li>
                      ))}
                    </ul>
                  ),
                },
                {
                  name: t`Added by`,
                  width: 'minmax(0,1fr)',
                  named: true,
                  minor: true,
                  cell: (h) => <span className="block truncate text-muted">{[...new Set(h.keys.map(by))].join(', ')}</span>,
                },
                {
                  name: t`Added`,
                  width: '7rem',
                  minor: true,
                  cell: (h) => (
                    <span className="text-muted">
                      <Time at={h.keys[0]!.attributes.created_at} ago />
                    </span>
                  ),
                },
                {
                  name: t`Remove`,
                  width: '2.5rem',
                  end: true,
                  cell: (h) => (
                    <Button
                      look="quiet"
                      only
                      icon={Trash2}
                      does="delete /orgs/{organization}/servers/{server}/ssh-keys/{key}"
                      title={t`Remove ${h.name}`}
                      onClick={() => setRemoving(h)}
                    >
                      {t`Remove ${h.name}`}
                    </Button>
                  ),
                },
              ]}
            />
          )}
        </>
      )}
      {removing && <RemoveEverywhere org={org} held={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function RemoveEverywhere({ org, held, onClose }: { org: string; held: Held<AccessKey>; onClose: () => void }) {
  const [closing, setClosing] = useState(false);
  return (
    <Bulk
      org={org}
      title={t`Remove ${held.name} from ${plural(held.keys.length, { one: '# account', other: '# accounts' })}?`}
      text={t`Its owner can no longer log in to these accounts with this key.`}
      submit={(n) => t`Remove from ${plural(n, { one: '# account', other: '# accounts' })}`}
      does="delete /orgs/{organization}/servers/{server}/ssh-keys/{key}"
      plans
      targets={held.keys.map((k) => ({
        id: k.id,
        name: t`${k.attributes.user} on ${k.attributes.server_name}`,
        server: String(k.attributes.server_id),
        host: k.attributes.server_name,
        path: fill('/orgs/{organization}/servers/{server}/ssh-keys/{key}', { organization: org, server: String(k.attributes.server_id), key: k.id }),
        method: 'delete',
        query: closing ? { close_sessions: 'true' } : undefined,
      }))}
      onClose={onClose}
    >
      <CloseSessions on={closing} onChange={setClosing} />
    </Bulk>
  );
}
