// Output of work on a host, as text and as its steps. It is data: control sequences are dropped, nothing in it becomes markup.
const control =
  /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** plain is text without control sequences, and without what turns the direction of reading round; of a line drawn over, what was drawn last. */
export function plain(text: string): string {
  return text
    .replace(control, '')
    .replace(/\r\n/g, '\n')
    .replace(/[^\n]*\r(?=[^\n])/g, '')
    .replaceAll('\r', '');
}

/** Section is a step with what it printed: lines from..to of the output, to not included. name is empty for what no step has ended yet. */
export interface Section {
  name: string;
  state: string;
  from: number;
  to: number;
}

const ended = /^([\w][^:]{0,80}): (changed|unchanged|failed|reverted)(?: \(.*\))?$/;

/** sections finds the steps: the line that tells how one ended stands after what it printed. */
export function sections(lines: string[]): Section[] {
  const out: Section[] = [];
  let from = 0;
  lines.forEach((line, i) => {
    const m = ended.exec(line);
    if (!m) return;
    out.push({ name: m[1]!, state: m[2]!, from, to: i + 1 });
    from = i + 1;
  });
  if (from < lines.length) out.push({ name: '', state: '', from, to: lines.length });
  return out;
}
