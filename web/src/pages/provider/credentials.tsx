import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Cloud, Plus } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Credential } from '../../api/types';
import { Button } from '../../kit/button';
import { flags, shell } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Pill, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { type Kind, kinds } from './kinds';

const many = '/orgs/{organization}/server-credentials';
const one = `${many}/{credential}` as const;
const manage = 'credential:manage';

/** Credentials are accounts at server providers. What opens them goes in and never comes out. */
export function Credentials() {
  const { org } = useParams({ from: '/orgs/$org' });
  const list = useList(many, { organization: org });
  const [editing, setEditing] = useState<Credential | 'new' | null>(null);
  const [removing, setRemoving] = useState<Credential | null>(null);
  const add = (
    <Button look="primary" icon={Plus} needs={manage} onClick={() => setEditing('new')}>
      <Trans>Connect an account</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Server provider accounts`}
      plain
      text={t`Credentials are stored encrypted and can be shared with teams. Order servers with them under Add server.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Cloud} title={t`No provider accounts yet`} text={t`Connect one to order servers, and to share it with your teams.`} action={add} />
      ) : (
        <Table
          label={t`Server provider accounts`}
          rows={list.rows}
          id={(c) => c.id}
          more={list.hasNextPage && !list.isFetching ? () => void list.fetchNextPage() : undefined}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: (c) => (
                <span className="flex min-w-0 items-center gap-2">
                  <span className="truncate font-medium">{c.attributes.name}</span>
                  {c.attributes.in_use && (
                    <Pill tone="good">
                      <Trans>In use</Trans>
                    </Pill>
                  )}
                </span>
              ),
            },
            {
              name: t`Provider`,
              width: 'minmax(0,1.5fr)',
              cell: (c) => <span className="text-muted">{kinds.find(([k]) => k === c.attributes.provider)?.[1] ?? c.attributes.provider}</span>,
            },
            {
              name: t`Added`,
              width: '8rem',
              minor: true,
              cell: (c) => (
                <span className="text-muted">
                  <Time at={c.attributes.created_at} ago />
                </span>
              ),
            },
            {
              name: t`Edit`,
              width: '11rem',
              end: true,
              cell: (c) => (
                <span className="flex gap-1">
                  <Button look="quiet" needs={manage} onClick={() => setEditing(c)} aria-label={t`Edit ${c.attributes.name}`}>
                    <Trans>Edit</Trans>
                  </Button>
                  <Button
                    look="quiet"
                    needs={manage}
                    disabled={c.attributes.in_use}
                    why={t`Used by existing servers.`}
                    onClick={() => setRemoving(c)}
                    aria-label={t`Delete ${c.attributes.name}`}
                  >
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && <Edit org={org} c={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <Remove org={org} c={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Edit({ org, c, onClose }: { org: string; c: Credential | null; onClose: () => void }) {
  const [kind, setKind] = useState<Kind>((c?.attributes.provider as Kind | undefined) ?? 'hetzner');
  const [name, setName] = useState(c?.attributes.name ?? '');
  const [key, setKey] = useState('');
  const [secret, setSecret] = useState('');
  const make = useWrite('post', many, { organization: org }, onClose);
  const change = useWrite('put', one, { organization: org, credential: c?.id ?? '' }, onClose);
  const write = c ? change : make;
  const aws = kind === 'aws';
  const body = () => ({ name: name.trim(), provider: kind, key: aws ? key.trim() : undefined, secret: secret.trim() });
  const changed = () => ({ name: name.trim(), key: aws && key.trim() ? key.trim() : undefined, secret: secret.trim() || undefined });
  return (
    <Dialog open onClose={onClose} title={c ? t`Edit ${c.attributes.name}` : t`Connect an account`}>
      <Form
        write={write}
        submit={c ? t`Save` : t`Connect`}
        needs={manage}
        onSubmit={() => (c ? change.submit(changed()) : make.submit(body()))}
        call={() => (c ? change.call({ ...changed(), secret: secret ? '…' : undefined }) : make.call({ ...body(), secret: '…' }))}
        cli={() =>
          c
            ? `hostler credentials update ${c.id}${flags({ name: name.trim(), key: changed().key })}${secret ? ' --secret' : ''}`
            : `hostler credentials add ${shell(name.trim() || 'NAME')} --provider ${kind}${flags({ key: body().key })}`
        }
      >
        {!c && <Select label={t`Provider`} name="provider" value={kind} onChange={(e) => setKind(e.target.value as Kind)} options={kinds} />}
        <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Our account`} />
        {aws && (
          <Input
            label={t`Access key`}
            name="key"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(e) => setKey(e.target.value)}
            className="font-mono"
            placeholder={c ? t`Unchanged` : undefined}
          />
        )}
        <Input
          label={aws ? t`Secret key` : t`API token`}
          name="secret"
          type="password"
          autoComplete="new-password"
          value={secret}
          onChange={(e) => setSecret(e.target.value)}
          className="font-mono"
          placeholder={c ? t`Unchanged` : undefined}
          hint={t`Stored encrypted and never shown again.`}
        />
      </Form>
    </Dialog>
  );
}

function Remove({ org, c, onClose }: { org: string; c: Credential; onClose: () => void }) {
  const write = useWrite('delete', one, { organization: org, credential: c.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${c.attributes.name}?`}
      name={c.attributes.name}
      submit={t`Delete account`}
      what={t`Hostler deletes the credentials. Servers at the provider are not affected.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
      cli={() => `hostler credentials delete ${shell(c.attributes.name)}`}
    />
  );
}
