import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck, MailCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { serve } from '../../api/command';
import { client, useGet, useWrite } from '../../api/query';
import { Button, ButtonLink } from '../../kit/button';
import { Check, Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { forgetDrafts } from '../../kit/kept';
import { Failed, Notice, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';

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
export function useSignIn(done: () => void, of?: string, submit = t`Sign in`) {
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
      <Form wide write={shown} submit={submit} onSubmit={() => write.submit({ email: email.trim(), password, code: code.trim() || undefined })}>
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
                The end of the link that <code>{serve}</code> prints when it starts, after the #.
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

/** held is the token of this page before it was loaded again. */
const held = (): string => (history.state as { token?: string } | null)?.token ?? '';

/** The token stands after the #, which no server's log sees, and is taken out of the address immediately. The page may be loaded again. */
function useHash(): string {
  const [token, setToken] = useState(() => inHash() || held());
  useEffect(() => {
    const taken = () => {
      if (!location.hash) return;
      setToken(inHash());
      history.replaceState({ ...(history.state as object | null), token: inHash() }, '', location.pathname);
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

/** Invitation leads from the link of an invitation into the organization, whether its owner has an account, is signed in with it or with another one. */
export function Invitation() {
  const token = useHash();
  const me = useGet('/user');
  const read = useWrite('post', '/auth/invitation');
  const submit = useRef(read.submit);
  submit.current = read.submit;
  useEffect(() => {
    if (token) submit.current({ invitation: token });
  }, [token]);
  const signedIn = me.data?.data.attributes.email;
  if (!token)
    return (
      <Card title={t`You've been invited`}>
        <Notice tone="bad">
          <Trans>Open the complete link from the email.</Trans>
        </Notice>
        <Elsewhere signedIn={signedIn} />
      </Card>
    );
  if (read.error)
    return (
      <Card title={t`This invitation can't be opened`}>
        {read.error.fields.invitation ? (
          <>
            <Notice tone="bad" role="alert">
              {read.error.fields.invitation[0]?.text}
            </Notice>
            <p>
              <Trans>Ask the person who invited you for a new one.</Trans>
            </p>
            <Elsewhere signedIn={signedIn} />
          </>
        ) : (
          <Failed error={read.error} again={() => read.submit({ invitation: token })} />
        )}
      </Card>
    );
  const a = read.answer?.data.attributes;
  if (!a || (!me.data && !me.error)) return <Card title={t`You've been invited`}>{<Waiting rows={2} />}</Card>;
  if (a.state === 'used')
    return (
      <Card title={t`This invitation was already accepted`}>
        {signedIn !== a.email && (
          <p>
            <Trans>Sign in as {a.email} to continue.</Trans>
          </p>
        )}
        <Elsewhere signedIn={signedIn} />
      </Card>
    );
  if (a.state === 'expired')
    return (
      <Card title={t`This invitation has expired`}>
        <p>
          <Trans>
            It was for {a.email} and expired <Time at={a.expires_at} ago />. Ask the person who invited you to invite the same address again.
          </Trans>
        </p>
        <Elsewhere signedIn={signedIn} />
      </Card>
    );
  return (
    <Card
      title={t`Join ${a.organization}`}
      text={
        a.team
          ? t`${a.invited_by} invited ${a.email} to the team ${a.team}, with the role ${a.role}.`
          : t`${a.invited_by} invited ${a.email}, with the role ${a.role}.`
      }
    >
      {!signedIn ? (
        <Join token={token} email={a.email} slug={a.slug} />
      ) : signedIn === a.email ? (
        <Accept token={token} email={signedIn} slug={a.slug} />
      ) : (
        <Other signedIn={signedIn} invited={a.email} />
      )}
    </Card>
  );
}

/** Elsewhere is where to go from an invitation that leads nowhere. */
function Elsewhere({ signedIn }: { signedIn?: string }) {
  return (
    <ButtonLink to={signedIn ? '/' : '/sign-in'} search={{}}>
      {signedIn ? <Trans>Go to Home</Trans> : <Trans>Sign in</Trans>}
    </ButtonLink>
  );
}

/** useAccept accepts an invitation, and opens the organization. */
function useAccept(token: string, slug: string) {
  const navigate = useNavigate();
  const write = useWrite('post', '/user/invitations', {}, () => {
    client.clear();
    void navigate({ to: '/orgs/$org', params: { org: slug }, replace: true });
  });
  return { write, accept: () => write.submit({ invitation: token }) };
}

function Accept({ token, email, slug }: { token: string; email: string; slug: string }) {
  const { write, accept } = useAccept(token, slug);
  return (
    <Form wide write={write} submit={t`Accept`} onSubmit={accept}>
      <p>
        <Trans>
          You are signed in as <strong className="font-medium">{email}</strong>.
        </Trans>
      </p>
    </Form>
  );
}

/** Other is for a person who is signed in with another address than the invited one. Signing out stays on the page, which then asks for the invited account. */
function Other({ signedIn, invited }: { signedIn: string; invited: string }) {
  const write = useWrite('post', '/auth/logout', {}, () => {
    forgetDrafts();
    void client.resetQueries({ queryKey: ['/user', {}] });
  });
  return (
    <Form
      wide
      write={write}
      submit={t`Switch account`}
      onSubmit={() => write.submit()}
      extra={
        <ButtonLink to="/" search={{}}>
          <Trans>Cancel</Trans>
        </ButtonLink>
      }
    >
      <Notice tone="warn">
        <Trans>
          You are signed in as {signedIn}, and only {invited} can accept this invitation.
        </Trans>
      </Notice>
      <p>
        <Trans>
          Switch to the account of {invited}, or ask to be invited as {signedIn}.
        </Trans>
      </p>
    </Form>
  );
}

/** Join creates the account of the invited address, which makes its owner a member, and signs in. */
function Join({ token, email, slug }: { token: string; email: string; slug: string }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [has, setHas] = useState(false);
  const enter = useWrite('post', '/auth/login', {}, () => {
    client.clear();
    void navigate({ to: '/orgs/$org', params: { org: slug }, replace: true });
  });
  const write = useWrite('post', '/auth/sign-up', {}, () => enter.submit({ email, password }));
  if (enter.error)
    return (
      <>
        <p role="status">
          <Trans>Your account was created, and you are a member. Sign in to continue.</Trans>
        </p>
        <Elsewhere />
      </>
    );
  if (has || write.fields.invitation)
    return <SignInFirst token={token} email={email} slug={slug} known={!!write.fields.invitation} back={() => setHas(false)} />;
  return (
    <>
      <Form
        wide
        write={{ ...write, pending: write.pending || enter.pending }}
        submit={t`Create account and join`}
        onSubmit={() => write.submit({ invitation: token, name: name.trim(), password })}
      >
        <Input label={t`Email`} name="email" type="email" autoComplete="username" readOnly value={email} />
        <Input label={t`Name`} name="name" autoComplete="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} />
        <Password fresh value={password} onChange={setPassword} />
      </Form>
      <Button look="quiet" onClick={() => setHas(true)}>
        <Trans>I already have an account</Trans>
      </Button>
    </>
  );
}

/** SignInFirst signs in without leaving the page, as the token of the invitation is nowhere but in it, and accepts. */
function SignInFirst({ token, email, slug, known, back }: { token: string; email: string; slug: string; known: boolean; back: () => void }) {
  const { write, accept } = useAccept(token, slug);
  const { form } = useSignIn(accept, email, t`Sign in and join`);
  if (write.error || write.pending)
    return (
      <Form wide write={write} submit={t`Accept`} onSubmit={accept}>
        <p>
          <Trans>You are signed in as {email}.</Trans>
        </p>
      </Form>
    );
  return (
    <>
      {known && (
        <p role="status">
          <Trans>{email} already has an account. Sign in with its password to join.</Trans>
        </p>
      )}
      {form}
      <Link to="/forgot-password" target="_blank" className={textLink}>
        <Trans>Forgot your password?</Trans>
      </Link>
      {!known && (
        <Button look="quiet" onClick={back}>
          <Trans>Create an account</Trans>
        </Button>
      )}
    </>
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
