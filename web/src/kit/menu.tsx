import { Menu as Base } from '@base-ui/react/menu';
import { t } from '@lingui/core/macro';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import type { MenuItem } from './menu-item';

/** Menu comes in the place of a button that was pressed before its program was here: it takes the focus over and opens, and gives it back when it closes. */
export default function Menu({ trigger, items, label }: { trigger: ReactElement; items: (MenuItem | 'line')[]; label?: string }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return (
    <Base.Root open={open} onOpenChange={(is) => setOpen(is)}>
      <Base.Trigger ref={button} render={trigger} aria-label={label} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="start" className="z-50 outline-none">
          <Base.Popup className="rising max-h-96 min-w-52 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float outline-none">
            {items.map((item, i) =>
              item === 'line' ? (
                <Base.Separator key={i} className="my-1 border-t border-line" />
              ) : (
                <Base.Item
                  key={i}
                  disabled={item.disabled}
                  onClick={item.onClick}
                  className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.5 outline-none data-disabled:cursor-not-allowed data-highlighted:bg-hover max-md:min-h-11"
                >
                  {item.icon && <item.icon className="size-4 shrink-0 text-muted" />}
                  <span className="grid min-w-0 flex-1">
                    <span className={`truncate ${item.disabled ? 'text-muted' : ''}`}>{item.text}</span>
                    {item.disabled && item.why && <span className="max-w-56 text-sm text-muted">{item.why}</span>}
                  </span>
                  {item.chosen && <span className="size-2 rounded-full bg-accent" aria-label={t`chosen`} role="img" />}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
