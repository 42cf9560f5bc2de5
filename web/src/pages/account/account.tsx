import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Outlet } from '@tanstack/react-router';
import { Monitor } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { ShownOnce } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { Dialog } from '../../kit/dialog';
import { Check, Input } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { Facts, Failed, Notice, Page, Section, Waiting } from '../../kit/page';
import { Setting } from '../../kit/setting';
import { Pill, State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Tabs } from '../../kit/tabs';
import { accountPlaces } from '../../shell/places';
import { useUser } from '../../shell/session';
import { AuditTable } from '../organization/settings';

const QR = lazy(() => import('./qr'));

export function AccountFrame() {
  return (
    <Page title={t`Your account`}>
      <Tabs label={t`Account`} params={{}} tabs={accountPlaces} />
      <Outlet />
    </Page>
  );
}

export function Security() {
  return (
    <div className="grid max-w-2xl gap-8">
      <Profile />
      <Password />
      <TwoFactor />
    </div>
  );
}

function Profile() {
  const user = useUser().attributes;
  const [name, setName] = useState<string | null>(null);
  const write = useWrite('put', '/user', {});
  return (
    <Setting own title={t`Profile`} write={write} body={() => ({ name: (name ?? user.name).trim() })}>
      <Input label={t`Name`} name="name" autoComplete="name" value={name ?? user.name} onChange={(e) => setName(e.target.value)} />
      <Facts
        rows={[
          [t`Email`, user.email],
          [t`Joined`, <Time key="t" at={user.created_at} />],
        ]}
      />
    </Setting>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [revoke, setRevoke] = useState(false);
  const [done, setDone] = useState<string[] | null>(null);
  const write = useWrite('put', '/user/password', {}, (a) => {
    setDone([...a.data.attributes.remaining_tokens, ...a.data.attributes.remaining_programs]);
    setCurrent('');
    setNext('');
  });
  return (
    <Section title={t`Password`}>
      <Form
        write={write}
        submit={t`Change password`}
        onSubmit={() => {
          setDone(null);
          write.submit({ current_password: current, password: next, revoke_tokens: revoke });
        }}
        extra={
          <Saved shown={!!done}>
            <Trans>Password changed. Your other sessions were signed out.</Trans>
            {!!done?.length && ' ' + t`Still valid: ${done.join(', ')}.`}
          </Saved>
        }
      >
        <Input
          label={t`Current password`}
          name="current_password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(e) => setCurrent(e.target.value)}
        />
        <Input
          label={t`New password`}
          name="password"
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={(e) => setNext(e.target.value)}
          hint={t`At least 12 characters.`}
        />
        <Check label={t`Also revoke my access tokens`} checked={revoke} onChange={(e) => setRevoke(e.target.checked)} />
      </Form>
    </Section>
  );
}

function TwoFactor() {
  const doc = useGet('/user/two-factor');
  const [asking, setAsking] = useState<'on' | 'off' | 'codes' | null>(null);
  const a = doc.data?.data.attributes;
  if (!a) return doc.error ? <Failed error={doc.error} /> : <Waiting rows={1} />;
  return (
    <Section title={t`Two-factor authentication`} text={t`Requires a code from an authenticator app in addition to your password.`}>
      <div className="flex flex-wrap items-center gap-4">
        <State state={a.enabled ? 'ready' : 'off'} text={a.enabled ? t`On` : t`Off`} />
        {a.enabled && (
          <span className="text-muted">
            <Trans>{a.recovery_codes} recovery codes left</Trans>
          </span>
        )}
        <span className="ml-auto flex flex-wrap gap-2">
          {a.enabled ? (
            <>
              <Button onClick={() => setAsking('codes')}>
                <Trans>New recovery codes</Trans>
              </Button>
              <Button onClick={() => setAsking('off')}>
                <Trans>Turn off</Trans>
              </Button>
            </>
          ) : (
            <Button look="primary" onClick={() => setAsking('on')}>
              <Trans>Turn on</Trans>
            </Button>
          )}
        </span>
      </div>
      {asking === 'on' && <TurnOn onClose={() => setAsking(null)} />}
      {asking === 'off' && <Ask title={t`Turn off two-factor authentication?`} submit={t`Turn off`} path="off" onClose={() => setAsking(null)} />}
      {asking === 'codes' && <Ask title={t`New recovery codes`} submit={t`Generate new codes`} path="codes" onClose={() => setAsking(null)} />}
    </Section>
  );
}

function Ask({ title, submit, path, onClose }: { title: string; submit: string; path: 'off' | 'codes'; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [codes, setCodes] = useState<string[] | null>(null);
  const off = useWrite('delete', '/user/two-factor', {}, onClose);
  const fresh = useWrite('post', '/user/recovery-codes', {}, (a) => setCodes(a.data.meta?.shown_once?.recovery_codes ?? []));
  const write = path === 'off' ? off : fresh;
  return (
    <Dialog open onClose={onClose} title={title}>
      {codes ? (
        <Codes codes={codes} onClose={onClose} />
      ) : (
        <Form write={write} submit={submit} look={path === 'off' ? 'danger' : 'primary'} onSubmit={() => write.submit({ password })}>
          {path === 'codes' && (
            <p>
              <Trans>Your current recovery codes stop working.</Trans>
            </p>
          )}
          <Input
            label={t`Password`}
            name="password"
            type="password"
            autoFocus
            autoComplete="current-password"
            value={password}
            onChange={(e) => setPassword(e.target.value)}
          />
        </Form>
      )}
    </Dialog>
  );
}

function Codes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <div className="grid gap-4">
      <p>
        <Trans>Use a recovery code to sign in if you lose your authenticator. Each code works once. They won't be shown again.</Trans>
      </p>
      <Code text={codes.join('\n')} label={t`Recovery codes`} />
      <div>
        <Button look="primary" onClick={onClose}>
          <Trans>I've saved them</Trans>
        </Button>
      </div>
    </div>
  );
}

