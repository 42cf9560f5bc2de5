import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Permission, Token } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { plural } from '../../kit/numbers';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Scopes } from '../role/page';

export function Tokens() {
  const list = useList('/user/tokens');
  const [making, setMaking] = useState(false);
  const [removing, setRemoving] = useState<Token | null>(null);
  const add = (
    <Button look="primary" icon={Plus} onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  return (
    <Section
      title="Access tokens"
      plain
      text="For the command line, scripts and other applications. A token is limited to your role and its own scopes."
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={KeyRound}
          title="No tokens"
          text={
            <>
              Create a token for scripts, or sign in with the command line: <code className="font-mono text-sm">hostler login {location.origin}</code>
            </>
          }
          action={add}
        />
      ) : (
        <Table
          label="Access tokens"
          rows={list.rows}
          more={list.more}
          id={(t) => t.id}
          columns={[
            {
              name: 'Name',
              width: 'minmax(0,2fr)',
              cell: (t) => (
                <span className="grid">
                  <span className="truncate font-medium">{t.attributes.name}</span>
                  <span className="truncate font-mono text-sm text-muted">{t.attributes.prefix}…</span>
                </span>
              ),
            },
            {
              name: 'Permissions',
              cell: (t) => (
                <span title={(t.attributes.scopes ?? []).join(', ')}>
                  {t.attributes.scopes?.includes('*') ? 'All your permissions' : plural((t.attributes.scopes ?? []).length, 'permission')}
                </span>
              ),
            },
            {
              name: 'Last used',
              cell: (t) => (
                <span className="text-muted">
                  <Time at={t.attributes.last_used_at} ago />
                </span>
              ),
            },
            {
              name: 'Expires',
              minor: true,
              cell: (t) => (
                <span className="text-muted">
                  <Time at={t.attributes.expires_at} ago />
                </span>
              ),
            },
            {
              name: 'Revoke',
              width: '6rem',
              end: true,
              cell: (t) => (
                <Button look="quiet" onClick={() => setRemoving(t)}>
                  Revoke
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
  const [days, setDays] = useState('90');
  const [scopes, setScopes] = useState<Set<string>>(new Set(['organization:view', 'server:view', 'user:view']));
  const [only, setOnly] = useState<Set<string>>(new Set());
  const [made, setMade] = useState<string | null>(null);
  const write = useWrite('post', '/user/tokens', {}, (a) => setMade(a.data.meta?.shown_once?.token ?? ''));
  const body = () => ({
    name: name.trim(),
    scopes: [...scopes] as Permission[],
    organizations: only.size ? [...only] : undefined,
    expires_at: days ? new Date(Date.now() + Number(days) * 86_400_000).toISOString() : undefined,
  });
  return (
    <Dialog open onClose={onClose} title={made !== null ? 'Your token' : 'New access token'} wide>
      {made !== null ? (
        <div className="grid gap-4">
          <p>Copy it now; you won't see it again. Anyone with this token can act with its permissions.</p>
          <Code text={made} label="Token" wrap />
          <div>
            <Button look="primary" onClick={onClose}>
              I've saved it
            </Button>
          </div>
        </div>
      ) : (
        <Form write={write} submit="Create token" onSubmit={() => write.submit(body())}>
          <div className="grid gap-5 sm:grid-cols-2">
            <Input label="Name" name="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} hint="For example, the script that uses it." />
            <Select
              label="Expires"
              name="expires_at"
              value={days}
              onChange={(e) => setDays(e.target.value)}
              options={[
                ['7', 'In 1 week'],
                ['30', 'In 1 month'],
                ['90', 'In 3 months'],
                ['365', 'In 1 year'],
                ['', 'Never'],
              ]}
            />
          </div>
          {orgs.rows.length > 1 && (
            <fieldset className="grid gap-2">
              <legend className="mb-2 font-medium">
                Organizations <span className="font-normal text-muted">(all if none are selected)</span>
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
      title={`Revoke ${token.attributes.name}?`}
      name={token.attributes.name}
      submit="Revoke"
      what="Anything that uses it stops working immediately."
      removal={{ ...write, submit: () => write.submit() }}
    />
  );
}
