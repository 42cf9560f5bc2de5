import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck, MailCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { client, useGet, useWrite } from '../../api/query';
import { Button, ButtonLink } from '../../kit/button';
import { Check, Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Notice } from '../../kit/page';

function Card({ title, text, children }: { title: string; text?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Hostler`;
  }, [title]);
  return (
    <main className="grid min-h-dvh content-center justify-items-center gap-6 px-4 py-10">
      <img src="/mark.svg" alt="Hostler" width="44" height="44" />
      <div className="panel w-full max-w-sm p-7">
        <h1 className="text-xl font-semibold">{title}</h1>
        {text && <p className="mt-1 text-muted">{text}</p>}
        <div className="mt-5 grid gap-4">{children}</div>
      </div>
    </main>
  );
}

interface Typed {
  value: string;
  onChange: (text: string) => void;
  autoFocus?: boolean;
}

function Email({ onChange, ...rest }: Typed) {
  return <Input label={t`Email`} name="email" type="email" autoComplete="username" required onChange={(e) => onChange(e.target.value)} {...rest} />;
}

/** Password is that of an account, or a new one. */
function Password({ onChange, fresh, label = t`Password`, ...rest }: Typed & { fresh?: boolean; label?: string }) {
  return (
    <Input
      label={label}
      name="password"
      type="password"
      autoComplete={fresh ? 'new-password' : 'current-password'}
      required
      onChange={(e) => onChange(e.target.value)}
      hint={fresh && t`At least 12 characters.`}
      {...rest}
    />
  );
}

const textLink = 'font-medium text-accent underline-offset-2 hover:underline';

/** useSignIn are the fields of signing in, of one account if its address is given, and what to do about them. The second factor is asked for when it is needed. */
export function useSignIn(done: () => void, of?: string) {
  const [email, setEmail] = useState(of ?? '');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [second, setSecond] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const write = useWrite('post', '/auth/login', {}, done);
  useEffect(() => {
    if (write.fields.code) setSecond(true);
  }, [write.fields.code]);
  useEffect(() => {
    if (second) box.current?.querySelector('input')?.focus();
  }, [second]);
  // The first answer that asks for a code is no mistake of the person.
  const asking = second && !code && write.error !== null;
  const shown = asking ? { ...write, error: null, fields: {} } : write;
  return {
    second,
    again: () => {
      setSecond(false);
      setCode('');
      write.reset();
    },
    form: (
      <Form wide write={shown} submit={t`Sign in`} onSubmit={() => write.submit({ email: email.trim(), password, code: code.trim() || undefined })}>
        {!second && (
          <>
            {of === undefined ? (
              <Email autoFocus value={email} onChange={setEmail} />
            ) : (
              <input type="hidden" name="email" autoComplete="username" value={email} />
            )}
            <Password autoFocus={of !== undefined} value={password} onChange={setPassword} />
          </>
        )}
        {second && (
          <div ref={box}>
            <Input
              label={t`Code`}
              name="code"
              inputMode="numeric"
              autoComplete="one-time-code"
              value={code}
              onChange={(e) => setCode(e.target.value)}
              hint={t`Six digits from your authenticator app, or a recovery code.`}
            />
          </div>
        )}
      </Form>
    ),
  };
}

export function SignIn() {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const { form, second, again } = useSignIn(() => {
    client.clear();
    // only to a place of ours: never what a link from elsewhere says
    void navigate({ to: next && /^\/(orgs|account|invitation)(\/|$)/.test(next) ? next : '/', replace: true });
  });
  return (
    <Card title={t`Sign in`}>
      {form}
      {second ? (
        <Button look="quiet" onClick={again}>
          <Trans>Use another account</Trans>
        </Button>
      ) : (
        <Link to="/forgot-password" className={textLink}>
          <Trans>Forgot your password?</Trans>
        </Link>
      )}
    </Card>
  );
}

const inHash = () => decodeURIComponent(location.hash.slice(1));

/** SetUp creates the first account and signs it in. The code stays in the address until then, so that the page may be loaded again. */
export function SetUp() {
  const navigate = useNavigate();
  const [given, setGiven] = useState(inHash);
  const [code, setCode] = useState(given);
  // The link may be pasted where this page is open already: that loads nothing.
  useEffect(() => {
    const pasted = () => {
      if (!location.hash) return;
      setGiven(inHash());
      setCode(inHash());
    };
    addEventListener('hashchange', pasted);
    return () => removeEventListener('hashchange', pasted);
  }, []);
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const write = useWrite('post', '/auth/setup', {}, () => {
    client.clear();
    void navigate({ to: '/', replace: true });
  });
  return (
    <Card title={t`Welcome to Hostler`} text={t`Create the first account. It owns the first organization.`}>
      <Form
        wide
        write={write}
        submit={t`Create account`}
        onSubmit={() => write.submit({ code: code.trim(), name: name.trim(), email: email.trim(), password })}
      >
        {(!given || write.fields.code) && (
          <Input
            label={t`Setup code`}
            name="code"
            autoComplete="off"
            autoFocus={!given}
            spellCheck={false}
            value={code}
            onChange={(e) => setCode(e.target.value)}
            hint={
              <Trans>
                The end of the link that <code>hostler serve</code> prints when it starts, after the #.
              </Trans>
            }
          />
        )}
        <Input label={t`Name`} name="name" autoComplete="name" autoFocus={!!given} value={name} onChange={(e) => setName(e.target.value)} />
        <Email value={email} onChange={setEmail} />
        <Password fresh value={password} onChange={setPassword} />
      </Form>
    </Card>
  );
}

export function Forgot() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const write = useWrite('post', '/auth/password/forgot', {}, () => setSent(true));
  return (
    <Card title={t`Set a new password`} text={sent ? undefined : t`Request a link to set a new password. It is valid for one hour.`}>
      {sent ? (
        <>
          <div className="flex gap-3">
            <MailCheck className="mt-0.5 size-5 shrink-0 text-accent" aria-hidden />
            <p role="status">
              <Trans>
                If {email} has an account, check its inbox for the link. If no mail server is configured, an administrator can find the link in Hostler's log.
              </Trans>
            </p>
          </div>
          <ButtonLink to="/sign-in">
            <Trans>Back to sign in</Trans>
          </ButtonLink>
        </>
      ) : (
        <>
          <Form wide write={write} submit={t`Request link`} onSubmit={() => write.submit({ email: email.trim() })}>
            <Email autoFocus value={email} onChange={setEmail} />
          </Form>
          <Link to="/sign-in" className={textLink}>
            <Trans>Back to sign in</Trans>
          </Link>
        </>
      )}
    </Card>
  );
}

/** The token stands after the #, which no server's log sees, and is taken out of the address at once. */
function useHash(): string {
  const [token, setToken] = useState(inHash);
  useEffect(() => {
    const taken = () => {
      if (!location.hash) return;
      setToken(inHash());
      history.replaceState(history.state, '', location.pathname);
    };
    taken();
    addEventListener('hashchange', taken);
    return () => removeEventListener('hashchange', taken);
  }, []);
  return token;
}

export function Reset() {
  const token = useHash();
  const [password, setPassword] = useState('');
  const [revoke, setRevoke] = useState(false);
  const [done, setDone] = useState(false);
  const write = useWrite('post', '/auth/password/reset', {}, () => setDone(true));
  return (
    <Card title={t`Set a new password`}>
      {done ? (
        <>
          <div className="flex gap-3">
            <CircleCheck className="mt-0.5 size-5 shrink-0 text-accent" aria-hidden />
            <p role="status">
              <Trans>Your password was changed and all sessions were signed out.</Trans>
            </p>
          </div>
          <ButtonLink look="primary" to="/sign-in">
            <Trans>Sign in</Trans>
          </ButtonLink>
        </>
      ) : !token ? (
        <Notice tone="bad">
          <Trans>
            Open the complete link from the email.{' '}
            <Link to="/forgot-password" className={textLink}>
              Request a new link.
            </Link>
          </Trans>
        </Notice>
      ) : (
        <Form wide write={write} submit={t`Set password`} onSubmit={() => write.submit({ token, password, revoke_tokens: revoke })}>
          <Password fresh label={t`New password`} autoFocus value={password} onChange={setPassword} />
          <Check
            label={t`Also revoke my access tokens`}
            hint={t`Recommended if someone else may know your password.`}
            checked={revoke}
            onChange={(e) => setRevoke(e.target.checked)}
          />
        </Form>
      )}
    </Card>
  );
}

export function Verify() {
  const token = useHash();
  const [done, setDone] = useState(false);
  const write = useWrite('post', '/auth/email/verify', {}, () => setDone(true));
  return (
    <Card title={t`Verify your email address`}>
      {done ? (
        <>
          <div className="flex gap-3">
            <CircleCheck className="mt-0.5 size-5 shrink-0 text-accent" aria-hidden />
            <p role="status">
              <Trans>Your email address is verified.</Trans>
            </p>
          </div>
          <ButtonLink look="primary" to="/sign-in">
            <Trans>Sign in</Trans>
          </ButtonLink>
        </>
      ) : !token ? (
        <Notice tone="bad">
          <Trans>Open the complete link from the email.</Trans>
        </Notice>
      ) : (
        <Form wide write={write} submit={t`Verify`} onSubmit={() => write.submit({ token })}>
          <p>
            <Trans>Click to confirm. Some mail scanners open links automatically.</Trans>
          </p>
        </Form>
      )}
    </Card>
  );
}

/** Recipient confirms an address that an organization wants to notify; its owner may have no account. */
export function Recipient() {
  const token = useHash();
  const [done, setDone] = useState(false);
  const write = useWrite('post', '/recipients/confirm', {}, () => setDone(true));
  return (
    <Card title={t`Confirm notifications`}>
      {done ? (
        <div className="flex gap-3">
          <CircleCheck className="mt-0.5 size-5 shrink-0 text-accent" aria-hidden />
          <p role="status">
            <Trans>Notifications are sent to your address.</Trans>
          </p>
        </div>
      ) : !token ? (
        <Notice tone="bad">
          <Trans>Open the complete link from the email.</Trans>
        </Notice>
      ) : (
        <Form wide write={write} submit={t`Confirm`} onSubmit={() => write.submit({ token })}>
          <p>
            <Trans>The organization named in the email wants to notify this address about its servers.</Trans>
          </p>
        </Form>
      )}
    </Card>
  );
}

export function Invitation() {
  const token = useHash();
  const me = useGet('/user');
  return (
    <Card title={t`You've been invited`}>
      {!token ? (
        <Notice tone="bad">
          <Trans>Open the complete link from the email.</Trans>
        </Notice>
      ) : me.data ? (
        <Accept token={token} email={me.data.data.attributes.email} />
      ) : me.error ? (
        <Join token={token} />
      ) : null}
    </Card>
  );
}

