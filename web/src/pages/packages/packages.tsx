import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import type { ComposerCredential, NpmCredential } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Choice, Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { active, Pill, soonAny } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const site = '/orgs/{organization}/servers/{server}/sites/{site}';
const composer = `${site}/composer/credentials` as const;
const npm = `${site}/npm/credentials` as const;

type Credential = { kind: 'composer'; row: ComposerCredential } | { kind: 'npm'; row: NpmCredential };
const nameOf = (c: Credential) => (c.kind === 'composer' ? c.row.attributes.repository : c.row.attributes.registry);

/** Packages are the passwords and tokens with which deployments fetch packages that are not public. */
export function Packages() {
  const { org, params } = useAt();
  const first = useGet(composer, params, { every: (d: { data: ComposerCredential[] }) => soonAny(d.data) });
  const second = useGet(npm, params, { every: (d: { data: NpmCredential[] }) => soonAny(d.data) });
  const rows: Credential[] = [
    ...(first.data?.data ?? []).map((row) => ({ kind: 'composer' as const, row })),
    ...(second.data?.data ?? []).map((row) => ({ kind: 'npm' as const, row })),
  ];
  const [editing, setEditing] = useState<Credential | 'new' | null>(null);
  const [removing, setRemoving] = useState<Credential | null>(null);
  const operation = (rows.find((c) => active(c.row.meta?.operation)) ?? rows.find((c) => c.row.meta?.operation?.state === 'failed'))?.row.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const error = first.error ?? second.error;
  const add = (
    <Button look="primary" icon={Plus} does={`post ${composer}`} onClick={() => setEditing('new')}>
      <Trans>Add credential</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Package credentials`}
      plain
      text={t`Used by deployments to fetch private packages. Readable only by the site's user, stored encrypted and never shown again.`}
      actions={rows.length > 0 ? add : undefined}
    >
      {operation && <Work operation={operation} org={org} server={params.server} line={last} />}
      {(first.isPending || second.isPending) && !error ? (
        <Waiting rows={2} />
      ) : error ? (
        <Failed
          error={error}
          again={() => {
            void first.refetch();
            void second.refetch();
          }}
        />
      ) : rows.length === 0 ? (
        <Empty
          icon={KeyRound}
          title={t`No package credentials yet`}
          text={t`Add credentials for your private Composer repository or npm registry.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Package credentials`}
          rows={rows}
          more={undefined}
          id={(c) => c.kind + c.row.id}
          columns={[
            {
              name: t`Repository or registry`,
              width: 'minmax(0,2fr)',
              cell: (c) => <span className="block truncate font-mono text-sm font-medium">{nameOf(c)}</span>,
            },
            { name: t`Type`, width: '8rem', cell: (c) => <Pill>{c.kind === 'composer' ? 'Composer' : 'npm'}</Pill> },
            {
              name: t`Scopes`,
              width: 'minmax(0,2fr)',
              cell: (c) => (
                <span className="block truncate text-muted">
                  {c.kind === 'composer' ? c.row.attributes.username : c.row.attributes.scopes.length ? c.row.attributes.scopes.join(', ') : t`All packages`}
                </span>
              ),
            },
            {
              name: t`Edit`,
              width: '8rem',
              end: true,
              cell: (c) => (
                <span className="flex gap-1">
                  <Button
                    look="quiet"
                    does={c.kind === 'composer' ? `put ${composer}/{repository}` : `put ${npm}/{registry}`}
                    onClick={() => setEditing(c)}
                    aria-label={t`Edit ${nameOf(c)}`}
                  >
                    <Trans>Edit</Trans>
                  </Button>
                  <Button
                    look="quiet"
                    only
                    icon={Trash2}
                    does={c.kind === 'composer' ? `delete ${composer}/{repository}` : `delete ${npm}/{registry}`}
                    onClick={() => setRemoving(c)}
                  >{t`Delete ${nameOf(c)}`}</Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && <Edit c={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {removing && <Remove c={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function Edit({ c, onClose }: { c: Credential | null; onClose: () => void }) {
  const { params } = useAt();
  const [kind, setKind] = useState<'composer' | 'npm'>(c?.kind ?? 'composer');
  const [where, setWhere] = useState(c ? nameOf(c) : '');
  const [user, setUser] = useState(c?.kind === 'composer' ? c.row.attributes.username : '');
  const [scopes, setScopes] = useState(c?.kind === 'npm' ? c.row.attributes.scopes.join(' ') : '');
  const [secret, setSecret] = useState('');
  const id = c ? nameOf(c) : '';
  const a = useWrite('post', composer, params, onClose);
  const b = useWrite('put', `${composer}/{repository}`, { ...params, repository: id }, onClose);
  const x = useWrite('post', npm, params, onClose);
  const y = useWrite('put', `${npm}/{registry}`, { ...params, registry: id }, onClose);
  const first = () => ({ repository: where.trim(), username: user.trim(), password: secret });
  const second = () => ({ registry: where.trim(), scopes: scopes.split(/[\s,]+/).filter(Boolean), token: secret.trim() });
  const write = kind === 'composer' ? (c ? b : a) : c ? y : x;
  const submit = () => (kind === 'composer' ? (c ? b : a).submit(first()) : (c ? y : x).submit(second()));
  const plan = () => (kind === 'composer' ? (c ? b : a).tryOut(first()) : (c ? y : x).tryOut(second()));
  const kept = c ? t`Unchanged` : undefined;
  return (
    <Dialog open onClose={onClose} title={c ? t`Edit ${nameOf(c)}` : t`Add credential`} wide={!!write.plan}>
      <Form
        write={write}
        submit={c ? t`Save` : t`Add credential`}
        onSubmit={submit}
        onPlan={plan}
        call={() => write.call(kind === 'composer' ? { ...first(), password: '…' } : { ...second(), token: '…' })}
      >
        {!c && (
          <Choice
            legend={t`Package manager`}
            name="kind"
            value={kind}
            onChange={setKind}
            options={[
              { value: 'composer', title: 'Composer', text: t`A username and password, written to auth.json.` },
              { value: 'npm', title: 'npm', text: t`A token, written to the site's .npmrc.` },
            ]}
          />
        )}
        <Input
          label={kind === 'composer' ? t`Repository` : t`Registry`}
          name={kind === 'composer' ? 'repository' : 'registry'}
          value={where}
          onChange={(e) => setWhere(e.target.value)}
          code
          placeholder={kind === 'composer' ? 'repo.example.com' : 'npm.example.com'}
        />
        {kind === 'composer' ? (
          <Input label={t`Username`} name="username" autoComplete="off" spellCheck={false} value={user} onChange={(e) => setUser(e.target.value)} />
        ) : (
          <Input
            label={t`Scopes`}
            name="scopes"
            value={scopes}
            onChange={(e) => setScopes(e.target.value)}
            code
            placeholder="@team"
            hint={t`Optional. Leave blank for all packages.`}
          />
        )}
        <Input
          label={kind === 'composer' ? t`Password` : t`Token`}
          name={kind === 'composer' ? 'password' : 'token'}
          type="password"
          autoComplete="new-password"
          value={secret}
          onChange={(e) => setSecret(e.target.value)}
          className="font-mono"
          placeholder={kept}
        />
      </Form>
    </Dialog>
  );
}

function Remove({ c, onClose }: { c: Credential; onClose: () => void }) {
  const { params } = useAt();
  const first = useWrite('delete', `${composer}/{repository}`, { ...params, repository: nameOf(c) }, onClose);
  const second = useWrite('delete', `${npm}/{registry}`, { ...params, registry: nameOf(c) }, onClose);
  const write = c.kind === 'composer' ? first : second;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${nameOf(c)}?`}
      name={nameOf(c)}
      submit={t`Delete credential`}
      what={t`It is removed from the server. Deployments that need it will fail.`}
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}
