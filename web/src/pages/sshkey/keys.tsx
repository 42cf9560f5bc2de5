import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client';
import { useLacked, useMay } from '../../api/may';
import { useList, useWrite } from '../../api/query';
import type { SSHKey } from '../../api/types';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input, Select, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, State, soonAny, Time } from '../../kit/state';
import { Filter, Table } from '../../kit/table';
import { permissionNamed } from '../../kit/words';
import { Work } from '../../kit/work';
import { useServer } from '../server/at';
import { useLastLine } from '../server/line';
import { commentOf, isPrivate, privateKey } from './key';

const base = '/orgs/{organization}/servers/{server}/ssh-keys';

/** useAccounts are the accounts of a server that a key can log in to, with what each amounts to, alone and after its name. */
function useAccounts(org: string, server: string): [account: string, scope: string, named: string][] {
  const sites = useList('/orgs/{organization}/servers/{server}/sites', { organization: org, server }, { all: true });
  const isolated = sites.rows
    .filter((s) => s.attributes.isolated)
    .map(({ attributes: { user, name } }) => [user, t`${name} only`, t`${user} (${name} only)`] as [string, string, string]);
  return [['forge', t`All non-isolated sites`, t`forge (all non-isolated sites)`], ['root', t`The whole server`, t`root (the whole server)`], ...isolated];
}