function Accept({ token, email }: { token: string; email: string }) {
  const navigate = useNavigate();
  const write = useWrite('post', '/user/invitations', {}, () => void navigate({ to: '/' }));
  return (
    <Form wide write={write} submit={t`Accept`} onSubmit={() => write.submit({ invitation: token })}>
      <p>
        <Trans>
          You are signed in as <strong className="font-medium">{email}</strong>. Accept the invitation to get access.
        </Trans>
      </p>
    </Form>
  );
}

function Join({ token }: { token: string }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const write = useWrite('post', '/auth/sign-up', {}, () => void navigate({ to: '/sign-in' }));
  const [has, setHas] = useState(false);
  if (has) return <SignInFirst token={token} />;
  return (
    <>
      <Form wide write={write} submit={t`Create account`} onSubmit={() => write.submit({ invitation: token, name: name.trim(), password })}>
        <p>
          <Trans>Create an account for the invited email address, then sign in.</Trans>
        </p>
        <Input label={t`Name`} name="name" autoComplete="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} />
        <Password fresh value={password} onChange={setPassword} />
      </Form>
      <Button look="quiet" onClick={() => setHas(true)}>
        <Trans>I already have an account</Trans>
      </Button>
    </>
  );
}

/** SignInFirst signs in without leaving the page: the token of the invitation is nowhere but in it. */
function SignInFirst({ token }: { token: string }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [user, setUser] = useState<string | null>(null);
  const write = useWrite('post', '/auth/login', {}, (a) => setUser(a.data.attributes.email));
  if (user) return <Accept token={token} email={user} />;
  return (
    <Form wide write={write} submit={t`Sign in`} onSubmit={() => write.submit({ email: email.trim(), password, code: code.trim() || undefined })}>
      <Email autoFocus value={email} onChange={setEmail} />
      <Password value={password} onChange={setPassword} />
      {write.fields.code && (
        <Input label={t`Code`} name="code" inputMode="numeric" autoComplete="one-time-code" value={code} onChange={(e) => setCode(e.target.value)} />
      )}
    </Form>
  );
}

export function SignUp() {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const write = useWrite('post', '/auth/sign-up', {}, () => setDone(true));
  return (
    <Card title={t`Create an account`}>
      {done ? (
        <div className="flex gap-3">
          <MailCheck className="mt-0.5 size-5 shrink-0 text-accent" aria-hidden />
          <p role="status">
            <Trans>
              Check the inbox of {email} for a link to activate your account. If no mail server is configured, an administrator can find the link in Hostler's
              log.
            </Trans>
          </p>
        </div>
      ) : (
        <Form wide write={write} submit={t`Create account`} onSubmit={() => write.submit({ name: name.trim(), email: email.trim(), password })}>
          <Input label={t`Name`} name="name" autoComplete="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} />
          <Email value={email} onChange={setEmail} />
          <Password fresh value={password} onChange={setPassword} />
        </Form>
      )}
      <Link to="/sign-in" className={textLink}>
        <Trans>I already have an account</Trans>
      </Link>
    </Card>
  );
}
