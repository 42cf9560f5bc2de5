import { t } from '@lingui/core/macro';
import { useParams } from '@tanstack/react-router';
import { Network } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { DNSProvider } from '../../api/types';
import { Connections } from '../../kit/connections';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';

export const dnsProviders = '/orgs/{organization}/dns-providers';
const one = `${dnsProviders}/{dnsProvider}` as const;

type Kind = DNSProvider['attributes']['provider'];
const kinds: readonly [Kind, string][] = [
  ['cloudflare', 'Cloudflare'],
  ['desec', 'deSEC'],
  ['digitalocean', 'DigitalOcean'],
  ['gandi', 'Gandi'],
  ['hetzner', 'Hetzner'],
  ['rfc2136', t`Your own nameserver (RFC 2136)`],
];
const algorithms = [
  ['hmac-sha256', 'HMAC-SHA256'],
  ['hmac-sha384', 'HMAC-SHA384'],
  ['hmac-sha512', 'HMAC-SHA512'],
] as const;

/** DNSProviders are where the records of domains are: certificates for all subdomains are proven there. */
export function DNSProviders() {
  const { org } = useParams({ from: '/orgs/$org' });
  return (
    <Connections
      title={t`DNS providers`}
      text={t`Used for DNS challenges: wildcard certificates, and certificates before a domain points to its server.`}
      add={t`Connect a provider`}
      does={{ add: `post ${dnsProviders}`, edit: `put ${one}`, remove: `delete ${one}` }}
      list={useList(dnsProviders, { organization: org }, { query: { sort: 'name' } })}
      empty={{ icon: Network, title: t`No providers yet`, text: t`Connect your DNS provider to issue and renew certificates such as *.example.com.` }}
      columns={[
        {
          name: t`Provider`,
          width: 'minmax(0,2fr)',
          cell: (p) => (
            <span className="block truncate">
              {p.attributes.nameserver ? (
                <span className="font-mono text-sm">{p.attributes.nameserver}</span>
              ) : (
                kinds.find(([k]) => k === p.attributes.provider)?.[1]
              )}
            </span>
          ),
        },
      ]}
      used={t`Used to renew certificates.`}
      edit={(p, close) => <Edit org={org} p={p} onClose={close} />}
      remove={(p, close) => <Remove org={org} p={p} onClose={close} />}
    />
  );
}

function Edit({ org, p, onClose }: { org: string; p: DNSProvider | null; onClose: () => void }) {
  const a = p?.attributes;
  const [kind, setKind] = useState<Kind>(a?.provider ?? 'cloudflare');
  const [name, setName] = useState(a?.name ?? '');
  const [server, setServer] = useState(a?.nameserver ?? '');
  const [key, setKey] = useState(a?.key ?? '');
  const [algorithm, setAlgorithm] = useState(a?.algorithm ?? 'hmac-sha256');
  const [secret, setSecret] = useState('');
  const make = useWrite('post', dnsProviders, { organization: org }, onClose);
  const change = useWrite('put', one, { organization: org, dnsProvider: p?.id ?? '' }, onClose);
  const write = p ? change : make;
  const own = kind === 'rfc2136';
  const where = own ? { nameserver: server.trim(), key: key.trim(), algorithm: algorithm as 'hmac-sha256' } : {};
  const body = () => ({ name: name.trim(), provider: kind, secret: secret.trim(), ...where });
  const changed = () => ({ name: name.trim(), secret: secret.trim() || undefined, ...where });
  return (
    <Dialog open onClose={onClose} title={p ? t`Edit ${p.attributes.name}` : t`Connect a provider`}>
      <Form
        write={write}
        submit={p ? t`Save` : t`Connect`}
        onSubmit={() => (p ? change.submit(changed()) : make.submit(body()))}
        call={() => (p ? change.call({ ...changed(), secret: secret ? '…' : undefined }) : make.call({ ...body(), secret: '…' }))}
      >
        {!p && <Select label={t`Provider`} name="provider" value={kind} onChange={(e) => setKind(e.target.value as Kind)} options={kinds} />}
        <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Our domains`} />
        {own && (
          <>
            <Input
              label={t`Nameserver`}
              name="nameserver"
              value={server}
              onChange={(e) => setServer(e.target.value)}
              code
              placeholder="ns1.example.com"
              hint={t`The primary nameserver, with a port if it is not 53.`}
            />
            <div className="grid gap-5 sm:grid-cols-2">
              <Input label={t`Key`} name="key" value={key} onChange={(e) => setKey(e.target.value)} code placeholder="hostler" />
              <Select
                label={t`Algorithm`}
                name="algorithm"
                value={algorithm}
                onChange={(e) => setAlgorithm(e.target.value as 'hmac-sha256')}
                options={algorithms}
              />
            </div>
          </>
        )}
        <Input
          label={own ? t`TSIG secret` : t`API token`}
          name="secret"
          type="password"
          autoComplete="new-password"
          value={secret}
          onChange={(e) => setSecret(e.target.value)}
          className="font-mono"
          placeholder={p ? t`Unchanged` : undefined}
          hint={
            own
              ? t`Base64-encoded. Stored encrypted and never shown again.`
              : t`Needs permission to edit DNS records only. Stored encrypted and never shown again.`
          }
        />
      </Form>
    </Dialog>
  );
}

function Remove({ org, p, onClose }: { org: string; p: DNSProvider; onClose: () => void }) {
  const write = useWrite('delete', one, { organization: org, dnsProvider: p.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${p.attributes.name}?`}
      name={p.attributes.name}
      submit={t`Delete provider`}
      what={t`Hostler deletes the token. DNS records are not affected.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}
