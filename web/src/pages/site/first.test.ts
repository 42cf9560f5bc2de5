import { expect, test } from 'vitest';
import { factsOf, type Known, stepsOf } from './first';

const fresh: Known = {
  url: 'git@git.example.com:team/app.git',
  key: 'ssh-ed25519 AAAA',
  check: null,
  status: 'installed',
  statuses: [],
  here: false,
  https: false,
};
const looks = (k: Partial<Known>) =>
  stepsOf(factsOf({ ...fresh, ...k }))
    .map((s) => s.look)
    .join(' ');

test('a step is ticked only by what is recorded', () => {
  expect(looks({})).toBe('now open open open open');
  expect(looks({ check: 'pending' })).toBe('now open open open open');
  expect(looks({ check: 'failed', statuses: ['failed'] })).toBe('now open open open open');
  expect(looks({ check: 'passed' })).toBe('done done now open open');
  expect(looks({ check: 'passed', statuses: ['deploying'] })).toBe('done done now open open');
  expect(looks({ statuses: ['failed', 'finished'] })).toBe('done done done now open');
});

test('a repository without a key is checked next', () => {
  expect(looks({ url: 'https://git.example.com/team/app.git', key: null })).toBe('done now open open open');
  // a key that is not read yet is not one that is not needed
  expect(looks({ url: 'https://git.example.com/team/app.git', key: undefined })).toBe('now open open open open');
});

test('what is done out of order is ticked, and the first of the rest is next', () => {
  expect(looks({ here: true })).toBe('now open open done open');
  expect(looks({ https: true, check: 'passed' })).toBe('done done now done done');
  expect(looks({ status: 'deployed', here: true, https: true })).toBe('done done done done done');
});
