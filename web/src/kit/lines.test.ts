import { expect, test } from 'vitest';
import { sides, unified } from './lines';

test('lines that replace others stand beside them', () => {
  const rows = sides(unified('a\nb\nc\nd\n', 'a\nB\nC\nC2\nd\n'));
  expect(rows.map((r) => [r.head ?? r.left?.text, r.right?.text])).toEqual([
    ['@@ line 1 @@', undefined],
    ['a', 'a'],
    ['b', 'B'],
    ['c', 'C'],
    [undefined, 'C2'],
    ['d', 'd'],
  ]);
});

test('a new file is at the right alone, and the names of files are left out', () => {
  const rows = sides('--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+one\n+--- two\n');
  expect(rows.map((r) => r.head ?? [r.left, r.right?.text])).toEqual(['@@ -0,0 +1,2 @@', [null, 'one'], [null, '--- two']]);
});
