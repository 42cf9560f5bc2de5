import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Plus, Trash2 } from 'lucide-react';
import { useList } from '../../api/query';
import { Button } from '../../kit/button';
import { Check, Input, Select, useFieldErrors } from '../../kit/field';
import { percent } from '../../kit/numbers';
import { useReorder } from '../../kit/reorder';

export interface NodeRow {
  key: number;
  server_id: number;
  port: number | null;
  weight: number;
  backup: boolean;
  down: boolean;
}
let keys = 0;
export const nodeRow = (n: Partial<NodeRow> & { server_id: number }): NodeRow => ({ port: 80, weight: 1, backup: false, down: false, ...n, key: ++keys });
export const toBody = ({ server_id, port, weight, backup, down }: NodeRow) => ({ server_id, port: port ?? undefined, weight, backup, down });

/** Nodes are the servers that requests go to. */
export function Nodes({ org, rows, onChange }: { org: string; rows: NodeRow[]; onChange: (rows: NodeRow[]) => void }) {
  const servers = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' }, all: true });
  const fit = servers.rows.filter((s) => s.attributes.type !== 'loadbalancer');
  const errors = useFieldErrors('balancing');
  const used = new Set(rows.map((r) => String(r.server_id)));
  const next = fit.find((s) => !used.has(s.id)) ?? fit[0];
  const set = (i: number, part: Partial<NodeRow>) => onChange(rows.map((r, j) => (i === j ? { ...r, ...part } : r)));
  const name = (id: number) => fit.find((s) => s.id === String(id))?.attributes.name ?? t`Server ${id}`;
  const order = useReorder(rows, onChange, (r) => name(r.server_id));
  const total = rows.filter((r) => !r.down && !r.backup).reduce((n, r) => n + r.weight, 0);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-medium">
        <Trans>Nodes</Trans>
      </legend>
      {order.status}
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      {rows.map((r, i) => (
        <div
          key={r.key}
          data-index={i}
          className={`grid gap-3 rounded-lg border border-line p-3 ${order.held === i ? 'bg-soft' : 'bg-surface'} ${r.down ? 'opacity-80' : ''}`}
        >
          <div className="flex items-end gap-2">
            <span className="self-center">{order.handle(i)}</span>
            <div className="min-w-0 flex-1">
              <Select
                label={t`Server of node ${i + 1}`}
                hidden
                name={`balancing.${i}.server_id`}
                value={String(r.server_id)}
                onChange={(e) => set(i, { server_id: Number(e.target.value) })}
                options={[
                  ...fit.map((s) => [s.id, s.attributes.name] as const),
                  ...(fit.some((s) => s.id === String(r.server_id)) ? [] : [[String(r.server_id), name(r.server_id)] as const]),
                ]}
              />
            </div>
            {order.buttons(i)}
            <Button look="quiet" only icon={Trash2} onClick={() => onChange(rows.filter((_, j) => j !== i))}>{t`Remove node ${name(r.server_id)}`}</Button>
          </div>
          <div className="flex flex-wrap items-end gap-x-5 gap-y-3 md:pl-6">
            <div className="w-20">
              <Input
                label={t`Port`}
                name={`balancing.${i}.port`}
                inputMode="numeric"
                value={r.port ?? ''}
                onChange={(e) => set(i, { port: Number(e.target.value.replace(/\D/g, '')) || null })}
                className="font-mono"
              />
            </div>
            <div className="w-20">
              <Input
                label={t`Weight`}
                name={`balancing.${i}.weight`}
                inputMode="numeric"
                value={r.weight || ''}
                onChange={(e) => set(i, { weight: Number(e.target.value.replace(/\D/g, '')) })}
                className="font-mono"
              />
            </div>
            <div className="grid gap-2 pb-1">
              <Check label={t`Backup`} name={`balancing.${i}.backup`} checked={r.backup} onChange={(e) => set(i, { backup: e.target.checked })} />
            </div>
            <div className="grid gap-2 pb-1">
              <Check label={t`Down`} checked={r.down} onChange={(e) => set(i, { down: e.target.checked })} />
            </div>
            <span className="ml-auto pb-1 text-sm text-muted">
              {r.down
                ? t`No requests`
                : r.backup
                  ? t`Used only when all other nodes are down`
                  : total > 0
                    ? t`About ${percent(Math.round((100 * r.weight) / total))} of requests`
                    : ''}
            </span>
          </div>
        </div>
      ))}
      <div>
        <Button
          icon={Plus}
          data-adds={rows.length}
          disabled={!next}
          why={t`No servers available. Add a web server first.`}
          onClick={() => next && onChange([...rows, nodeRow({ server_id: Number(next.id) })])}
        >
          <Trans>Add node</Trans>
        </Button>
      </div>
    </fieldset>
  );
}
