import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { signIn } from '../../api/command';
import { useList, useWrite } from '../../api/query';
import type { Permission, Token } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Scopes } from '../role/page';
import { scopes as first } from '../role/permissions';

export function Tokens() {
  const list = useList('/user/tokens');
  const [making, setMaking] = useState(false);
  const [removing, setRemoving] = useState<Token | null>(null);
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
      <Trans>New token</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Access tokens`}
      plain
      text={t`For the command line, scripts and other applications. A token is limited to your role and its own scopes.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={KeyRound}
          title={t`No tokens`}
          text={
            <Trans>
              Create a token for scripts, or sign in with the command line: <code className="font-mono text-sm">{signIn(location.origin)}</code>
            </Trans>
          }
          action={add}
        />
      ) : (
        <Table
          label={t`Access tokens`}
          rows={list.rows}
          more={list.more}
          id={(token) => token.id}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,2fr)',
              cell: (token) => (
                <span className="grid">
                  <span className="truncate font-medium">{token.attributes.name}</span>
                  <span className="truncate font-mono text-sm text-muted">{token.attributes.prefix}…</span>
                </span>
              ),
            },
            {
              name: t`Permissions`,
              cell: (token) => (
                <span title={(token.attributes.scopes ?? []).join(', ')}>
                  {token.attributes.scopes?.includes('*')
                    ? t`All your permissions`
                    : plural((token.attributes.scopes ?? []).length, { one: '# permission', other: '# permissions' })}
                </span>
              ),
            },
            {
              name: t`Last used`,
              cell: (token) => (
                <span className="text-muted">
                  <Time at={token.attributes.last_used_at} ago />
                </span>
              ),
            },
            {
              name: t`Expires`,
              minor: true,
              cell: (token) => (
                <span className="text-muted">
                  <Time at={token.attributes.expires_at} ago />
                </span>
              ),
            },
            {
              name: t`Revoke`,
              width: '6rem',
              end: true,
              cell: (token) => (
                <Button look="quiet" onClick={() => setRemoving(token)}>
                  <Trans>Revoke</Trans>
                </Button>
              ),
            },
          ]}
        />
      )}
      {making && <NewToken onClose={() => setMaking(false)} />}
      {removing && <Revoke token={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function NewToken({ onClose }: { onClose: () => void }) {
  const orgs = useList('/orgs', {}, { all: true });
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [days, setDays] = useState('90');
  const [scopes, setScopes] = useState<Set<string>>(new Set(first.token));
  const [only, setOnly] = useState<Set<string>>(new Set());
  const [made, setMade] = useState<string | null>(null);
  const write = useWrite('post', '/user/tokens', {}, (a) => setMade(a.data.meta?.shown_once?.token ?? ''));
  const body = () => ({
    name: name.trim(),
    password,
    scopes: [...scopes] as Permission[],
    organizations: only.size ? [...only] : undefined,
    expires_at: days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : undefined,
  });
  return (
    <Dialog open onClose={onClose} title={made !== null ? t`Your token` : t`New access token`} wide>
      {made !== null ? (
        <div className="grid gap-4">
          <p>
            <Trans>Copy it now; you won't see it again. Anyone with this token can act with its permissions.</Trans>
          </p>
          <Code text={made} label={t`Token`} wrap />
          <div>
            <Button look="primary" onClick={onClose}>
              <Trans>I've saved it</Trans>
            </Button>
          </div>
        </div>
      ) : (
        <Form write={write} submit={t`Create token`} onSubmit={() => write.submit(body())}>
          <div className="grid gap-5 sm:grid-cols-2">
            <Input
              label={t`Name`}
              name="name"
              autoFocus
              value={name}
              onChange={(e) => setName(e.target.value)}
              hint={t`For example, the script that uses it.`}
            />
            <Select
              label={t`Expires`}
              name="expires_at"
              value={days}
              onChange={(e) => setDays(e.target.value)}
              options={[
                ['7', t`In 1 week`],
                ['30', t`In 1 month`],
                ['90', t`In 3 months`],
                ['365', t`In 1 year`],
                ['', t`Never`],
              ]}
            />
          </div>
          {orgs.rows.length > 1 && (
            <fieldset className="grid gap-2">
              <legend className="mb-2 font-medium">
                <Trans>
                  Organizations <span className="font-normal text-muted">(all if none are selected)</span>
                </Trans>
              </legend>
              {orgs.rows.map((o) => (
                <Check
                  key={o.id}
                  label={o.attributes.name}
                  checked={only.has(o.attributes.slug)}
                  onChange={(e) => {
                    const n = new Set(only);
                    if (e.target.checked) n.add(o.attributes.slug);
                    else n.delete(o.attributes.slug);
                    setOnly(n);
                  }}
                />
              ))}
            </fieldset>
          )}
          <Scopes value={scopes} onChange={setScopes} />
          <Input
            label={t`Your password`}
            name="password"
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(e) => setPassword(e.target.value)}
            className="max-w-sm"
          />
        </Form>
      )}
    </Dialog>
  );
}

function Revoke({ token, onClose }: { token: Token; onClose: () => void }) {
  const write = useWrite('delete', '/user/tokens/{token}', { token: token.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Revoke ${token.attributes.name}?`}
      name={token.attributes.name}
      submit={t`Revoke`}
      what={t`Anything that uses it stops working immediately.`}
      removal={{ ...write, submit: () => write.submit() }}
    />
  );
}
