import { t } from '@lingui/core/macro';
import { useParams } from '@tanstack/react-router';
import { Cloud } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Credential } from '../../api/types';
import { added, Connections } from '../../kit/connections';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { type Kind, kinds } from './kinds';

const many = '/orgs/{organization}/server-credentials';
const one = `${many}/{credential}` as const;

/** Credentials are accounts at server providers. What opens them goes in and never comes out. */
export function Credentials() {
  const { org } = useParams({ from: '/orgs/$org' });
  return (
    <Connections
      title={t`Server provider accounts`}
      text={t`Credentials are stored encrypted and can be shared with teams. Create servers with them under Add server.`}
      add={t`Connect an account`}
      does={{ add: `post ${many}`, edit: `put ${one}`, remove: `delete ${one}` }}
      list={useList(many, { organization: org })}
      empty={{ icon: Cloud, title: t`No provider accounts yet`, text: t`Connect one to order servers, and to share it with your teams.` }}
      columns={[
        {
          name: t`Provider`,
          width: 'minmax(0,1.5fr)',
          cell: (c) => <span className="text-muted">{kinds.find(([k]) => k === c.attributes.provider)?.[1] ?? c.attributes.provider}</span>,
        },
        added,
      ]}
      used={t`Used by existing servers.`}
      edit={(c, close) => <Edit org={org} c={c} onClose={close} />}
      remove={(c, close) => <Remove org={org} c={c} onClose={close} />}
    />
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
        onSubmit={() => (c ? change.submit(changed()) : make.submit(body()))}
        call={() => (c ? change.call({ ...changed(), secret: secret ? '…' : undefined }) : make.call({ ...body(), secret: '…' }))}
      >
        {!c && <Select label={t`Provider`} name="provider" value={kind} onChange={(e) => setKind(e.target.value as Kind)} options={kinds} />}
        <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Our account`} />
        {aws && <Input label={t`Access key`} name="key" value={key} onChange={(e) => setKey(e.target.value)} code placeholder={c ? t`Unchanged` : undefined} />}
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
    />
  );
}
