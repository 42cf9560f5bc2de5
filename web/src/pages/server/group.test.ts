import { expect, test } from 'vitest';
import type { Server } from '../../api/types';
import { grouped, tagsOf } from './group';

const server = (id: string, tags?: string[]) => ({ id, meta: { tags } }) as Server;

test('a server with several tags is in each group, and one without in the last', () => {
  const rows = [server('1', ['web', 'eu']), server('2'), server('3', ['eu'])];
  const groups = grouped(rows, (s) => s.meta?.tags ?? [], 'No tag');
  expect(groups.map(([name, all]) => [name, all.map((s) => s.id)])).toEqual([
    ['eu', ['1', '3']],
    ['web', ['1']],
    ['No tag', ['2']],
  ]);
  expect(grouped([], () => [], 'No tag')).toEqual([]);
});

test('the tags to filter by include the one that is filtered by', () => {
  const rows = [server('1', ['web', 'eu']), server('2'), server('3', ['eu'])];
  expect(tagsOf(rows)).toEqual(['eu', 'web']);
  expect(tagsOf(rows, 'gone')).toEqual(['eu', 'gone', 'web']);
});
