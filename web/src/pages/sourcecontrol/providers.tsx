import { t } from '@lingui/core/macro';
import { useParams } from '@tanstack/react-router';
import { GitBranch } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { GitProvider } from '../../api/types';
import { added, Connections } from '../../kit/connections';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';

export const gitProviders = '/orgs/{organization}/source-control-providers';
const one = `${gitProviders}/{sourceControlProvider}` as const;

type Kind = GitProvider['attributes']['provider'];
export const gitKinds: readonly [Kind, string][] = [
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['bitbucket', 'Bitbucket'],
  ['gitlab-custom', t`Self-hosted GitLab`],
];
const scopes: Record<Kind, string> = {
  github: t`A fine-grained token: read access to contents and metadata, write access to administration and webhooks.`,
  gitlab: t`A token with the api scope.`,
  'gitlab-custom': t`A token with the api scope.`,
  bitbucket: t`An API token with read and admin access to repositories, and access to webhooks.`,
};

/** GitProviders are where repositories are: Hostler adds deploy keys and webhooks there by itself. */
export function GitProviders() {
  const { org } = useParams({ from: '/orgs/$org' });
  return (
    <Connections
      title={t`Git providers`}
      text={t`Hostler adds a site's deploy key and webhook at the provider, and removes them when the site is deleted.`}
      add={t`Connect a provider`}
      does={{ add: `post ${gitProviders}`, edit: `put ${one}`, remove: `delete ${one}` }}
      list={useList(gitProviders, { organization: org }, { query: { sort: 'name' } })}
      empty={{
        icon: GitBranch,
        title: t`No providers yet`,
        text: t`Connect one so that you don't have to add deploy keys and webhooks yourself. Any other Git server works too.`,
      }}
      columns={[
        {
          name: t`Provider`,
          width: 'minmax(0,2fr)',
          cell: (p) => (
            <span className="block truncate">
              {p.attributes.url ? <span className="font-mono text-sm">{p.attributes.url}</span> : gitKinds.find(([k]) => k === p.attributes.provider)?.[1]}
            </span>
          ),
        },
        added,
      ]}
      used={t`Used by sites. Choose another provider for them first.`}
      edit={(p, close) => <Edit org={org} p={p} onClose={close} />}
      remove={(p, close) => <Remove org={org} p={p} onClose={close} />}
    />
  );
}

function Edit({ org, p, onClose }: { org: string; p: GitProvider | null; onClose: () => void }) {
  const [kind, setKind] = useState<Kind>(p?.attributes.provider ?? 'github');
  const [name, setName] = useState(p?.attributes.name ?? '');
  const [url, setURL] = useState('');
  const [host, setHost] = useState('');
  const [user, setUser] = useState(p?.attributes.username ?? '');
  const [token, setToken] = useState('');
  const make = useWrite('post', gitProviders, { organization: org }, onClose);
  const change = useWrite('put', one, { organization: org, sourceControlProvider: p?.id ?? '' }, onClose);
  const write = p ? change : make;
  const own = kind === 'gitlab-custom';
  const body = () => ({
    name: name.trim(),
    provider: kind,
    token: token.trim(),
    url: own ? url.trim() : undefined,
    clone_host: own && host.trim() ? host.trim() : undefined,
    username: user.trim() || undefined,
  });
  const changed = () => ({ name: name.trim(), token: token.trim() || undefined, username: kind === 'bitbucket' ? user.trim() || null : undefined });
  return (
    <Dialog open onClose={onClose} title={p ? t`Edit ${p.attributes.name}` : t`Connect a provider`} text={t`The token is tested before it is saved.`}>
      <Form
        write={write}
        submit={p ? t`Save` : t`Connect`}
        onSubmit={() => (p ? change.submit(changed()) : make.submit(body()))}
        call={() => (p ? change.call({ ...changed(), token: token ? '…' : undefined }) : make.call({ ...body(), token: '…' }))}
      >
        {!p && <Select label={t`Provider`} name="provider" value={kind} onChange={(e) => setKind(e.target.value as Kind)} options={gitKinds} />}
        <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Our organization`} />
        {!p && own && (
          <Input label={t`URL`} name="url" inputMode="url" value={url} onChange={(e) => setURL(e.target.value)} code placeholder="https://git.example.com" />
        )}
        {!p && own && (
          <Input
            label={t`Cloned from`}
            name="clone_host"
            value={host}
            onChange={(e) => setHost(e.target.value)}
            code
            placeholder="git.example.com:2222"
            hint={t`Only if the SSH host or port differs from the URL.`}
          />
        )}
        {kind === 'bitbucket' && (
          <Input
            label={t`Account email`}
            name="username"
            autoComplete="off"
            spellCheck={false}
            value={user}
            onChange={(e) => setUser(e.target.value)}
            hint={t`Required for Atlassian account tokens only.`}
          />
        )}
        <Input
          label={t`Token`}
          name="token"
          type="password"
          autoComplete="new-password"
          value={token}
          onChange={(e) => setToken(e.target.value)}
          className="font-mono"
          placeholder={p ? t`Unchanged` : undefined}
          hint={`${scopes[kind]} ${t`Stored encrypted and never shown again.`}`}
        />
      </Form>
    </Dialog>
  );
}

function Remove({ org, p, onClose }: { org: string; p: GitProvider; onClose: () => void }) {
  const write = useWrite('delete', one, { organization: org, sourceControlProvider: p.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${p.attributes.name}?`}
      name={p.attributes.name}
      submit={t`Delete provider`}
      what={t`Hostler deletes the token. Nothing changes at the provider.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}
