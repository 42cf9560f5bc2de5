// Beginning something on the page where it is done: an address such as /servers/2/firewall#add opens the page with its form.
import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';

/** useDeed begins what the address names after #, once; the name then goes, so that reloading the page begins nothing. */
export function useDeed(name: string, begin: () => void) {
  // the address that is open, and not the one that is being opened: the page before it would take a name that is meant for the next
  const named = useRouterState({ select: (s) => s.resolvedLocation?.hash === name });
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the address names it
  useEffect(() => {
    if (!named) return;
    begin();
    void navigate({ to: '.', search: true, hash: '', replace: true, resetScroll: false });
  }, [named]);
}
