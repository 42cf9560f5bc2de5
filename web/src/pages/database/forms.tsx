import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useWrite } from '../../api/query';
import type { Database, DatabaseUsage, DatabaseUser } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { Dialog } from '../../kit/dialog';
import { Check, Input, Select, useFieldErrors } from '../../kit/field';
import { Form } from '../../kit/form';
import { schemas, users, useServerAt } from './at';

/** Once is a password that is shown now and never again. */
function Once({ user, password, onClose }: { user: string; password: string; onClose: () => void }) {
  return (
    <div className="grid gap-4">
      <p>
        <Trans>
          The password for <span className="font-mono">{user}</span> is shown only once. Copy it to your application's configuration.
        </Trans>
      </p>
      <Code text={password} label={t`Password`} wrap />
      <div>
        <Button look="primary" onClick={onClose}>
          <Trans>I've saved it</Trans>
        </Button>
      </div>
    </div>
  );
}

export function NewDatabase({ accounts, onClose }: { accounts: DatabaseUser[]; onClose: () => void }) {
  const { params } = useServerAt();
  const [name, setName] = useState('');
  const [who, setWho] = useState('new');
  const [user, setUser] = useState('');
  const [shown, setShown] = useState<string | null>(null);
  const write = useWrite('post', schemas, params, (a) => {
    const password = a.data.meta?.shown_once?.password;
    if (password) setShown(password);
    else onClose();
  });
  const account = who === 'new' ? user.trim() || name.trim() : who;
  const body = () => ({ name: name.trim(), user: who === 'none' ? undefined : account || undefined });
  return (
    <Dialog open onClose={onClose} title={shown ? t`Database created` : t`New database`} wide={!!write.plan}>
      {shown ? (
        <Once user={account} password={shown} onClose={onClose} />
      ) : (
        <Form write={write} submit={t`Create`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
          <Input
            label={t`Name`}
            name="name"
            autoFocus
            value={name}
            onChange={(e) => setName(e.target.value)}
            code
            hint={t`Letters, digits, underscores and hyphens.`}
          />
          <Select
            label={t`Access`}
            name="who"
            value={who}
            onChange={(e) => setWho(e.target.value)}
            options={[
              ['new', t`New user`],
              ['none', t`No user yet`],
              ...accounts.filter((u) => !u.meta?.database_user?.all).map((u) => [u.attributes.name, u.attributes.name] as const),
            ]}
            hint={t`Only for programs that sign in by themselves. A site of Hostler gets its own user when you choose the database there.`}
          />
          {who === 'new' && (
            <Input
              label={t`User`}
              name="user"
              value={user}
              onChange={(e) => setUser(e.target.value)}
              code
              placeholder={name.trim() || t`Same as the database`}
              hint={t`A password is generated and shown once.`}
            />
          )}
        </Form>
      )}
    </Dialog>
  );
}

function Which({ databases, value, onChange }: { databases: Database[]; value: Set<string>; onChange: (v: Set<string>) => void }) {
  const errors = useFieldErrors('database_ids');
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-medium">
        <Trans>Databases</Trans>
      </legend>
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      {databases.length === 0 && (
        <p className="text-muted">
          <Trans>No databases yet.</Trans>
        </p>
      )}
      {databases.map((d) => (
        <Check
          key={d.id}
          label={<span className="font-mono">{d.attributes.name}</span>}
          checked={value.has(d.id)}
          onChange={(e) => {
            const next = new Set(value);
            if (e.target.checked) next.add(d.id);
            else next.delete(d.id);
            onChange(next);
          }}
        />
      ))}
    </fieldset>
  );
}

