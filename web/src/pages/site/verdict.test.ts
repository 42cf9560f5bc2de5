import { expect, test } from 'vitest';
import { ofCertificate, ofHeartbeats, ofProcesses, ofResponse } from './verdict';

const of = (key: string, ...values: string[]) => values.map((v) => ({ attributes: { [key]: v } })) as never;

test('processes', () => {
  expect(ofProcesses(of('status'))).toBeNull();
  expect(ofProcesses(of('status', 'running', 'running'))).toEqual(['2 running', 'good']);
  expect(ofProcesses(of('status', 'running', 'stopped'))).toEqual(['1 of 2 running', 'warn']);
  expect(ofProcesses(of('status', 'running', 'backoff', 'fatal'))).toEqual(['2 of 3 failing', 'bad']);
});

test('heartbeats', () => {
  expect(ofHeartbeats(of('status'))).toBeNull();
  expect(ofHeartbeats(of('status', 'beating', 'missing'))).toEqual(['1 of 2 missing', 'bad']);
  expect(ofHeartbeats(of('status', 'beating'))).toEqual(['On time', 'good']);
  expect(ofHeartbeats(of('status', 'beating', 'pending'))).toEqual(['Waiting for first ping', 'idle']);
});

test('responses are those of the monitors that ask this site', () => {
  const monitor = (url: string, state: string) => ({ attributes: { type: 'url', state }, meta: { monitor: { url } } });
  const all = [monitor('https://shop.example.com/up', 'OK'), monitor('https://other.example.com', 'ALERT'), monitor('nonsense', 'ALERT')] as never;
  expect(ofResponse(all, ['shop.example.com'])).toEqual(['Responding', 'good']);
  expect(ofResponse(all, ['other.example.com'])).toEqual(['Failing', 'bad']);
  expect(ofResponse(all, ['none.example.com'])).toBeNull();
});

test('the certificate that ends first counts', () => {
  const now = Date.parse('2026-11-25T00:00:00Z');
  expect(ofCertificate([null], now)).toBeNull();
  expect(ofCertificate(['2027-02-01T00:00:00Z', '2026-12-01T12:00:00Z'], now)).toEqual(['Valid for 6 days', 'warn']);
  expect(ofCertificate(['2026-11-24T00:00:00Z'], now)).toEqual(['Expired', 'bad']);
});
