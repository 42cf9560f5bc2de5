import { Dialog as Base } from '@base-ui/react/dialog';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ApiError, Fields } from '../api/client';
import type { Does } from '../api/permissions';
import type { Call } from '../api/query';
import type { DryRun } from '../api/types';
import { Button } from './button';
import { Input } from './field';
import { Form } from './form';

/** above counts the dialogs that are open on top of others. While there are any, the others don't close. */
let above = 0;

/** Dialog asks for something. A click beside it does not close it: what was entered would be lost. */
export function Dialog({
  open,
  onClose,
  title,
  text,
  children,
  wide,
  over,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  text?: ReactNode;
  children: ReactNode;
  wide?: boolean;
  /** over is for a dialog that may open while another one is. */
  over?: boolean;
}) {
  useEffect(() => {
    if (!over) return;
    above++;
    return () => void above--;
  }, [over]);
  return (
    <Base.Root open={open} disablePointerDismissal onOpenChange={(is) => !is && (over || above === 0) && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Base.Popup
          className={`rising fixed top-[10vh] left-1/2 z-50 max-h-[82vh] w-[calc(100vw-2rem)] -translate-x-1/2 overflow-y-auto rounded-xl border border-line bg-surface p-6 shadow-float outline-none ${wide ? 'max-w-3xl' : 'max-w-lg'}`}
        >
          <div className="mb-5 flex items-start gap-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-xl font-semibold [overflow-wrap:anywhere]">{title}</Base.Title>
              {text && (
                <Base.Description className="mt-1 text-muted" render={<div />}>
                  {text}
                </Base.Description>
              )}
            </div>
            <Button look="quiet" only icon={X} onClick={onClose} className="-mt-1 -mr-2">
              <Trans>Close</Trans>
            </Button>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface Removal {
  operation?: Does;
  submit: () => void;
  tryOut?: () => void;
  pending: boolean;
  planning: boolean;
  plan: DryRun | null;
  closePlan: () => void;
  error: ApiError | null;
  fields: Fields;
}

/** ConfirmName asks for the name of what goes, and lists what goes with it. */
export function ConfirmName({
  open,
  onClose,
  title,
  name,
  what,
  submit,
  removal,
  call,
  easy,
  does = removal.operation,
  keep = t`Cancel`,
  children,
}: {
  open: boolean;
  onClose: () => void;
  title: string;
  name: string;
  what: ReactNode;
  submit: string;
  removal: Removal;
  call?: () => Call;
  /** easy is for what can be made again in a moment: it is asked, and nothing has to be typed. */
  easy?: boolean;
  /** does is what is called, where that is more than the removal says. */
  does?: Does;
  /** keep is the way back, where nothing goes. */
  keep?: string;
  /** children are what else is asked. */
  children?: ReactNode;
}) {
  const [typed, setTyped] = useState('');
  const close = () => {
    setTyped('');
    onClose();
  };
  return (
    <Dialog open={open} onClose={close} title={title} text={what} wide={!!removal.plan}>
      <Form
        write={removal}
        submit={submit}
        look="danger"
        does={does}
        call={call}
        onPlan={removal.tryOut}
        onSubmit={() => (easy || typed === name) && removal.submit()}
        extra={<Button onClick={close}>{keep}</Button>}
      >
        {children}
        {!easy && (
          <Input
            label={t`Type ${name} to confirm`}
            name="confirm"
            value={typed}
            onChange={(e) => setTyped(e.target.value)}
            autoComplete="off"
            spellCheck={false}
            hint={typed && typed !== name ? t`The name does not match.` : undefined}
          />
        )}
      </Form>
    </Dialog>
  );
}
