import { expect, test } from 'vitest';
import { lasted } from './state';

test('a duration of the API is written as on other screens', () => {
  const written = ['', '270ms', '1.5s', '49.2s', '1m2.5s', '1h0m3s'].map(lasted);
  expect(written).toEqual(['', '0.3 s', '1.5 s', '49 s', '1 min 3 s', '1 h 0 min']);
});
