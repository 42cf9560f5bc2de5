// Groups of a list, such as that of servers: by tag, provider, status or type.

interface Tagged {
  meta?: { tags?: string[] };
}

/** tagsOf are the tags of rows, each once, in alphabetical order; and more that are known. */
export function tagsOf(rows: Tagged[], more: Iterable<string> = []): string[] {
  const all = new Set(rows.flatMap((r) => r.meta?.tags ?? []));
  for (const tag of more) if (tag) all.add(tag);
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

/** changedTags returns the tags of a form if they are others than before, in whatever order. */
export const changedTags = (now: string[], was: string[]): string[] | undefined =>
  JSON.stringify([...now].sort()) === JSON.stringify([...was].sort()) ? undefined : now;

/** added returns tags with those of a text in which commas and line breaks separate them; each is there once. */
export function added(tags: string[], text: string): string[] {
  const more = text.split(/[,\n]/).map((t) => t.trim());
  return [...new Set([...tags, ...more.filter(Boolean)])];
}