/** SSHKeys are the keys of people that can log in to a server. */
export function SSHKeys() {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const params = { organization: org, server: server.id };
  const [name, setName] = useState('');
  const list = useList(base, params, { query: { 'filter[name]': name }, every: soonAny });
  const members = useList('/orgs/{organization}/members', { organization: org }, { all: true });
  const people = new Map(members.rows.map((m) => [Number(m.id), m.attributes.name]));
  const scopes = new Map(useAccounts(org, server.id).map(([account, scope]) => [account, scope]));
  const [adding, setAdding] = useState(false);
  useDeed('add', () => setAdding(true));
  const [removing, setRemoving] = useState<SSHKey | null>(null);
  const operation = (list.rows.find((k) => active(k.meta?.operation)) ?? list.rows.find((k) => k.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const lacks = useLacked(`post ${base}`);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${base}`} onClick={() => setAdding(true)}>
      <Trans>Add key</Trans>
    </Button>
  );
  return (
    <Section
      title={t`SSH keys`}
      plain
      text={t`People who can log in to this server over SSH. Keys added manually on the server are not listed or changed.`}
      actions={list.rows.length > 0 && add}
    >
      {lacks && (
        <Notice>
          <Trans>You can see who has access. You need the permission {permissionNamed(lacks)} to add keys.</Trans>
        </Notice>
      )}
      {operation && <Work operation={operation} org={org} server={server.id} line={last} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : (
        <>
          {(list.rows.length > 8 || name) && <Filter label={t`Filter by name`} onChange={setName} />}
          {list.rows.length === 0 ? (
            name ? (
              <p className="py-6 text-center text-muted">
                <Trans>No keys match “{name}”.</Trans>
              </p>
            ) : (
              <Empty icon={KeyRound} title={t`No SSH keys`} text={t`Add a public key to log in to this server from your own machine.`} action={add} />
            )
          ) : (
            <Table
              label={t`SSH keys`}
              rows={list.rows}
              id={(k) => k.id}
              more={list.more}
              footer={plural(list.rows.length, { one: '# key', other: '# keys' })}
              columns={[
                {
                  name: t`Name`,
                  width: 'minmax(0,2fr)',
                  cell: (k) => (
                    <span className="grid">
                      <span className="truncate font-medium">{k.attributes.name}</span>
                      {k.meta?.ssh_key?.options && (
                        <span className="truncate font-mono text-sm text-muted" title={k.meta?.ssh_key?.options}>
                          {k.meta?.ssh_key?.options}
                        </span>
                      )}
                    </span>
                  ),
                },
                {
                  name: t`Account`,
                  width: 'minmax(0,1.5fr)',
                  cell: (k) => (
                    <span className="grid">
                      <span className="truncate font-mono text-sm">{k.attributes.user}</span>
                      <span className="truncate text-sm text-muted">{scopes.get(k.attributes.user)}</span>
                    </span>
                  ),
                },
                {
                  name: t`Added by`,
                  width: 'minmax(0,1fr)',
                  named: true,
                  minor: true,
                  cell: (k) => (
                    <span className="block truncate text-muted">
                      {k.attributes.created_by === null ? t`Deleted account` : (people.get(k.attributes.created_by) ?? t`Former member`)}
                    </span>
                  ),
                },
                {
                  name: t`Added`,
                  width: '7rem',
                  minor: true,
                  cell: (k) => (
                    <span className="text-muted">
                      <Time at={k.attributes.created_at} ago />
                    </span>
                  ),
                },
                { name: t`Status`, width: '8rem', cell: (k) => <State state={k.attributes.status} /> },
                {
                  name: t`Remove`,
                  width: '2.5rem',
                  end: true,
                  cell: (k) => (
                    <Button
                      look="quiet"
                      only
                      icon={Trash2}
                      does={`delete ${base}/{key}`}
                      title={t`Remove ${k.attributes.name}`}
                      onClick={() => setRemoving(k)}
                    >{t`Remove ${k.attributes.name}`}</Button>
                  ),
                },
              ]}
            />
          )}
        </>
      )}
      {adding && <AddKey params={params} onClose={() => setAdding(false)} />}
      {removing && <RemoveKey params={params} row={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

/** PublicKey is the field that a public key is pasted into. */
export function PublicKey({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  return (
    <Textarea
      label={t`Public key`}
      name="key"
      rows={4}
      value={value}
      onChange={(e) => onChange(e.target.value)}
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      spellCheck={false}
      className="font-mono text-sm break-all"
      placeholder="ssh-ed25519 AAAA… ada@laptop"
      hint={t`Usually in ~/.ssh/id_ed25519.pub on your machine. Run ssh-keygen to create one.`}
    />
  );
}

/** Options is the field for what restricts a key, for those who may set it. */
export function Options({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  if (!useMay(`post ${base} options`)) {
    return null;
  }
  return (
    <Input
      label={t`Options`}
      name="options"
      autoComplete="off"
      spellCheck={false}
      className="font-mono text-sm"
      value={value}
      onChange={(e) => onChange(e.target.value)}
      placeholder='restrict,from="10.0.0.0/8"'
      hint={t`Optional restrictions as in authorized_keys: from, expiry-time, permitopen, restrict and others.`}
    />
  );
}

type Params = { organization: string; server: string };

function AddKey({ params, onClose }: { params: Params; onClose: () => void }) {
  const [name, setName] = useState('');
  const [key, setKey] = useState('');
  const [user, setUser] = useState('forge');
  const [options, setOptions] = useState('');
  const [refused, setRefused] = useState(false);
  const write = useWrite('post', base, params, onClose);
  const accounts = useAccounts(params.organization, params.server);
  const body = () => ({ name: name.trim() || commentOf(key), key: key.trim(), user, ...(options.trim() ? { options: options.trim() } : {}) });
  // A private key is not kept in the field either: nothing that follows could send it.
  const typed = (text: string) => {
    setRefused(isPrivate(text));
    setKey(isPrivate(text) ? '' : text);
  };
  const shown = refused ? { ...write, error: new ApiError(422, privateKey), fields: { key: [{ code: 'invalid', text: privateKey }] } } : write;
  return (
    <Dialog open onClose={onClose} title={t`Add an SSH key`} wide={!!write.plan}>
      <Form
        write={shown}
        submit={t`Add key`}
        onSubmit={() => !refused && write.submit(body())}
        onPlan={() => !refused && write.tryOut(body())}
        call={() => write.call(body())}
      >
        <PublicKey value={key} onChange={typed} />
        <Input
          label={t`Name`}
          name="name"
          autoComplete="off"
          value={name}
          onChange={(e) => setName(e.target.value)}
          placeholder={commentOf(key) || t`Ada's laptop`}
          hint={commentOf(key) ? t`Leave blank to use the key's comment.` : undefined}
        />
        <Select
          label={t`Account`}
          name="user"
          value={user}
          onChange={(e) => setUser(e.target.value)}
          options={accounts.map(([account, , named]) => [account, named] as const)}
          hint={user === 'root' ? t`root can read and change everything on this server, including every site's secrets.` : undefined}
        />
        <Options value={options} onChange={setOptions} />
      </Form>
    </Dialog>
  );
}

/** CloseSessions asks whether what was opened with a key that goes ends with it. */
export function CloseSessions({ on, onChange }: { on: boolean; onChange: (on: boolean) => void }) {
  return (
    <Check
      label={t`Close open sessions`}
      name="close_sessions"
      hint={t`Ends SSH sessions opened with this key and everything running in them. Leave unchecked to keep them open.`}
      checked={on}
      onChange={(e) => onChange(e.target.checked)}
    />
  );
}

function RemoveKey({ params, row, onClose }: { params: Params; row: SSHKey; onClose: () => void }) {
  const [closing, setClosing] = useState(false);
  const query = closing ? { close_sessions: 'true' } : undefined;
  const write = useWrite('delete', `${base}/{key}`, { ...params, key: row.id }, onClose);
  const a = row.attributes;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Remove ${a.name}?`}
      name={a.name}
      submit={t`Remove key`}
      what={t`The key is removed from the account ${a.user}.`}
      removal={{ ...write, submit: () => write.submit(undefined, undefined, query), tryOut: () => write.tryOut(undefined, undefined, query) }}
      call={() => write.call(undefined, undefined, query)}
    >
      <CloseSessions on={closing} onChange={setClosing} />
    </ConfirmName>
  );
}
