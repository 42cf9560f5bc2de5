import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { attempt, type Row } from './guess';

interface Named extends Row {
  name: string;
}
const list = '/orgs/main/members';
const key = [list, 'list', {}];
const other = ['/orgs/main/teams', 'list', {}];

function setUp() {
  const cache = new QueryClient();
  const row = (id: string) => ({ id, name: `row ${id}` });
  for (const k of [key, other]) cache.setQueryData(k, { pages: [{ data: [row('1'), row('2')] }, { data: [row('3')] }], pageParams: [] });
  const names = (k = key) => cache.getQueryData<{ pages: { data: Named[] }[] }>(k)!.pages.map((p) => p.data.map((r) => r.name));
  return { cache, names };
}

/** later is an answer that the test gives. */
function later() {
  let answer = (): void => undefined;
  let refuse = (_: Error): void => undefined;
  const promise = new Promise<void>((yes, no) => {
    answer = yes;
    refuse = no;
  });
  return { promise, answer: () => answer(), refuse: (e: Error) => refuse(e) };
}

const renamed = { list, id: '2', to: (r: Row) => ({ ...r, name: 'new' }) };
const before = [['row 1', 'row 2'], ['row 3']];

test('a change is shown before its answer, in its list alone', async () => {
  const { cache, names } = setUp();
  const request = later();
  const done = attempt(cache, renamed, () => {
    expect(names()).toEqual([['row 1', 'new'], ['row 3']]);
    return request.promise;
  });
  request.answer();
  await done;
  expect(names()).toEqual([['row 1', 'new'], ['row 3']]);
  expect(names(other)).toEqual(before);
  expect(cache.getQueryState(key)?.isInvalidated).toBe(false);
});

test('what fails is rolled back and read again, and the error is passed on', async () => {
  for (const guess of [renamed, { list, id: '2' }]) {
    const { cache, names } = setUp();
    const request = later();
    const done = attempt(cache, guess, () => request.promise);
    await Promise.resolve();
    request.refuse(new Error('refused'));
    await expect(done).rejects.toThrow('refused');
    expect(names()).toEqual(before);
    expect(cache.getQueryState(key)?.isInvalidated).toBe(true);
  }
});

test('a failure leaves alone what another change shows', async () => {
  const { cache, names } = setUp();
  const [first, second] = [later(), later()];
  const gone = attempt(cache, { list, id: '1' }, () => first.promise);
  const changed = attempt(cache, renamed, () => second.promise);
  second.answer();
  await changed;
  expect(names()).toEqual([['new'], ['row 3']]);
  first.refuse(new Error('refused'));
  await expect(gone).rejects.toThrow('refused');
  expect(names()).toEqual([['row 1', 'new'], ['row 3']]);
});

test('a change is shown in other lists and in its own document, and rolled back there', async () => {
  const { cache, names } = setUp();
  const page = ['/orgs/main/teams/2', {}];
  const name = () => cache.getQueryData<{ data: Named; included: unknown[] }>(page);
  cache.setQueryData(page, { data: { id: '2', name: 'row 2' }, included: ['more'] });
  const done = attempt(cache, { ...renamed, also: ['/orgs/main/teams', '/orgs/main/teams/2'] }, () => {
    expect(names(other)).toEqual([['row 1', 'new'], ['row 3']]);
    expect(name()).toEqual({ data: { id: '2', name: 'new' }, included: ['more'] });
    return Promise.reject(new Error('refused'));
  });
  await expect(done).rejects.toThrow('refused');
  expect(names(other)).toEqual(before);
  expect(name()?.data.name).toBe('row 2');
});
