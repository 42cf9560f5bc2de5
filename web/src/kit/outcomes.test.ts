import { expect, test } from 'vitest';
import { ApiError } from '../api/client';
import { each, Keys, type Outcome, summary } from './outcomes';

test('each thing has an outcome of its own, and only a few are under way in parallel', async () => {
  const last = new Map<number, Outcome>();
  let now = 0;
  let most = 0;
  const things = Array.from({ length: 11 }, (_, i) => i);
  await each(
    things,
    async (n) => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now--;
      if (n === 3) throw new ApiError(409, 'The server is archived.');
      if (n === 5) throw new ApiError(422, 'Invalid.', { servers: [{ code: 'invalid', text: 'The server is not ready.' }] });
      return `event ${n}`;
    },
    (n, o) => last.set(n, o),
  );
  expect(most).toBe(4);
  expect(last.size).toBe(11);
  expect(last.get(10)).toEqual({ state: 'sent', event: 'event 10' });
  expect(last.get(3)).toEqual({ state: 'refused', text: 'The server is archived.' });
  expect(last.get(5)).toEqual({ state: 'refused', text: 'The server is not ready.' });
});

test('a request keeps its key until it is another one or was accepted', () => {
  const keys = new Keys();
  const first = keys.of('1', 'reboot');
  expect(keys.of('1', 'reboot')).toBe(first);
  expect(keys.of('2', 'reboot')).not.toBe(first);
  const other = keys.of('1', 'deploy');
  expect(other).not.toBe(first);
  keys.done('1');
  expect(keys.of('1', 'deploy')).not.toBe(other);
});

test('a summary counts what became of all', () => {
  expect(summary(['succeeded', 'failed', 'succeeded', 'running', 'refused'])).toBe('2 succeeded, 1 failed, 1 not started, 1 in progress');
  expect(summary([])).toBe('');
});
