import { useNavigate } from '@tanstack/react-router';
import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useState } from 'react';
import { ApiError, onSignedOut } from '../api/client';
import { useGet } from '../api/query';
import type { User } from '../api/types';
import { Failed, Opening } from '../kit/page';

const SignInAgain = lazy(() => import('../pages/account/again'));

const Context = createContext<User | null>(null);
export const useUser = () => useContext(Context)!;

/** Session lets those in who are signed in, and leads the others to where they sign in, and back. A session that ends is begun again over the page. */
export function Session({ children }: { children: ReactNode }) {
  const me = useGet('/user');
  const navigate = useNavigate();
  const out = !me.data && me.error instanceof ApiError && me.error.status === 401;
  useEffect(() => {
    if (out) void navigate({ to: '/sign-in', search: { next: location.pathname + location.search }, replace: true });
  }, [out, navigate]);
  if (me.data)
    return (
      <Context value={me.data.data}>
        {children}
        <Again email={me.data.data.attributes.email} />
      </Context>
    );
  if (me.error && !out)
    return (
      <main className="mx-auto max-w-lg p-10">
        <Failed error={me.error} again={() => void me.refetch()} />
      </main>
    );
  return null;
}

/**
 * Again asks for the password when the session has ended. All that waits for it goes on together. After a refusal, what the page reads in the background
 * does not ask again; a change does, and so does the next page.
 */
function Again({ email }: { email: string }) {
  const [asked, setAsked] = useState<((signedIn: boolean) => void) | null>(null);
  useEffect(() => {
    let waiting: Promise<boolean> | null = null;
    let refusedAt = '';
    return onSignedOut((method) => {
      if (method === 'get' && refusedAt === location.pathname) return Promise.resolve(false);
      waiting ??= new Promise((answer) => {
        setAsked(() => (signedIn: boolean) => {
          waiting = null;
          refusedAt = signedIn ? '' : location.pathname;
          setAsked(null);
          answer(signedIn);
        });
      });
      return waiting;
    });
  }, []);
  if (!asked) return null;
  return (
    <Suspense fallback={<Opening />}>
      <SignInAgain email={email} done={asked} />
    </Suspense>
  );
}
