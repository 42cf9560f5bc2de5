// Groups of the list of servers: by tag, provider, status or type.
import type { Server } from '../../api/types';

/** tagsOf are the tags of servers, each once, in alphabetical order; and the one that is filtered by, if no server has it any more. */
export function tagsOf(rows: Server[], and = ''): string[] {
  const all = new Set(rows.flatMap((s) => s.meta?.tags ?? []));
  if (and) all.add(and);
  return [...all].sort((a, b) => a.localeCompare(b));
}

/** grouped puts rows under the names that of returns for them, in alphabetical order. A row with several names is in each group, one without in the last. */
export function grouped<T>(rows: T[], of: (row: T) => string[], none: string): [string, T[]][] {
  const groups = new Map<string, T[]>();
  const rest: T[] = [];
  for (const row of rows) {
    const names = of(row);
    if (names.length === 0) rest.push(row);
    for (const name of names) groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const out = [...groups].sort(([a], [b]) => a.localeCompare(b));
  return rest.length > 0 ? [...out, [none, rest]] : out;
}
