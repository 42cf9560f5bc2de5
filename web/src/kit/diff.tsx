import { FileText, Package, Play, X } from 'lucide-react';
import type { Plan } from '../api/types';
import { Button } from './button';
import { plural } from './words';

/** Diff is a unified diff; added and removed lines are told apart by their sign as well as by colour. */
export function Diff({ text }: { text: string }) {
  return (
    <pre tabIndex={0} role="group" aria-label="Difference" className="max-h-96 overflow-auto bg-sunken py-2 font-mono text-sm leading-relaxed">
      {text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, i) => {
          const look = line.startsWith('+')
            ? 'bg-soft text-accent'
            : line.startsWith('-')
              ? 'bg-danger-soft text-danger'
              : line.startsWith('@@')
                ? 'text-info'
                : 'text-muted';
          return (
            <span key={i} className={`block min-w-max px-3 ${look}`}>
              {line || ' '}
            </span>
          );
        })}
    </pre>
  );
}

/** PlanView is what a change would do to hosts. names are those of servers, where there are several. */
export function PlanView({ plan, onClose, names }: { plan: Plan; onClose?: () => void; names?: Map<string, string> }) {
  const servers = plan.servers ?? [];
  const files = servers.reduce((n, s) => n + (s.files?.length ?? 0), 0);
  const actions = servers.reduce((n, s) => n + (s.actions?.length ?? 0), 0);
  return (
    <section aria-label="Plan" className="rising overflow-hidden rounded-lg border border-info/40">
      <header className="flex items-center gap-2 bg-info-soft px-3 py-1.5 text-info">
        <strong className="font-medium">Plan</strong>
        <span className="text-sm">
          {files + actions === 0
            ? 'No changes on any server.'
            : `${plural(files, 'file')}, ${plural(actions, 'action')} on ${plural(servers.length, 'server')}. Nothing has been changed yet.`}
        </span>
        {onClose && (
          <span className="ml-auto">
            <Button look="quiet" only icon={X} onClick={onClose}>
              Close plan
            </Button>
          </span>
        )}
      </header>
      {servers.map((s) => (
        <div key={s.server_id} className="border-t border-line">
          {names && servers.length > 1 && <h3 className="px-3 pt-2 text-sm font-medium">{names.get(s.server_id) ?? `Server ${s.server_id}`}</h3>}
          {s.files?.map((f) => (
            <div key={f.path}>
              <div className="flex items-center gap-2 px-3 py-2 font-mono text-sm">
                <FileText className="size-4 text-muted" aria-hidden />
                {f.path}
              </div>
              {f.diff && <Diff text={f.diff} />}
            </div>
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
              Not changed: <span className="font-mono">{k}</span>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
