import { expect, test } from 'vitest';
import { added, changedTags, grouped, tagsOf } from './group';

const row = (id: string, tags?: string[]) => ({ id, meta: { tags } });
const rows = [row('1', ['web', 'eu']), row('2'), row('3', ['eu'])];

test('a row with several tags is in each group, and one without in the last', () => {
  const groups = grouped(rows, (s) => s.meta.tags ?? [], 'No tag');
  expect(groups.map(([name, all]) => [name, all.map((s) => s.id)])).toEqual([
    ['eu', ['1', '3']],
    ['web', ['1']],
    ['No tag', ['2']],
  ]);
  expect(grouped([], () => [], 'No tag')).toEqual([]);
});

test('the tags to filter by include those that were seen before and the one that is filtered by', () => {
  expect(tagsOf(rows)).toEqual(['eu', 'web']);
  expect(tagsOf(rows, ['gone', 'eu', ''])).toEqual(['eu', 'gone', 'web']);
});

test('a text is split into tags at commas and lines, without blanks and duplicates', () => {
  expect(added(['eu'], ' web, eu ,,\nstaging ')).toEqual(['eu', 'web', 'staging']);
  expect(added(['a, b'], 'c')).toEqual(['a, b', 'c']);
  expect(added([], ' , ')).toEqual([]);
});

test('tags in another order are not changed', () => {
  expect(changedTags(['b', 'a'], ['a', 'b'])).toBeUndefined();
  expect(changedTags(['a', 'b', 'c'], ['a', 'b'])).toEqual(['a', 'b', 'c']);
  expect(changedTags([], ['a'])).toEqual([]);
});
