import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FolderKey, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/client';
import { useGet, useList, useWrite } from '../../api/query';
import type { SFTPUser } from '../../api/types';
import { Button } from '../../kit/button';
import { CopyButton } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soonAny } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';
import { commentOf, isPrivate, privateKey } from '../sshkey/key';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/sftp-users';

/** useLine is the command that connects as a user of the site's server. */
function useLine(): (name: string) => string {
  const { params } = useAt();
  const server = useGet('/orgs/{organization}/servers/{server}', { organization: params.organization, server: params.server });
  const a = server.data?.data.attributes;
  return (name) => (a?.ip_address ? `sftp ${a.ssh_port === 22 ? '' : `-P ${a.ssh_port} `}${name}@${a.ip_address}` : '');
}

/** SFTP is who can reach the files of the site, and nothing else of its server. */
export function SFTP() {
  const { org, params, site } = useAt();
  const list = useList(many, params, { every: soonAny, query: { sort: 'name' } });
  const [editing, setEditing] = useState<SFTPUser | 'new' | null>(null);
  const [removing, setRemoving] = useState<SFTPUser | null>(null);
  const operation = (list.rows.find((r) => active(r.meta?.operation)) ?? list.rows.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const line = useLine();
  const today = new Date().toISOString().slice(0, 10);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setEditing('new')}>
      <Trans>Add SFTP user</Trans>
    </Button>
  );
  return (
    <Section
      title={t`SFTP users`}
      plain
      text={t`Let someone work on the files of ${site.attributes.name} with a key of theirs, without a shell and without access to anything else on the server.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {operation && <Work operation={operation} org={org} server={params.server} line={last} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={FolderKey}
          title={t`No SFTP users`}
          text={t`Add one for a designer or an agency. They connect with a program such as FileZilla, Cyberduck or WinSCP.`}
          action={add}
        />
      ) : (
        <Table
          label={t`SFTP users`}
          rows={list.rows}
          id={(r) => r.id}
          more={list.more}
          columns={[
            {
              name: t`Connect`,
              width: 'minmax(0,3fr)',
              cell: (r) => (
                <span className="grid">
                  <span className="truncate font-medium">{r.attributes.name}</span>
                  {line(r.attributes.name) && (
                    <span className="inline-flex min-w-0 items-center font-mono text-sm text-muted">
                      <span className="truncate">{line(r.attributes.name)}</span>
                      <CopyButton text={line(r.attributes.name)} label={t`Copy SFTP command of ${r.attributes.name}`} />
                    </span>
                  )}
                </span>
              ),
            },
            {
              name: t`Keys`,
              width: 'minmax(0,2fr)',
              named: true,
              minor: true,
              cell: (r) => {
                const keys = r.attributes.keys.map((k) => commentOf(k) || k.split(' ')[0]).join(', ');
                return (
                  <span className="block truncate text-muted" title={keys}>
                    {keys}
                  </span>
                );
              },
            },
            {
              name: t`Last day`,
              width: '9rem',
              minor: 'table',
              named: true,
              cell: (r) =>
                r.attributes.expires_on === null ? (
                  <span className="text-muted">
                    <Trans>No end</Trans>
                  </span>
                ) : r.attributes.expires_on < today ? (
                  <Pill tone="warn">
                    <Trans>Expired</Trans>
                  </Pill>
                ) : (
                  <span className="font-mono text-sm">{r.attributes.expires_on}</span>
                ),
            },
            { name: t`Status`, width: '8rem', cell: (r) => <State state={r.attributes.status} /> },
            {
              name: t`Edit`,
              width: '11rem',
              end: true,
              cell: (r) => (
                <span className="flex gap-1">
                  <Button look="quiet" does={`put ${many}/{sftpUser}`} onClick={() => setEditing(r)}>
                    <Trans>Edit</Trans>
                  </Button>
                  <Button look="remove" does={`delete ${many}/{sftpUser}`} onClick={() => setRemoving(r)}>
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && <Edit user={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <Remove user={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

let rows = 0;

function Edit({ user, onClose }: { user: SFTPUser | null; onClose: () => void }) {
  const { params, site } = useAt();
  const [name, setName] = useState('');
  const [day, setDay] = useState(user?.attributes.expires_on ?? '');
  const [keys, setKeys] = useState(() => (user?.attributes.keys ?? ['']).map((text) => ({ row: ++rows, text })));
  const [refused, setRefused] = useState<number | null>(null);
  const make = useWrite('post', many, params, onClose);
  const change = useWrite('put', `${many}/{sftpUser}`, { ...params, sftpUser: user?.id ?? '' }, onClose);
  const write = user ? change : make;
  const texts = () => keys.map((k) => k.text.trim());
  const body = () => ({ name: name.trim(), keys: texts(), expires_on: day || undefined });
  const changed = () => ({ keys: texts(), expires_on: day || null });
  // A private key is not kept in the field either: nothing that follows could send it.
  const typed = (i: number, text: string) => {
    setRefused(isPrivate(text) ? i : null);
    setKeys(keys.map((k, j) => (i === j ? { ...k, text: isPrivate(text) ? '' : text } : k)));
  };
  const shown =
    refused === null ? write : { ...write, error: new ApiError(422, privateKey), fields: { [`keys.${refused}`]: [{ code: 'invalid', text: privateKey }] } };
  const one = keys.length === 1;
  return (
    <Dialog open onClose={onClose} title={user ? t`Edit ${user.attributes.name}` : t`Add an SFTP user`} wide={!!write.plan}>
      <Form
        write={shown}
        submit={user ? t`Save` : t`Add SFTP user`}
        onSubmit={() => refused === null && (user ? change.submit(changed()) : make.submit(body()))}
        onPlan={() => refused === null && (user ? change.tryOut(changed()) : make.tryOut(body()))}
        call={() => (user ? change.call(changed()) : make.call(body()))}
      >
        {!user && (
          <>
            <Notice>
              <Trans>
                Files that {site.attributes.name} serves and runs can be changed over SFTP. Anyone who has the key can do what the site itself can do.
              </Trans>
            </Notice>
            <Input
              label={t`Name`}
              name="name"
              autoFocus
              code
              value={name}
              onChange={(e) => setName(e.target.value)}
              placeholder="designer"
              hint={t`The user name to connect with. It can't be changed later.`}
            />
          </>
        )}
        {keys.map((k, i) => (
          <div key={k.row} className="grid grid-cols-[1fr_auto] items-end gap-2">
            <Textarea
              label={one ? t`Public key` : t`Public key ${i + 1}`}
              name={`keys.${i}`}
              rows={3}
              value={k.text}
              onChange={(e) => typed(i, e.target.value)}
              autoComplete="off"
              autoCapitalize="off"
              autoCorrect="off"
              spellCheck={false}
              className="font-mono text-sm break-all"
              placeholder="ssh-ed25519 AAAA… ada@laptop"
              hint={i === 0 ? t`The file that ends in .pub on the machine of the person who connects. PuTTY's format works too.` : undefined}
            />
            <Button
              look="quiet"
              only
              icon={Trash2}
              disabled={one}
              why={t`At least one key is required.`}
              onClick={() => setKeys(keys.filter((_, j) => j !== i))}
            >
              {t`Remove key ${i + 1}`}
            </Button>
          </div>
        ))}
        <div>
          <Button icon={Plus} data-adds={keys.length} onClick={() => setKeys([...keys, { row: ++rows, text: '' }])}>
            <Trans>Add another key</Trans>
          </Button>
        </div>
        <Input
          label={t`Last day`}
          name="expires_on"
          type="date"
          value={day}
          onChange={(e) => setDay(e.target.value)}
          hint={t`Optional. The user can't connect once that day is over in UTC.`}
        />
        {user && (
          <Notice>
            <Trans>Open connections are closed if you remove a key or choose an earlier day.</Trans>
          </Notice>
        )}
      </Form>
    </Dialog>
  );
}

function Remove({ user, onClose }: { user: SFTPUser; onClose: () => void }) {
  const { params, site } = useAt();
  const write = useWrite('delete', `${many}/{sftpUser}`, { ...params, sftpUser: user.id }, onClose);
  const a = user.attributes;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${a.name}?`}
      name={a.name}
      submit={t`Delete SFTP user`}
      what={
        <Trans>
          {a.name} can no longer connect, and open connections are closed. The files of {site.attributes.name} stay.
        </Trans>
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}