function TurnOn({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [once, setOnce] = useState<ShownOnce | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const begin = useWrite('post', '/user/two-factor', {}, (a) => setOnce(a.data.meta?.shown_once ?? null));
  const confirm = useWrite('post', '/user/two-factor/confirm', {}, (a) => setCodes(a.data.meta?.shown_once?.recovery_codes ?? []));
  return (
    <Dialog open onClose={onClose} title={codes ? t`Two-factor authentication is on` : t`Turn on two-factor authentication`}>
      {codes ? (
        <Codes codes={codes} onClose={onClose} />
      ) : once ? (
        <Form write={confirm} submit={t`Turn on`} onSubmit={() => confirm.submit({ code: code.trim() })}>
          <p>
            <Trans>Scan this code with your authenticator app, or enter the secret manually.</Trans>
          </p>
          <div className="flex flex-wrap items-center gap-5">
            {once.url && (
              <Suspense>
                <QR text={once.url} />
              </Suspense>
            )}
            {once.secret && (
              <div className="min-w-0 flex-1 basis-48">
                <Code text={once.secret} label={t`Secret`} wrap />
              </div>
            )}
          </div>
          <Input
            label={t`Code`}
            name="code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            value={code}
            onChange={(e) => setCode(e.target.value)}
            hint={t`The six digits shown in the app.`}
          />
        </Form>
      ) : (
        <Form write={begin} submit={t`Continue`} onSubmit={() => begin.submit({ password })}>
          <Input
            label={t`Password`}
            name="password"
            type="password"
            autoFocus
            autoComplete="current-password"
            value={password}
            onChange={(e) => setPassword(e.target.value)}
          />
        </Form>
      )}
    </Dialog>
  );
}

/** device is a browser's name for itself, in words. */
function device(agent: string): string {
  const b = /Edg\//.test(agent)
    ? 'Edge'
    : /Firefox\//.test(agent)
      ? 'Firefox'
      : /Chrom(e|ium)\//.test(agent)
        ? 'Chrome'
        : /Safari\//.test(agent)
          ? 'Safari'
          : '';
  const s = /Android/.test(agent)
    ? 'Android'
    : /iPhone|iPad/.test(agent)
      ? 'iOS'
      : /Mac OS/.test(agent)
        ? 'macOS'
        : /Windows/.test(agent)
          ? 'Windows'
          : /Linux/.test(agent)
            ? 'Linux'
            : '';
  return b && s ? t`${b} on ${s}` : agent.slice(0, 60) || t`Unknown`;
}

export function Sessions() {
  const list = useList('/user/sessions');
  const grants = useList('/user/oauth-grants');
  const end = useWrite('delete', '/user/sessions/{session}', {});
  const revoke = useWrite('delete', '/user/oauth-grants/{grant}', {});
  return (
    <div className="grid gap-8">
      <Section title={t`Sessions`} plain text={t`Devices signed in to your account.`}>
        {end.error && (
          <Notice tone="bad" role="alert">
            {end.error.message}
          </Notice>
        )}
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} />
        ) : (
          <Table
            label={t`Sessions`}
            rows={list.rows}
            more={list.more}
            id={(s) => s.id}
            columns={[
              {
                name: t`Device`,
                width: 'minmax(0,2fr)',
                cell: (s) => (
                  <span className="flex items-center gap-2.5" title={s.attributes.user_agent}>
                    <Monitor className="size-4 shrink-0 text-muted" aria-hidden />
                    <span className="truncate">{device(s.attributes.user_agent)}</span>
                  </span>
                ),
              },
              { name: t`Address`, cell: (s) => <span className="font-mono text-sm">{s.attributes.address}</span> },
              {
                name: t`Last seen`,
                width: '8rem',
                cell: (s) =>
                  s.attributes.current ? (
                    <Pill tone="good">
                      <Trans>This device</Trans>
                    </Pill>
                  ) : (
                    <span className="text-muted">
                      <Time at={s.attributes.last_seen_at} ago />
                    </span>
                  ),
              },
              {
                name: t`Expires`,
                width: '9.5rem',
                minor: true,
                cell: (s) => (
                  <span className="text-muted">
                    <Time at={s.attributes.expires_at} ago />
                  </span>
                ),
              },
              {
                name: t`Sign out`,
                width: '5rem',
                end: true,
                cell: (s) =>
                  s.attributes.current ? null : (
                    <Button look="quiet" onClick={() => end.submit(undefined, { session: s.id })}>
                      <Trans>Sign out</Trans>
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Section>
      <Section title={t`Authorized applications`} plain>
        {grants.rows.length === 0 ? (
          <p className="text-muted">
            <Trans>No authorized applications. An application appears here after you allow it to act for you.</Trans>
          </p>
        ) : (
          <Table
            label={t`Authorized applications`}
            rows={grants.rows}
            more={grants.more}
            id={(g) => g.id}
            columns={[
              { name: t`Application`, cell: (g) => <span className="font-medium">{g.attributes.client}</span> },
              {
                name: t`Permissions`,
                cell: (g) => (
                  <span className="block truncate text-muted" title={(g.attributes.scopes ?? []).join(', ')}>
                    <Trans>{(g.attributes.scopes ?? []).length} permissions</Trans>
                  </span>
                ),
              },
              {
                name: t`Authorized`,
                cell: (g) => (
                  <span className="text-muted">
                    <Time at={g.attributes.created_at} ago />
                  </span>
                ),
              },
              {
                name: t`Revoke`,
                width: '5rem',
                end: true,
                cell: (g) => (
                  <Button look="quiet" onClick={() => revoke.submit(undefined, { grant: g.id })}>
                    <Trans>Revoke</Trans>
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Section>
    </div>
  );
}

export function Log() {
  const list = useList('/user/audit', {}, { query: { sort: '-created_at' } });
  const me = useGet('/user').data?.data;
  return (
    <Section title={t`Security log`} plain text={t`Actions taken by your account, and sign-in attempts.`}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} />
      ) : (
        <AuditTable rows={list.rows} names={new Map(me ? [[Number(me.id), t`You`]] : [])} more={list.more} />
      )}
    </Section>
  );
}
