// What DNS says about a domain that has no certificate yet.
import { t } from '@lingui/core/macro';
import type { DomainRecord } from '../../api/types';

export interface Pointing {
  /** here is that every name of the domain leads to the server, so that a certificate can be issued over HTTP. */
  here: boolean;
  /** missing are the names that have no address yet; elsewhere are those that lead to another one. */
  missing: string[];
  elsewhere: { name: string; found: string[] }[];
}

/** pointing is where the addresses of a domain lead; null where the server has no known address. */
export function pointing(records: DomainRecord[]): Pointing | null {
  const addresses = records.filter((r) => r.attributes.type === 'A');
  if (addresses.length === 0) return null;
  const stray = addresses.filter((r) => !r.meta?.record?.seen);
  return {
    here: stray.length === 0,
    missing: stray.filter((r) => !r.meta?.record?.found.length && !r.meta?.record?.problem).map((r) => r.attributes.name),
    elsewhere: stray.filter((r) => r.meta?.record?.found.length).map((r) => ({ name: r.attributes.name, found: r.meta!.record!.found })),
  };
}

/** dnsState is what DNS has instead of a record, in a word or two. */
export function dnsState(r: DomainRecord): [text: string, tone: 'good' | 'warn' | 'idle'] {
  const record = r.meta?.record;
  if (!record || record.problem) return [t`Unknown`, 'idle'];
  if (record.seen) return [t`Active`, 'good'];
  return record.found.length > 0 ? [t`Points to ${record.found.join(', ')}`, 'warn'] : [t`Not found yet`, 'idle'];
}
