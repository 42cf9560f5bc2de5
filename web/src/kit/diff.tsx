import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Columns2, FileText, Package, Play, Rows2, X } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import type { DryRun } from '../api/types';
import { Button } from './button';
import { type Row, type Side, sides } from './lines';
import { useRoom } from './room';

const wide = 44; // rem: narrower, two texts beside each other are unreadable

/** Diff is a unified diff, or both texts side by side where there is room and both have something to show. */
export function Diff({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  const [split, setSplit] = useState(false);
  const rows = useMemo(() => sides(text), [text]);
  const both = rows.some((r) => r.left?.sign === '-') && rows.some((r) => r.right?.sign === '+');
  const beside = split && both && room >= wide;
  return (
    <div ref={box} className="relative">
      {both && room >= wide && (
        <span className="absolute top-1 right-1 z-10">
          <Button
            look="quiet"
            only
            icon={beside ? Rows2 : Columns2}
            aria-pressed={beside}
            title={beside ? t`Unified` : t`Side by side`}
            onClick={() => setSplit(!split)}
          >
            <Trans>Side by side</Trans>
          </Button>
        </span>
      )}
      {beside ? <Beside rows={rows} /> : <Unified text={text} />}
    </div>
  );
}

/** Unified tells added and removed lines apart by their sign as well as by colour. */
function Unified({ text }: { text: string }) {
  return (
    <pre tabIndex={0} role="group" aria-label={t`Difference`} className="max-h-96 overflow-auto bg-sunken py-2 font-mono text-sm leading-relaxed">
      {text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, i) => {
          const look = line.startsWith('@@') ? 'text-info' : looks[line[0] ?? ''] || 'text-muted';
          return (
            <span key={i} className={`block min-w-max px-3 ${look}`}>
              {line || ' '}
            </span>
          );
        })}
    </pre>
  );
}

const looks: Record<string, string> = { '+': 'bg-soft text-accent', '-': 'bg-danger-soft text-danger' };

function Beside({ rows }: { rows: Row[] }) {
  const cell = (side: Side, of: string) => (
    <span className={`block min-h-5 min-w-0 px-3 wrap-anywhere whitespace-pre-wrap ${side ? looks[side.sign] || 'text-muted' : ''} ${of}`}>
      {side && (side.sign + side.text || ' ')}
    </span>
  );
  return (
    <pre
      tabIndex={0}
      role="group"
      aria-label={t`Difference, before and after`}
      className="max-h-96 overflow-auto bg-sunken py-2 font-mono text-sm leading-relaxed"
    >
      {rows.map((r, i) =>
        r.head ? (
          <span key={i} className="block px-3 text-info">
            {r.head}
          </span>
        ) : (
          <span key={i} className="grid grid-cols-2">
            {cell(r.left, 'border-r border-line')}
            {cell(r.right, '')}
          </span>
        ),
      )}
    </pre>
  );
}

/** few is how many files a plan shows whole. */
const few = 3;

function PlannedFile({ path, diff, folded }: { path: string; diff: string; folded: boolean }) {
  const head = (
    <>
      <FileText className="size-4 shrink-0 text-muted" aria-hidden />
      <span className="min-w-0 wrap-anywhere">{path}</span>
    </>
  );
  const look = 'flex items-center gap-2 px-3 py-2 font-mono text-sm';
  if (!diff || !folded)
    return (
      <div>
        <div className={look}>{head}</div>
        {diff && <Diff text={diff} />}
      </div>
    );
  return (
    <details>
      <summary className={look}>{head}</summary>
      <Diff text={diff} />
    </details>
  );
}

/** PlanView is what a change would do to hosts, or was to do. names are those of servers, where there are several. */
export function PlanView({ plan, onClose, names, past }: { plan: DryRun; onClose?: () => void; names?: Map<string, string>; past?: boolean }) {
  const servers = plan.servers ?? [];
  const files = servers.reduce((n, s) => n + (s.files?.length ?? 0), 0);
  const actions = servers.reduce((n, s) => n + (s.actions?.length ?? 0), 0);
  return (
    <section aria-label={t`Plan`} className="rising overflow-hidden rounded-lg border border-info/40">
      <header className="flex items-center gap-2 bg-info-soft px-3 py-1.5 text-info">
        <strong className="font-medium">
          <Trans>Plan</Trans>
        </strong>
        <span className="text-sm">
          {files + actions === 0
            ? t`No changes on any server.`
            : t`${plural(files, { one: '# file', other: '# files' })}, ${plural(actions, { one: '# action', other: '# actions' })} on ${plural(servers.length, { one: '# server', other: '# servers' })}.`}{' '}
          {files + actions > 0 && !past && t`Nothing has been changed yet.`}
        </span>
        {onClose && (
          <span className="ml-auto">
            <Button look="quiet" only icon={X} onClick={onClose}>
              <Trans>Close plan</Trans>
            </Button>
          </span>
        )}
      </header>
      {servers.map((s) => (
        <div key={s.server_id} className="border-t border-line">
          {names && servers.length > 1 && <h3 className="px-3 pt-2 text-sm font-medium">{names.get(s.server_id) ?? t`Server ${s.server_id}`}</h3>}
          {s.files?.map((f) => (
            <PlannedFile key={f.path} path={f.path} diff={f.diff} folded={files > few} />
          ))}
          {s.packages?.map((p) => (
            <div key={p} className="flex items-center gap-2 px-3 py-2 text-sm">
              <Package className="size-4 text-muted" aria-hidden />
              {p}
            </div>
          ))}
          {s.actions?.map((a) => (
            <div key={a} className="flex items-center gap-2 border-t border-line px-3 py-2 font-mono text-sm">
              <Play className="size-4 text-muted" aria-hidden />
              {a}
            </div>
          ))}
          {s.kept?.map((k) => (
            <div key={k} className="border-t border-line px-3 py-2 text-sm text-muted">
              <Trans>
                Not changed: <span className="font-mono">{k}</span>
              </Trans>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
