import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { AlertTriangle, CircleAlert, Info, type LucideIcon } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { ApiError } from '../api/client';
import { Button } from './button';
import { requires } from './words';

/** Page is a screen with its name; the name is the document's title as well. */
export function Page({
  title,
  state,
  sub,
  actions,
  children,
  narrow,
}: {
  title: string;
  state?: ReactNode;
  sub?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  narrow?: boolean;
}) {
  useEffect(() => {
    document.title = `${title} · Hostler`;
  }, [title]);
  return (
    <div className={`grid min-w-0 gap-6 ${narrow ? 'max-w-2xl' : ''}`}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 text-2xl font-semibold tracking-tight [overflow-wrap:anywhere]" tabIndex={-1}>
              {title}
            </h1>
            {state}
          </div>
          {sub && <div className="mt-0.5 text-muted">{sub}</div>}
        </div>
        {actions && <div className="ml-auto flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function Section({
  title,
  text,
  actions,
  children,
  plain,
}: {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  plain?: boolean;
}) {
  return (
    <section aria-label={title} className="grid min-w-0 gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-72">
          <h2 className="text-lg font-semibold">{title}</h2>
          {text && <p className="max-w-2xl text-pretty text-muted">{text}</p>}
        </div>
        {actions && <div className="ml-auto flex flex-wrap items-center justify-end gap-2">{actions}</div>}
      </div>
      {plain ? children : <div className="panel min-w-0 p-5">{children}</div>}
    </section>
  );
}

type NoticeTone = 'bad' | 'warn' | 'info';
const notices: Record<NoticeTone, [string, LucideIcon]> = {
  bad: ['bg-danger-soft text-danger', CircleAlert],
  warn: ['bg-warn-soft text-warn', AlertTriangle],
  info: ['bg-info-soft text-info', Info],
};
export function Notice({ tone = 'info', children, action, role }: { tone?: NoticeTone; children: ReactNode; action?: ReactNode; role?: 'alert' | 'status' }) {
  const [look, Icon] = notices[tone];
  return (
    <div role={role} className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-3.5 py-2.5 ${look}`}>
      <Icon className="size-4 shrink-0" aria-hidden />
      <div className={`min-w-0 flex-1 [overflow-wrap:anywhere] ${action ? 'basis-48' : ''}`}>{children}</div>
      {action}
    </div>
  );
}

/** Empty says what would be here, and the one thing to do about it. */
export function Empty({ icon: Icon, title, text, action }: { icon: LucideIcon; title: string; text: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-3 rounded-xl border border-dashed border-edge px-6 py-14 text-center">
      <span className="grid size-11 place-items-center rounded-full bg-soft text-accent">
        <Icon className="size-5" aria-hidden />
      </span>
      <div className="grid gap-1">
        <h2 className="text-lg font-semibold">{title}</h2>
        <p className="max-w-md text-muted">{text}</p>
      </div>
      {action}
    </div>
  );
}

export function Waiting({ rows = 3 }: { rows?: number }) {
  return (
    <div role="status" aria-label={t`Loading`} className="panel divide-y divide-line">
      {Array.from({ length: rows }, (_, i) => (
        <div key={i} className="flex gap-6 p-4">
          <span className="beating h-4 w-40 rounded bg-sunken" />
          <span className="beating h-4 flex-1 rounded bg-sunken" />
        </div>
      ))}
    </div>
  );
}

/** Opening is said while the program of a dialog is loaded. */
export const Opening = () => <div role="status" aria-label={t`Loading`} className="sr-only" />;

/** Failed is a part that could not be read. What the person may not see is no failure: it says what it requires, calmly. */
export function Failed({ error, again }: { error: unknown; again?: () => void }) {
  const e = error instanceof ApiError ? error : null;
  if (e?.status === 404)
    return (
      <Notice role="status">
        {e.was ? (
          <Trans>This was deleted, or you no longer have access.</Trans>
        ) : (
          <Trans>Not found, or you don't have access. An organization administrator can grant it.</Trans>
        )}
      </Notice>
    );
  if (e?.status === 403) return <Notice role="status">{forbidden(e.message)}</Notice>;
  return (
    <Notice
      tone="bad"
      role="alert"
      action={
        again && (
          <Button onClick={again}>
            <Trans>Try again</Trans>
          </Button>
        )
      }
    >
      {e ? e.message : t`Something went wrong on this page.`}
    </Notice>
  );
}

/** forbidden puts the permission that the API names, or that is all of the message, into words, and says who can grant it. */
function forbidden(message: string): string {
  const needs = /(?:^|permission )([a-z-]+:[a-z-]+)/.exec(message)?.[1];
  if (!needs) return message;
  return `${requires(needs)} ${t`An organization administrator can change your role.`}`;
}

/** Facts is a list of names and values. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode] | null | false)[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 lg:grid-cols-3">
      {rows.map(
        (r) =>
          r && (
            <div key={r[0]} className="min-w-0">
              <dt className="text-sm text-muted">{r[0]}</dt>
              <dd className="[overflow-wrap:anywhere]">
                {r[1] === null || r[1] === undefined || r[1] === '' ? (
                  <span className="text-muted">
                    <Trans>None</Trans>
                  </span>
                ) : (
                  r[1]
                )}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
