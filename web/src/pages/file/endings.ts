// A field for text knows one line ending. What a file had is put back where its lines are the same, and what is new has the file's most frequent one.

const mark = '\ufeff';
const endings = /\r\n|\r|\n/g;

/** toField is the text of a file as a field has it: lines end with a line feed, and there is no byte order mark. */
export const toField = (content: string) => content.replace(mark, (m, at: number) => (at === 0 ? '' : m)).replace(endings, '\n');

/** fromField is the text of a field as the file has it. */
export function fromField(content: string, edited: string): string {
  const bom = content.startsWith(mark) ? mark : '';
  const was = content.slice(bom.length);
  const ends = was.match(endings) ?? [];
  const before = was.split(endings);
  const after = edited.split('\n');
  const counts = new Map<string, number>();
  for (const end of ends) counts.set(end, (counts.get(end) ?? 0) + 1);
  const main = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? '\n';
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const endOf = (i: number) => {
    if (i < head) return ends[i];
    const fromEnd = after.length - 1 - i;
    return fromEnd < tail ? ends[before.length - 1 - fromEnd] : undefined;
  };
  return bom + after.map((line, i) => line + (i === after.length - 1 ? '' : (endOf(i) ?? main))).join('');
}
