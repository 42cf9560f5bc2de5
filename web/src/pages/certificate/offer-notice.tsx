import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMay } from '../../api/may';
import { useGet, useWrite } from '../../api/query';
import type { Certificate, Domain, DomainRecord } from '../../api/types';
import { Action } from '../../kit/action';
import { Notice } from '../../kit/page';
import { active, soonAny } from '../../kit/state';
import { Work } from '../../kit/work';
import { domains } from '../domain/domains';
import { useLastLine } from '../server/line';
import { serverOf, useAt } from '../site/at';
import { type Pointing, pointing } from './offer';

const overHTTP = { type: 'letsencrypt' as const, letsencrypt: { verification_method: 'http-01' as const, key_type: 'ecdsa' as const } };

/**
 * useDNS is where DNS leads a domain while it has no certificate, and how far the newest certificate is; here is whether DNS led to the server when it was last
 * asked, also while a certificate is requested. Nothing is asked of a domain that has one.
 */
export function useDNS(domain: Domain) {
  const { params } = useAt();
  const at = { ...params, domainRecord: domain.id };
  const a = domain.attributes;
  const may = useMay([
    `get ${domains}/{domainRecord}/configurations`,
    `get ${domains}/{domainRecord}/certificates`,
    `post ${domains}/{domainRecord}/certificates`,
  ]); // asking without the permission would be in the audit log
  const open = may && a.status === 'enabled' && !a.allow_wildcard_subdomains;
  const certificates = useGet(`${domains}/{domainRecord}/certificates`, at, { enabled: open, every: (d: { data: Certificate[] }) => soonAny(d.data) });
  const has = (is: (c: Certificate) => unknown) => !!certificates.data?.data.some(is);
  const uncertified = !!certificates.data && !has((c) => c.meta?.certificate?.expires_at);
  const without = uncertified && !has((c) => active(c.meta?.operation));
  const records = useGet(`${domains}/{domainRecord}/configurations`, at, {
    enabled: open && uncertified,
    every: (d: { data: DomainRecord[] }) => (pointing(d.data)?.here ? 60_000 : 15_000),
  });
  const newest = certificates.data?.data.map((c) => c.meta?.operation).find((o) => active(o) || o?.state === 'failed');
  const dns = open && uncertified && records.data ? pointing(records.data.data) : null;
  return { dns: without ? dns : null, here: !!dns?.here, newest };
}

/**
 * Offer is a certificate for a domain that has none, offered once DNS leads to the server. Until then it says what DNS has, if waits is set. From the click on it
 * shows how far the certificate is; listed is for a page that has it in its list. A domain with all its subdomains is left out: its certificate needs a choice that
 * the dialog has.
 */
export function Offer({ domain, waits, listed }: { domain: Domain; waits?: boolean; listed?: boolean }) {
  const { site, params } = useAt();
  const at = { ...params, domainRecord: domain.id };
  const a = domain.attributes;
  const { dns, newest } = useDNS(domain);
  const last = useLastLine(active(newest) ? newest?.event_id : undefined);
  const write = useWrite('post', `${domains}/{domainRecord}/certificates`, at);
  const begun = write.pending || (write.event && newest?.event_id !== write.event);
  if (newest && active(newest)) return listed ? null : <Work operation={newest} org={params.organization} server={serverOf(site)} line={last} />;
  if (begun)
    return (
      <Notice role="status">
        <Trans>Requesting a certificate for {a.name}. Let's Encrypt checks the domain before it issues one.</Trans>
      </Notice>
    );
  if (!dns) return null;
  if (!dns.here) return waits ? <Stray dns={dns} /> : null;
  return (
    <div className="grid gap-2">
      <Notice role="status" action={<Action write={write} body={overHTTP} look="primary">{t`Get a certificate`}</Action>}>
        <Trans>DNS for {a.name} points to this server. Get a free certificate from Let's Encrypt to serve it over HTTPS.</Trans>
      </Notice>
      {(write.error ?? (!listed && newest)) && (
        <Notice tone="bad" role="alert">
          {write.error?.message ?? newest?.reason}
        </Notice>
      )}
    </div>
  );
}

function Stray({ dns }: { dns: Pointing }) {
  if (dns.missing.length + dns.elsewhere.length === 0) return null;
  return (
    <Notice role="status">
      {dns.elsewhere.map((e) => t`${e.name} points to ${e.found.join(', ')}, not to this server.` + ' ')}
      {dns.missing.length > 0 && t`No address record found for ${dns.missing.join(', ')} yet.` + ' '}
      <Trans>DNS is checked every 15 seconds, and a certificate is offered once it points here.</Trans>
    </Notice>
  );
}
