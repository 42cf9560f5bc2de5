import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { FileText, LockKeyhole, Plus } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Certificate, Domain } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Choice, Input, Select, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soonAny } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { dnsProviders } from '../dnsprovider/providers';
import { domains, Ends, site } from '../domain/domains';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const many = `${domains}/{domainRecord}/certificates` as const;
const kinds: Record<string, string> = { letsencrypt: "Let's Encrypt", existing: t`Imported`, csr: 'CSR', clone: t`Cloned` };

/** Certificates are those of a domain; the active one is served. */
export function Certificates({ domain }: { domain: Domain }) {
  const { org, params } = useAt();
  const at = { ...params, domainRecord: domain.id };
  const list = useGet(many, at, { every: (d: { data: Certificate[] }) => soonAny(d.data) });
  const rows = list.data?.data ?? [];
  const [making, setMaking] = useState(false);
  const [flipping, setFlipping] = useState<Certificate | null>(null);
  const [removing, setRemoving] = useState<Certificate | null>(null);
  const [signing, setSigning] = useState<Certificate | null>(null);
  const busy = rows.find((c) => active(c.meta?.operation))?.meta?.operation;
  const last = useLastLine(busy?.event_id);
  const failures = rows.filter((c) => c.meta?.certificate?.failure && !active(c.meta.operation));
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setMaking(true)}>
      <Trans>Request certificate</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Certificates`}
      plain
      text={t`HTTP redirects to HTTPS once a certificate is active. Let's Encrypt certificates renew automatically.`}
      actions={rows.length > 0 ? add : undefined}
    >
      {busy && <Work operation={busy} org={org} server={params.server} line={last} />}
      {failures.map((c) => (
        <Notice key={c.id} tone="bad" role="alert">
          {c.attributes.active ? (
            <Trans>The last renewal failed. The previous certificate is still served: {c.meta!.certificate!.failure}</Trans>
          ) : (
            <Trans>The certificate could not be issued: {c.meta!.certificate!.failure}</Trans>
          )}
        </Notice>
      ))}
      {list.isPending ? (
        <Waiting rows={2} />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : rows.length === 0 ? (
        <Empty
          icon={LockKeyhole}
          title={t`No certificates yet`}
          text={t`Once DNS points here, a certificate takes about a minute to issue and renews automatically.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Certificates`}
          rows={rows}
          more={undefined}
          id={(c) => c.id}
          columns={[
            {
              name: t`Type`,
              width: 'minmax(0,1.4fr)',
              cell: (c) => (
                <span className="grid">
                  <span className="flex items-center gap-2 font-medium">
                    {kinds[c.attributes.type] ?? c.attributes.type}
                    {c.attributes.active && (
                      <Pill tone="good">
                        <Trans>Active</Trans>
                      </Pill>
                    )}
                  </span>
                  <span className="truncate text-sm text-muted" title={c.meta?.certificate?.names?.join(', ')}>
                    {c.meta?.certificate?.names?.join(', ')}
                  </span>
                </span>
              ),
            },
            {
              name: t`Status`,
              width: '9rem',
              cell: (c) => (
                <State
                  state={c.attributes.status}
                  text={c.attributes.type === 'csr' && c.meta?.certificate?.csr && !c.meta.certificate.expires_at ? t`Awaiting signature` : undefined}
                />
              ),
            },
            { name: t`Expires`, width: '8rem', minor: 'table', named: true, cell: (c) => <Ends c={c} /> },
            {
              name: t`Edit`,
              width: '15rem',
              end: true,
              cell: (c) => (
                <span className="flex gap-1">
                  {c.meta?.certificate?.csr && !c.meta.certificate.expires_at && (
                    <Button look="quiet" icon={FileText} onClick={() => setSigning(c)}>
                      <Trans>CSR</Trans>
                    </Button>
                  )}
                  {c.meta?.certificate?.expires_at && (
                    <Button look="quiet" does={`post ${many}/{certificate}/actions`} onClick={() => setFlipping(c)}>
                      {c.attributes.active ? t`Deactivate` : t`Activate`}
                    </Button>
                  )}
                  <Button look="remove" does={`delete ${many}/{certificate}`} onClick={() => setRemoving(c)}>
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {making && <Make domain={domain} onClose={() => setMaking(false)} />}
      {flipping && <Flip domain={domain} c={flipping} onClose={() => setFlipping(null)} />}
      {removing && <Remove domain={domain} c={removing} onClose={() => setRemoving(null)} />}
      {signing && <Sign domain={domain} c={signing} onClose={() => setSigning(null)} />}
    </Section>
  );
}

const choices = [
  { value: 'letsencrypt', title: "Let's Encrypt", text: t`Free, issued in about a minute, renewed automatically.` },
  { value: 'existing', title: t`Existing certificate`, text: t`A certificate chain and its private key, in PEM format.` },
  { value: 'csr', title: t`Certificate signing request`, text: t`Hostler generates the key; your certificate authority signs the request.` },
  { value: 'clone', title: t`Clone`, text: t`Reuse the certificate of another domain of this site.` },
] as const;

function Make({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const { org, params } = useAt();
  const [type, setType] = useState<(typeof choices)[number]['value']>('letsencrypt');
  const [key, setKey] = useState('');
  const [chain, setChain] = useState('');
  const [kind, setKind] = useState('ecdsa');
  const [from, setFrom] = useState('');
  const [proof, setProof] = useState('');
  const [subject, setSubject] = useState({ domain: domain.attributes.name, organization: '', department: '', city: '', state: '', country: '' });
  // for all subdomains at once no question over HTTP is enough
  const wildcard = domain.attributes.allow_wildcard_subdomains;
  const dns = useList(dnsProviders, { organization: org }, { query: { sort: 'name' }, enabled: type === 'letsencrypt', all: true });
  const proven = proof || (wildcard ? (dns.rows[0]?.id ?? 'dns') : 'http');
  const others = useGet(`${site}/certificates`, params, { enabled: type === 'clone' });
  const write = useWrite('post', many, { ...params, domainRecord: domain.id }, onClose);
  const rows = others.data?.data.filter((c) => c.meta?.certificate?.expires_at) ?? [];
  const body = () => ({
    type,
    letsencrypt:
      type === 'letsencrypt'
        ? {
            verification_method: proven === 'http' ? ('http-01' as const) : ('dns-01' as const),
            dns_provider_id: Number(proven) || undefined,
            key_type: kind as 'ecdsa',
          }
        : undefined,
    existing: type === 'existing' ? { key, certificate: chain } : undefined,
    csr: type === 'csr' ? subject : undefined,
    clone: type === 'clone' ? { certificate_id: Number(from || rows[0]?.id) || undefined } : undefined,
  });
  const set = (name: keyof typeof subject) => (e: React.ChangeEvent<HTMLInputElement>) => setSubject({ ...subject, [name]: e.target.value });
  return (
    <Dialog open onClose={onClose} title={t`Certificate for ${domain.attributes.name}`} wide>
      <Form
        write={write}
        submit={type === 'csr' ? t`Create request` : type === 'letsencrypt' ? t`Request certificate` : t`Install certificate`}
        onSubmit={() => write.submit(body())}
        call={() => write.call({ ...body(), ...(type === 'existing' && { existing: { key: '…', certificate: chain } }) })}
      >
        <Choice legend={t`Source`} name="type" value={type} onChange={setType} options={choices} />
        {type === 'letsencrypt' && (
          <div className="grid gap-5 sm:grid-cols-2">
            <Select
              label={t`Domain validation`}
              name="letsencrypt.verification_method"
              value={proven}
              onChange={(e) => setProof(e.target.value)}
              options={[
                ...(wildcard ? [] : [['http', t`HTTP challenge`] as const]),
                ...dns.rows.map((p) => [p.id, t`DNS challenge with ${p.attributes.name}`] as const),
                ['dns', t`DNS challenge with a CNAME record`] as const,
              ]}
              hint={
                proven === 'http' ? (
                  t`The domain's DNS must already point to this server.`
                ) : dns.rows.length === 0 ? (
                  <Link to="/orgs/$org/settings/dns" params={{ org }} className="text-accent underline-offset-2 hover:underline">
                    <Trans>Connect a DNS provider</Trans>
                  </Link>
                ) : (
                  t`A temporary record is created.`
                )
              }
            />
            <Select
              label={t`Key`}
              name="letsencrypt.key_type"
              value={kind}
              onChange={(e) => setKind(e.target.value)}
              options={[
                ['ecdsa', t`ECDSA (smaller and faster)`],
                ['rsa', t`RSA (for very old browsers)`],
              ]}
            />
          </div>
        )}
        {type === 'existing' && (
          <>
            <Textarea
              label={t`Certificate and intermediates`}
              name="existing.certificate"
              rows={6}
              spellCheck={false}
              value={chain}
              onChange={(e) => setChain(e.target.value)}
              className="font-mono"
              placeholder="-----BEGIN CERTIFICATE-----"
            />
            <Textarea
              label={t`Private key`}
              name="existing.key"
              rows={6}
              value={key}
              onChange={(e) => setKey(e.target.value)}
              code
              placeholder="-----BEGIN PRIVATE KEY-----"
              hint={t`Stored encrypted, readable on the server only by the web server, and never shown again.`}
            />
          </>
        )}
        {type === 'csr' && (
          <div className="grid gap-5 sm:grid-cols-2">
            <Input label={t`Domain`} name="csr.domain" value={subject.domain} onChange={set('domain')} className="font-mono" />
            <Input label={t`Organization`} name="csr.organization" value={subject.organization} onChange={set('organization')} />
            <Input label={t`Department`} name="csr.department" value={subject.department} onChange={set('department')} />
            <Input label={t`City`} name="csr.city" value={subject.city} onChange={set('city')} />
            <Input label={t`State or province`} name="csr.state" value={subject.state} onChange={set('state')} />
            <Input label={t`Country`} name="csr.country" value={subject.country} onChange={set('country')} placeholder="DE" hint={t`Two-letter code.`} />
          </div>
        )}
        {type === 'clone' &&
          (rows.length === 0 ? (
            <p className="text-muted">{others.isPending ? t`Loading` : t`This site has no other certificate to clone.`}</p>
          ) : (
            <Select
              label={t`Certificate`}
              name="clone.certificate_id"
              value={from || rows[0]!.id}
              onChange={(e) => setFrom(e.target.value)}
              options={rows.map((c) => [c.id, `${c.meta?.certificate?.names?.join(', ')} (${kinds[c.attributes.type]})`] as const)}
            />
          ))}
      </Form>
    </Dialog>
  );
}

function Flip({ domain, c, onClose }: { domain: Domain; c: Certificate; onClose: () => void }) {
  const { params } = useAt();
  const write = useWrite('post', `${many}/{certificate}/actions`, { ...params, domainRecord: domain.id, certificate: c.id }, onClose);
  const body = { action: c.attributes.active ? ('disable' as const) : ('enable' as const) };
  return (
    <ConfirmName
      open
      easy
      onClose={onClose}
      title={c.attributes.active ? t`Deactivate this certificate?` : t`Activate this certificate?`}
      name={domain.attributes.name}
      submit={c.attributes.active ? t`Deactivate` : t`Activate`}
      what={
        c.attributes.active
          ? t`The domain is served over HTTP only. Browsers that enforce HTTPS for it (HSTS) will refuse to connect.`
          : t`Replaces the active certificate. HTTP redirects to HTTPS.`
      }
      removal={{ ...write, submit: () => write.submit(body), tryOut: () => write.tryOut(body) }}
      call={() => write.call(body)}
    />
  );
}

function Remove({ domain, c, onClose }: { domain: Domain; c: Certificate; onClose: () => void }) {
  const { params } = useAt();
  const write = useWrite('delete', `${many}/{certificate}`, { ...params, domainRecord: domain.id, certificate: c.id }, onClose);
  return (
    <ConfirmName
      open
      easy={!c.attributes.active}
      onClose={onClose}
      title={t`Delete this certificate?`}
      name={domain.attributes.name}
      submit={t`Delete certificate`}
      what={
        c.attributes.active
          ? t`${domain.attributes.name} is served over HTTP only. Browsers that enforce HTTPS for it (HSTS) will refuse to connect.`
          : t`It is not active. Its private key is permanently deleted.`
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}

function Sign({ domain, c, onClose }: { domain: Domain; c: Certificate; onClose: () => void }) {
  const { params } = useAt();
  const [chain, setChain] = useState('');
  const write = useWrite('put', `${many}/{certificate}`, { ...params, domainRecord: domain.id, certificate: c.id }, onClose);
  return (
    <Dialog open onClose={onClose} title={t`Complete the signing request`} wide>
      <div className="grid gap-5">
        <div className="grid gap-1.5">
          <p className="font-medium">
            <Trans>1. Submit this request to your certificate authority</Trans>
          </p>
          <Code text={c.meta?.certificate?.csr ?? ''} label={t`Certificate request`} />
        </div>
        <Form
          write={write}
          submit={t`Install certificate`}
          onSubmit={() => write.submit({ certificate: chain })}
          call={() => write.call({ certificate: chain })}
        >
          <Textarea
            label={t`2. Paste the signed certificate and its intermediates`}
            name="certificate"
            rows={7}
            spellCheck={false}
            value={chain}
            onChange={(e) => setChain(e.target.value)}
            className="font-mono"
            placeholder="-----BEGIN CERTIFICATE-----"
          />
        </Form>
      </div>
    </Dialog>
  );
}
