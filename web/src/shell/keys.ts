import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/** Places that g and a letter lead to. */
export const going: Record<string, { to: string; text: string }> = {
  h: { to: '/orgs/$org', text: t`Home` },
  s: { to: '/orgs/$org/servers', text: t`Servers` },
  i: { to: '/orgs/$org/sites', text: t`Sites` },
  e: { to: '/orgs/$org/activity', text: t`Activity` },
  r: { to: '/orgs/$org/recipes', text: t`Recipes` },
  t: { to: '/orgs/$org/team', text: t`Team` },
  o: { to: '/orgs/$org/settings', text: t`Settings` },
};

export function useKeys({ org, palette, shortcuts }: { org: string; palette: () => void; shortcuts: () => void }) {
  const navigate = useNavigate();
  const now = useRef({ org, palette, shortcuts });
  now.current = { org, palette, shortcuts };
  useEffect(() => {
    let prefix = 0;
    const pressed = (e: KeyboardEvent) => {
      if ((e.metaKey || e.ctrlKey) && e.key.toLowerCase() === 'k') {
        e.preventDefault();
        return now.current.palette();
      }
      const at = e.target as HTMLElement;
      if (e.metaKey || e.ctrlKey || e.altKey || at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName) || document.querySelector('[role=dialog]'))
        return;
      if (prefix && Date.now() - prefix < 1200 && going[e.key] && now.current.org) {
        e.preventDefault();
        prefix = 0;
        return void navigate({ to: going[e.key]!.to, params: { org: now.current.org } as never });
      }
      prefix = e.key === 'g' ? Date.now() : 0;
      if (e.key === '?') now.current.shortcuts();
      if (e.key === '/') {
        const filter = document.querySelector<HTMLElement>('[data-filter]');
        e.preventDefault();
        if (filter) filter.focus();
        else now.current.palette();
      }
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [navigate]);
}
