import { expect, test } from 'vitest';
import type { DomainRecord } from '../../api/types';
import { dnsState, pointing } from './offer';

const record = (name: string, found: string[], type = 'A', problem: string | null = null) =>
  ({
    id: name,
    attributes: { type, name, value: '203.0.113.10', ttl: 300 },
    meta: { record: { seen: found.includes('203.0.113.10'), found, problem } },
  }) as unknown as DomainRecord;

test('a certificate is offered once every name leads to the server', () => {
  expect(pointing([record('example.org', ['203.0.113.10']), record('www.example.org', ['203.0.113.10'])])?.here).toBe(true);
  expect(pointing([record('example.org', ['203.0.113.10']), record('www.example.org', [])])).toEqual({
    here: false,
    missing: ['www.example.org'],
    elsewhere: [],
  });
  expect(pointing([record('example.org', ['198.51.100.7'])])?.elsewhere).toEqual([{ name: 'example.org', found: ['198.51.100.7'] }]);
});

test('records for other challenges and servers without an address decide nothing', () => {
  expect(pointing([record('example.org', ['203.0.113.10']), record('_acme-challenge.example.org', [], 'CNAME')])?.here).toBe(true);
  expect(pointing([record('_acme-challenge.example.org', [], 'CNAME')])).toBeNull();
  expect(pointing([])).toBeNull();
});

test('a failed query is no answer', () => {
  expect(pointing([record('example.org', [], 'A', "DNS can't be queried: timeout.")])).toEqual({ here: false, missing: [], elsewhere: [] });
  expect(dnsState(record('example.org', [], 'A', "DNS can't be queried: timeout."))).toEqual(['Unknown', 'idle']);
  expect(dnsState(record('example.org', []))).toEqual(['Not found yet', 'idle']);
  expect(dnsState(record('example.org', ['198.51.100.7']))).toEqual(['Points to 198.51.100.7', 'warn']);
  expect(dnsState(record('example.org', ['203.0.113.10']))).toEqual(['Active', 'good']);
});
