import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Ellipsis, ScanSearch } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ApiError, Fields, Params } from '../api/client';
import type { Does } from '../api/permissions';
import type { Call } from '../api/query';
import type { DryRun } from '../api/types';
import { Button, type ButtonProps, useReason } from './button';
import { useCopies } from './copy';
import { Dialog } from './dialog';
import { PlanView } from './diff';
import { Menu } from './lazy-menu';
import type { MenuItem } from './menu-item';
import { Notice, Waiting } from './page';
import { texts } from './words';

/** Writes is what Action needs of a write. */
export interface Writes<B> {
  /** operation is what is called. */
  operation?: Does;
  submit: (body?: B, at?: Params) => void;
  tryOut: (body?: B, at?: Params) => void;
  call: (body?: unknown, at?: Params) => Call;
  reset: () => void;
  plan: DryRun | null;
  planning: boolean;
  pending: boolean;
  error: ApiError | null;
  fields: Fields;
}

interface Props<B> extends Pick<ButtonProps, 'look' | 'icon' | 'does' | 'disabled' | 'why' | 'title' | 'pending'> {
  write: Writes<B>;
  body?: NoInfer<B>;
  /** at is what of the path the write does not know yet: the row, say. */
  at?: Params;
  /** plans is for what changes a host: the API takes a dry run of it. */
  plans?: boolean;
  /** label names the button where its text alone says too little. */
  label?: string;
  children: string;
}

/** Action is a button that changes something at once. Beside it stands what a form would offer: the plan, and the same for a terminal. */
export function Action<B>({
  write,
  body,
  at,
  plans,
  label,
  children,
  look = 'plain',
  icon,
  does = write.operation,
  disabled,
  why,
  title,
  pending = write.pending,
}: Props<B>) {
  const copies = useCopies();
  const [planned, setPlanned] = useState(false);
  const reason = useReason(does, disabled, why);
  const chevron = useRef<HTMLSpanElement>(null);
  const show = () => {
    write.reset();
    setPlanned(true);
    write.tryOut(body, at);
  };
  const items: (MenuItem | 'line')[] = [
    ...(plans ? [{ text: t`Show plan`, icon: ScanSearch, disabled: !!reason || disabled, why: reason, onClick: show }, 'line' as const] : []),
    ...copies.items(write.call(body, at)),
  ];
  const close = () => {
    setPlanned(false);
    requestAnimationFrame(() => chevron.current?.querySelector('button')?.focus({ preventScroll: true })); // the menu that led to the dialog is gone
  };
  return (
    <span className="relative inline-flex">
      <Button
        look={look}
        icon={icon}
        does={does}
        disabled={disabled}
        why={why}
        title={title}
        pending={pending}
        aria-label={label}
        onClick={() => write.submit(body, at)}
        className="rounded-r-none"
      >
        {children}
      </Button>
      <span ref={chevron} className="inline-flex">
        <Menu
          label={t`More actions: ${label ?? children}`}
          items={items}
          trigger={
            <Button
              look={look}
              only
              icon={copies.copied ? Check : Ellipsis}
              className={`rounded-l-none md:w-7! ${look === 'plain' ? 'border-l-0' : look === 'quiet' ? '' : 'border-l-white/30!'}`}
            />
          }
        />
      </span>
      {copies.said}
      {planned && (
        <Planned
          write={write}
          title={label ?? children}
          onClose={close}
          submit={
            <Button look={look === 'quiet' ? 'plain' : look} icon={icon} does={does} pending={write.pending} onClick={() => write.submit(body, at)}>
              {children}
            </Button>
          }
        />
      )}
    </span>
  );
}

/** Planned is what the action would do, with the button that does it. It goes when it is done. */
function Planned<B>({ write, title, onClose, submit }: { write: Writes<B>; title: string; onClose: () => void; submit: React.ReactNode }) {
  const had = useRef(false);
  useEffect(() => {
    if (had.current && !write.plan) onClose();
    had.current = !!write.plan;
  }, [write.plan, onClose]);
  const leave = () => {
    write.reset();
    onClose();
  };
  return (
    <Dialog open onClose={leave} title={title} wide>
      <div className="grid gap-5">
        {write.error && (
          <Notice tone="bad" role="alert">
            {texts(write.fields) || write.error.message}
          </Notice>
        )}
        {write.plan ? <PlanView plan={write.plan} /> : write.planning && <Waiting rows={1} />}
        <div className="sticky bottom-0 z-10 -my-3 flex flex-wrap gap-2 bg-surface py-3">
          {submit}
          <Button onClick={leave}>
            <Trans>Cancel</Trans>
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
