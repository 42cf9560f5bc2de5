import { expect, test } from 'vitest';
import { shown } from './undo';

test('what an undo sets is shown as a person reads it', () => {
  expect([null, '', [], {}].map(shown)).toEqual(['None', 'None', 'None', 'None']);
  expect([9100, '/public', true, false].map(shown)).toEqual(['9100', '/public', 'Yes', 'No']);
  expect(shown(['203.0.113.0/24', '2001:db8::/32'])).toBe('203.0.113.0/24, 2001:db8::/32');
  expect(shown({ memory_max: 512, cpu_quota: null, open_files: 1024 })).toBe('Memory max: 512\nOpen files: 1024');
});
