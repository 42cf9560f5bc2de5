import { t } from '@lingui/core/macro';
import { useState } from 'react';
import type { components } from '../../api/schema';
import { Input } from '../../kit/field';

const limits = [
  ['memory_max', t`Memory, at most`, t`MB. Programs that need more are ended.`],
  ['memory_max_percent', t`Memory in percent, at most`, t`Of the server's memory, in place of MB.`],
  ['memory_high', t`Memory, slowed down above`, t`MB`],
  ['memory_high_percent', t`Memory in percent, slowed down above`, t`Of the server's memory, in place of MB.`],
  ['cpu_quota', t`Processor, at most`, t`Percent of one processor: 200 are two.`],
  ['tasks_max', t`Processes and threads, at most`, ''],
  ['connections', t`Concurrent requests, at most`, t`Others get 503.`],
  ['disk_max', t`Size of the directory, at most`, t`MB`],
  ['cpu_weight', t`Share of the processor when it is busy`, t`100 is what a site without this has.`],
  ['io_weight', t`Share of the disk when it is busy`, t`100 is what a site without this has.`],
  ['open_files', t`Open files of each process, at most`, ''],
] as const;
type Name = (typeof limits)[number][0];
type InForce = components['schemas']['LimitsInForce'];

/** useLimits returns the fields of a site's limits, which begin with those in force, and what they ask for. name is that of their object in the request. */
export function useLimits(name: string, had: InForce | undefined) {
  const [typed, setTyped] = useState<Partial<Record<Name, string>>>({});
  const text = (limit: Name) => typed[limit] ?? String(had?.[limit] ?? '');
  return {
    asked: () => Object.fromEntries(limits.flatMap(([limit]) => (text(limit) ? [[limit, Number(text(limit))]] : []))),
    fields: (
      <div className="grid gap-4 sm:grid-cols-2">
        {limits.map(([limit, label, hint]) => (
          <Input
            key={limit}
            label={label}
            name={`${name}.${limit}`}
            inputMode="numeric"
            value={text(limit)}
            onChange={(e) => setTyped({ ...typed, [limit]: e.target.value.replace(/\D/g, '') })}
            hint={hint || undefined}
          />
        ))}
      </div>
    ),
  };
}
