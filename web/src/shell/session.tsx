import { useNavigate } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { ApiError } from '../api/client';
import { useGet } from '../api/query';
import type { User } from '../api/types';
import { Failed } from '../kit/page';

const Context = createContext<User | null>(null);
export const useUser = () => useContext(Context)!;

/** Session lets those in who are signed in, and leads the others to where they sign in, and back. */
export function Session({ children }: { children: ReactNode }) {
  const me = useGet('/user');
  const navigate = useNavigate();
  const out = me.error instanceof ApiError && me.error.status === 401;
  useEffect(() => {
    if (out) void navigate({ to: '/sign-in', search: { next: location.pathname + location.search }, replace: true });
  }, [out, navigate]);
  if (me.data) return <Context value={me.data.data}>{children}</Context>;
  if (me.error && !out)
    return (
      <main className="mx-auto max-w-lg p-10">
        <Failed error={me.error} again={() => void me.refetch()} />
      </main>
    );
  return null;
}
