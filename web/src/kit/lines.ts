// What differs between two texts, line by line, as a unified diff for Diff.
const context = 3;
// The largest table that is worth its time; beyond it, what differs is shown as one block.
const most = 4_000_000;

type Op = [' ' | '-' | '+', string];

function edits(a: string[], b: string[]): Op[] {
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const x = a.slice(head, a.length - tail);
  const y = b.slice(head, b.length - tail);
  const out: Op[] = a.slice(0, head).map((l) => [' ', l]);
  if (x.length * y.length > most) {
    x.forEach((l) => out.push(['-', l]));
    y.forEach((l) => out.push(['+', l]));
  } else {
    const width = y.length + 1;
    const table = new Uint32Array((x.length + 1) * width);
    for (let i = x.length - 1; i >= 0; i--) {
      for (let j = y.length - 1; j >= 0; j--) {
        table[i * width + j] = x[i] === y[j] ? table[(i + 1) * width + j + 1]! + 1 : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
      }
    }
    let i = 0;
    let j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && x[i] === y[j]) {
        out.push([' ', x[i]!]);
        i++;
        j++;
      } else if (j >= y.length || (i < x.length && table[(i + 1) * width + j]! >= table[i * width + j + 1]!)) out.push(['-', x[i++]!]);
      else out.push(['+', y[j++]!]);
    }
  }
  a.slice(a.length - tail).forEach((l) => out.push([' ', l]));
  return out;
}

/** unified is the difference from before to after; empty where there is none. */
export function unified(before: string, after: string): string {
  const ops = edits(before.replace(/\n$/, '').split('\n'), after.replace(/\n$/, '').split('\n'));
  const near = ops.map((_, i) => ops.slice(Math.max(0, i - context), i + context + 1).some(([sign]) => sign !== ' '));
  let out = '';
  let open = false;
  let line = 1;
  ops.forEach(([sign, text], i) => {
    if (near[i]) {
      if (!open) out += `@@ line ${line} @@\n`;
      out += sign + text + '\n';
    }
    open = near[i]!;
    if (sign !== '-') line++;
  });
  return out;
}

/** Side is a line of one of two texts that stand beside each other; null where the other has a line and this has none. */
export type Side = { sign: ' ' | '-' | '+'; text: string } | null;
export interface Row {
  /** head is that of a hunk, above both sides. */
  head?: string;
  left: Side;
  right: Side;
}

/** sides puts a unified diff beside itself: what was removed is at the left of what was added in its place. */
export function sides(diff: string): Row[] {
  const out: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      const [l, r] = [removed[i], added[i]];
      out.push({ left: l === undefined ? null : { sign: '-', text: l }, right: r === undefined ? null : { sign: '+', text: r } });
    }
    removed = [];
    added = [];
  };
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const text = line.slice(1);
    if (/^(---|\+\+\+) /.test(line) && out.length + removed.length + added.length < 2) continue; // the names of the files
    if (line.startsWith('-')) {
      if (added.length) flush();
      removed.push(text);
    } else if (line.startsWith('+')) added.push(text);
    else {
      flush();
      if (line.startsWith('@@') || line.startsWith('\\')) out.push({ head: line, left: null, right: null });
      else out.push({ left: { sign: ' ', text }, right: { sign: ' ', text } });
    }
  }
  flush();
  return out;
}
