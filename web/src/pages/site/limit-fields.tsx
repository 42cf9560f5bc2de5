import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import type { components } from '../../api/schema';
import { Input } from '../../kit/field';

/** usual are the limits that most sites with limits have: those in MB, with the same in percent beside them. */
const usual = [
  ['memory_max', t`Memory, at most`, 'MB', t`Programs that need more are ended.`],
  ['memory_max_percent', t`Memory in percent, at most`, '%', t`Of the server's memory, in place of MB.`],
  ['memory_high', t`Memory, slowed down above`, 'MB', ''],
  ['memory_high_percent', t`Memory in percent, slowed down above`, '%', t`Of the server's memory, in place of MB.`],
  ['cpu_quota', t`Processor, at most`, '%', t`100 is one processor, 200 are two.`],
  ['tasks_max', t`Processes and threads, at most`, '', ''],
  ['connections', t`Concurrent requests, at most`, '', t`Others get 503.`],
  ['disk_max', t`Size of the directory, at most`, 'MB', ''],
] as const;
/** rarer are the others, which are out of sight until one is set. */
const rarer = [
  ['cpu_weight', t`Share of the processor when it is busy`, '', t`100 is what a site without this has.`],
  ['io_weight', t`Share of the disk when it is busy`, '', t`100 is what a site without this has.`],
  ['open_files', t`Open files of each process, at most`, '', ''],
] as const;
const limits = [...usual, ...rarer];
type Name = (typeof limits)[number][0];
type InForce = components['schemas']['LimitsInForce'];

/** useLimits returns the fields of a site's limits, which begin with those in force, and what they ask for. name is that of their object in the request. */
export function useLimits(name: string, had: InForce | undefined) {
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({});
  const text = (limit: Name) => typed[limit] ?? String(had?.[limit] ?? '');
  const fields = (of: readonly (typeof limits)[number][]) => (
    <div className="grid gap-4 sm:grid-cols-2">
      {of.map(([limit, label, unit, hint]) => (
        <Input
          key={limit}
          label={label}
          name={`${name}.${limit}`}
          inputMode="numeric"
          unit={unit || undefined}
          value={text(limit)}
          onChange={(e) => setTyped({ ...typed, [limit]: e.target.value.replace(/\D/g, '') })}
          hint={hint || undefined}
        />
      ))}
    </div>
  );
  return {
    asked: () => Object.fromEntries(limits.flatMap(([limit]) => (text(limit) ? [[limit, Number(text(limit))]] : []))),
    fields: (
      <>
        {fields(usual)}
        <details open={rarer.some(([limit]) => had?.[limit])}>
          <summary className="font-medium text-muted">
            <Trans>More limits: shares, open files</Trans>
          </summary>
          <div className="mt-4">{fields(rarer)}</div>
        </details>
      </>
    ),
  };
}
