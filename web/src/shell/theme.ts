import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';
const key = 'hostler.theme';
const listeners = new Set<() => void>();
const dark = matchMedia('(prefers-color-scheme: dark)');

function read(): Theme {
  try {
    const v = localStorage.getItem(key);
    return v === 'light' || v === 'dark' ? v : 'system';
  } catch {
    return 'system';
  }
}
function show() {
  const t = read();
  document.documentElement.dataset.theme = t === 'dark' || (t === 'system' && dark.matches) ? 'dark' : 'light';
  listeners.forEach((l) => l());
}
dark.addEventListener('change', show);
export function setTheme(t: Theme) {
  try {
    localStorage.setItem(key, t);
  } catch {
    /* it lasts as long as the page then */
  }
  show();
}
export const useTheme = () => useSyncExternalStore(listen, read);
function listen(f: () => void) {
  listeners.add(f);
  return () => void listeners.delete(f);
}

/** The organization that was looked at last, so that the next visit begins there. */
export function lastOrg(set?: string): string | null {
  try {
    if (set) localStorage.setItem('hostler.org', set);
    return localStorage.getItem('hostler.org');
  } catch {
    return null;
  }
}
