// A menu whose program comes when somebody is about to open it: every first visit would carry it otherwise.
import { cloneElement, lazy, type ReactElement, Suspense, useState } from 'react';
import type { MenuItem } from './menu-item';

const load = () => import('./menu');
const Real = lazy(load);

export function Menu({ trigger, items, label }: { trigger: ReactElement; items: (MenuItem | 'line')[]; label?: string }) {
  const [wanted, setWanted] = useState(false);
  const button = cloneElement(trigger as ReactElement<Record<string, unknown>>, {
    'aria-label': label,
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: () => setWanted(true),
    onPointerEnter: () => void load(),
    onFocus: () => void load(),
  });
  if (!wanted) return button;
  return (
    <Suspense fallback={button}>
      <Real trigger={trigger} items={items} label={label} />
    </Suspense>
  );
}
