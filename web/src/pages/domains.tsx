import { Link, useNavigate } from '@tanstack/react-router';
import { Globe, LockKeyhole, LockKeyholeOpen, Plus } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../api/query';
import type { Certificate, Domain } from '../api/types';
import { Button } from '../kit/button';
import { Dialog } from '../kit/dialog';
import { Check, Input, Select } from '../kit/field';
import { Form } from '../kit/form';
import { Empty, Failed, Section, Waiting } from '../kit/page';
import { Pill, State, soonAny, Time, useNow } from '../kit/state';
import { rowLink, Table } from '../kit/table';
import { useAt } from './site';

export const site = '/orgs/{organization}/servers/{server}/sites/{site}';
export const domains = `${site}/domains` as const;

/** redirects are what is done about www, in words. */
export const redirects = [
  ['none', "Don't redirect"],
  ['from-www', 'Redirect www to the domain'],
  ['to-www', 'Redirect the domain to www'],
] as const;

/** covers says whether a certificate is for a domain: the names in it are the domain's own, and no other's on this site. */
const covers = (c: Certificate, d: Domain) => !!c.meta?.certificate?.names?.includes(d.attributes.name);

export function DomainState({ d }: { d: Domain }) {
  const failed = d.meta?.operation?.state === 'failed';
  return (
    <State state={failed ? 'failed' : d.attributes.status} text={failed ? 'Last change failed' : d.attributes.status === 'enabled' ? 'Enabled' : undefined} />
  );
}

/** Ends says when a certificate ends, and louder the nearer that is. */
export function Ends({ c }: { c: Certificate }) {
  const now = useNow();
  const at = c.meta?.certificate?.expires_at;
  if (!at) return <span className="text-muted">Pending</span>;
  const days = (new Date(at).getTime() - now) / 86_400_000;
  const tone = days < 0 ? 'text-danger' : days < 14 ? 'text-warn' : '';
  return (
    <span className={tone}>
      {days < 0 ? 'expired ' : ''}
      <Time at={at} ago />
    </span>
  );
}

export function Domains() {
  const { params, to } = useAt();
  const [adding, setAdding] = useState(false);
  const list = useList(domains, params, { every: soonAny });
  const certificates = useGet(`${site}/certificates`, params, { every: 15_000 });
  const active = (d: Domain) => certificates.data?.data.find((c) => c.attributes.active && covers(c, d));
  const open = (
    <Button look="primary" icon={Plus} needs="site:meta" onClick={() => setAdding(true)}>
      Add domain
    </Button>
  );
  return (
    <Section title="Domains" plain text="Each domain has its own virtual host and certificates. The site is named after the primary domain." actions={open}>
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Globe} title="No domains" text="Add a domain for the site to respond at." action={open} />
      ) : (
        <Table
          label="Domains"
          rows={list.rows}
          id={(d) => d.id}
          more={list.hasNextPage && !list.isFetching ? () => void list.fetchNextPage() : undefined}
          columns={[
            {
              name: 'Name',
              width: 'minmax(0,3fr)',
              cell: (d) => (
                <span className="flex min-w-0 items-center gap-2">
                  <Link to="/orgs/$org/sites/$site/domains/$domain" params={{ ...to, domain: d.id }} className={rowLink + ' truncate'}>
                    {d.attributes.allow_wildcard_subdomains && '*.'}
                    {d.attributes.name}
                  </Link>
                  {d.attributes.type === 'primary' && <Pill>Primary</Pill>}
                </span>
              ),
            },
            { name: 'Status', width: '10rem', cell: (d) => <DomainState d={d} /> },
            {
              name: 'HTTPS',
              width: '10rem',
              cell: (d) => {
                const c = active(d);
                return c ? (
                  <span className="inline-flex items-center gap-2">
                    <LockKeyhole className="size-4 text-accent" aria-hidden />
                    Expires <Ends c={c} />
                  </span>
                ) : (
                  <span className="inline-flex items-center gap-2 text-muted">
                    <LockKeyholeOpen className="size-4" aria-hidden />
                    No certificate
                  </span>
                );
              },
            },
            {
              name: 'www',
              width: '11rem',
              minor: true,
              cell: (d) => (
                <span className="text-muted">
                  {{ none: 'Not served', 'from-www': 'Redirects to the domain', 'to-www': 'Domain redirects to www' }[d.attributes.www_redirect_type]}
                </span>
              ),
            },
          ]}
        />
      )}
      {adding && <AddDomain onClose={() => setAdding(false)} />}
    </Section>
  );
}

function AddDomain({ onClose }: { onClose: () => void }) {
  const { params, to } = useAt();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [www, setWWW] = useState('none');
  const [wildcard, setWildcard] = useState(false);
  const write = useWrite('post', domains, params, (a) => void navigate({ to: '/orgs/$org/sites/$site/domains/$domain', params: { ...to, domain: a.data.id } }));
  const body = () => ({ name: name.trim(), www_redirect_type: www as 'none', allow_wildcard_subdomains: wildcard });
  return (
    <Dialog open onClose={onClose} title="Add a domain" wide={!!write.plan}>
      <Form
        write={write}
        submit="Add domain"
        needs="site:meta"
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
      >
        <Input
          label="Domain"
          name="name"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={name}
          onChange={(e) => setName(e.target.value)}
          className="font-mono"
          placeholder="www.example.org"
        />
        <Select label="www" name="www_redirect_type" value={www} onChange={(e) => setWWW(e.target.value)} options={redirects} />
        <Check label="Include all subdomains" checked={wildcard} onChange={(e) => setWildcard(e.target.checked)} />
      </Form>
    </Dialog>
  );
}
