import { Trans } from '@lingui/react/macro';
import { ScanSearch } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import type { ApiError, Fields } from '../api/client';
import type { Does } from '../api/permissions';
import type { Call } from '../api/query';
import type { DryRun } from '../api/types';
import { Button } from './button';
import { CopyAs } from './copy';
import { PlanView } from './diff';
import { Drafted, useKept } from './draft';
import { FieldErrors } from './field';
import { Notice } from './page';
import { named } from './words';

interface Write {
  /** operation is what is called. */
  operation?: Does;
  error: ApiError | null;
  fields: Fields;
  pending: boolean;
  planning: boolean;
  plan: DryRun | null;
  closePlan: () => void;
  /** target is what the form is for; what is typed is kept for it. */
  target?: string;
}

/** below keeps buttons in sight below a plan that is longer than the screen. */
const below = 'sticky bottom-0 z-10 -my-3 bg-surface py-3';

/** Form shows what the API found wrong where it belongs, keeps what was typed until it is sent or discarded, and moves the focus to the first wrong field. */
export function Form({
  write,
  onSubmit,
  onPlan,
  submit,
  look = 'primary',
  does = write.operation,
  call,
  children,
  extra,
  wide,
}: {
  write: Write;
  onSubmit: () => void;
  onPlan?: () => void;
  submit: string;
  look?: 'primary' | 'danger';
  /** does is what is called, where that is more than the write says. */
  does?: Does;
  call?: () => Call;
  children?: ReactNode;
  extra?: ReactNode;
  wide?: boolean;
}) {
  const form = useRef<HTMLFormElement>(null);
  const kept = useKept(form, look === 'danger' ? undefined : write.target);
  const claimed = new Set<string>();
  useEffect(() => {
    if (write.error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [write.error]);
  const submitted = (e: FormEvent) => {
    e.preventDefault();
    if (!write.pending) onSubmit();
  };
  return (
    <FieldErrors value={{ fields: write.fields, claim: (name) => claimed.add(name) }}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: of buttons, whose keys click them */}
      <form ref={form} onSubmit={submitted} onChange={kept.changed} onClick={kept.pressed} noValidate className="grid gap-5">
        <Drafted kept={kept} />
        {children}
        <Rest write={write} claimed={claimed} />
        {write.plan && <PlanView plan={write.plan} onClose={write.closePlan} />}
        <div className={`flex flex-wrap items-center gap-2 ${wide ? '[&>button]:flex-1' : ''} ${write.plan ? below : ''}`}>
          <Button type="submit" look={look} does={does} pending={write.pending}>
            {submit}
          </Button>
          {onPlan && (
            <Button icon={ScanSearch} onClick={onPlan} pending={write.planning} does={does}>
              <Trans>Show plan</Trans>
            </Button>
          )}
          {extra}
          {call && (
            <span className="ml-auto">
              <CopyAs call={call} />
            </span>
          )}
        </div>
      </form>
    </FieldErrors>
  );
}

/** Saved says beside a form's button that what was sent is saved; children, where there is more to say. */
export function Saved({ shown, children }: { shown: boolean; children?: ReactNode }) {
  return (
    shown && (
      <span role="status" className="text-accent">
        {children ?? <Trans>Saved</Trans>}
      </span>
    )
  );
}

/** Rest is what is wrong with no field that is shown. */
function Rest({ write, claimed }: { write: Write; claimed: Set<string> }) {
  if (!write.error) return null;
  const others = Object.entries(write.fields).filter(([name]) => !claimed.has(name));
  if (Object.keys(write.fields).length > 0 && others.length === 0)
    return (
      <p role="alert" className="sr-only">
        <Trans>Check the highlighted fields.</Trans>
      </p>
    );
  return (
    <Notice tone="bad" role="alert">
      {others.length > 0 ? (
        <ul>
          {others.map(([name, of]) => (
            <li key={name}>{of.map((p) => named(p, name)).join(' ')}</li>
          ))}
        </ul>
      ) : (
        write.error.message
      )}
      {write.error.requestId && write.error.status >= 500 && (
        <span className="text-sm">
          {' '}
          <Trans>Request {write.error.requestId}.</Trans>
        </span>
      )}
    </Notice>
  );
}