export function NewUser({ databases, onClose }: { databases: Database[]; onClose: () => void }) {
  const { params } = useServerAt();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [reads, setReads] = useState(false);
  const [shown, setShown] = useState<string | null>(null);
  const write = useWrite('post', users, params, (a) => {
    const password = a.data.meta?.shown_once?.password;
    if (password) setShown(password);
    else onClose();
  });
  const body = () => ({ name: name.trim(), password: '', database_ids: [...chosen].map(Number), read_only: reads || undefined });
  return (
    <Dialog open onClose={onClose} title={shown ? t`User created` : t`New user`} wide={!!write.plan}>
      {shown ? (
        <Once user={name.trim()} password={shown} onClose={onClose} />
      ) : (
        <Form write={write} submit={t`Create`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
          <Input
            label={t`Name`}
            name="name"
            autoFocus
            value={name}
            onChange={(e) => setName(e.target.value)}
            code
            hint={t`A password is generated and shown once.`}
          />
          <Which databases={databases} value={chosen} onChange={setChosen} />
          <Check label={t`Read-only`} checked={reads} onChange={(e) => setReads(e.target.checked)} />
        </Form>
      )}
    </Dialog>
  );
}

type Extension = DatabaseUsage['extensions'][number];

function Offered({ offered, kept, value, onChange }: { offered: Extension[]; kept: string[]; value: string[]; onChange: (v: string[]) => void }) {
  const errors = useFieldErrors('extensions');
  const note = (e: Extension) => {
    if (e.installed !== null && !kept.includes(e.name)) return t`created manually`;
    return e.installed === null && e.offered === null ? t`its package is installed first` : '';
  };
  return (
    <fieldset>
      <legend className="mb-2 text-base font-medium">
        <Trans>Extensions</Trans>
      </legend>
      {errors.length > 0 && (
        <p className="mb-2 text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      <div className="grid gap-2 sm:grid-cols-2">
        {offered.map((e) => (
          <Check
            key={e.name}
            label={
              <>
                <span className="font-mono">{e.name}</span>
                {note(e) && <span className="ml-2 text-sm text-muted">{note(e)}</span>}
              </>
            }
            checked={value.includes(e.name)}
            onChange={(x) => onChange(x.target.checked ? [...value, e.name] : value.filter((n) => n !== e.name))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** EditExtensions sets which extensions Hostler keeps in a database. Others, which its accounts created, are not in it. */
export function EditExtensions({ database, extensions, onClose }: { database: Database; extensions: Extension[]; onClose: () => void }) {
  const { params } = useServerAt();
  const kept = database.meta?.extensions ?? [];
  const [chosen, setChosen] = useState(kept);
  const write = useWrite('put', `${schemas}/{database}`, { ...params, database: database.id }, onClose);
  const name = database.attributes.name;
  const body = () => ({ extensions: chosen });
  const offered = extensions.filter((e) => e.managed || kept.includes(e.name)).sort((a, b) => a.name.localeCompare(b.name));
  return (
    <Dialog open onClose={onClose} title={t`Extensions of ${name}`} wide={!!write.plan}>
      <Form write={write} submit={t`Save`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
        <Offered offered={offered} kept={kept} value={chosen} onChange={setChosen} />
        <p className="text-muted">
          <Trans>An extension that something in the database depends on is not dropped.</Trans>
        </p>
      </Form>
    </Dialog>
  );
}

/** made is a password that nobody has to think of. */
function made(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  return Array.from(crypto.getRandomValues(new Uint8Array(32)), (n) => letters[n % letters.length]).join('');
}

export function EditUser({ user, databases, onClose }: { user: DatabaseUser; databases: Database[]; onClose: () => void }) {
  const { params } = useServerAt();
  const sites = !!user.meta?.database_user?.all;
  const [chosen, setChosen] = useState<Set<string>>(new Set(user.meta?.database_user?.database_ids ?? []));
  const [password, setPassword] = useState('');
  const [fresh, setFresh] = useState(sites);
  const [shown, setShown] = useState<string | null>(null);
  const done = () => (fresh ? setShown(password) : onClose());
  const change = useWrite('put', `${users}/{databaseUser}`, { ...params, databaseUser: user.id }, done);
  const main = useWrite('put', '/orgs/{organization}/servers/{server}/database/password', params, done);
  const write = sites ? main : change;
  const name = user.attributes.name;
  const body = () => ({ database_ids: [...chosen].map(Number), password: fresh && password ? password : undefined });
  return (
    <Dialog open onClose={onClose} title={shown ? t`User updated` : t`Edit ${name}`} wide={!!write.plan}>
      {shown ? (
        <Once user={name} password={shown} onClose={onClose} />
      ) : (
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => (sites ? main.submit({ password }) : change.submit(body()))}
          onPlan={() => (sites ? main.tryOut({ password }) : change.tryOut(body()))}
          call={() => write.call(sites ? { password: '…' } : { ...body(), password: fresh ? '…' : undefined })}
        >
          {sites ? (
            <p>
              <Trans>Sites use this user for every database. Anything that signs in with it needs the new password immediately.</Trans>
            </p>
          ) : (
            <Which databases={databases} value={chosen} onChange={setChosen} />
          )}
          {!sites && <Check label={t`Set a new password`} checked={fresh} onChange={(e) => setFresh(e.target.checked)} />}
          {fresh && (
            <div className="grid grid-cols-[1fr_auto] items-end gap-2">
              <Input label={t`New password`} name="password" value={password} onChange={(e) => setPassword(e.target.value)} code />
              <Button onClick={() => setPassword(made())}>
                <Trans>Generate</Trans>
              </Button>
            </div>
          )}
        </Form>
      )}
    </Dialog>
  );
}
