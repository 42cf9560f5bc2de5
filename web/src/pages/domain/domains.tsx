import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate } from '@tanstack/react-router';
import { Globe, LockKeyhole, LockKeyholeOpen, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useMay } from '../../api/may';
import { useGet, useList, useWrite } from '../../api/query';
import type { Certificate, Domain } from '../../api/types';
import { Button, ButtonLink } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { Dialog } from '../../kit/dialog';
import { Check, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { Pill, State, soonAny, Time, useNow } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { useAt } from '../site/at';

export const site = '/orgs/{organization}/servers/{server}/sites/{site}';
export const domains = `${site}/domains` as const;

/** redirects are what is done about www, in words. */
export const redirects = [
  ['none', t`Don't redirect`],
  ['from-www', t`Redirect www to the domain`],
  ['to-www', t`Redirect the domain to www`],
] as const;

/** covers says whether a certificate is for a domain: the names in it are the domain's own, and no other's on this site. */
const covers = (c: Certificate, d: Domain) => !!c.meta?.certificate?.names?.includes(d.attributes.name);

export function DomainState({ d }: { d: Domain }) {
  const failed = d.meta?.operation?.state === 'failed';
  return (
    <State state={failed ? 'failed' : d.attributes.status} text={failed ? t`Last change failed` : d.attributes.status === 'enabled' ? t`Enabled` : undefined} />
  );
}

/** Ends says when a certificate ends, and louder the nearer that is, unless it is going to be renewed before: some live for six days. */
export function Ends({ c }: { c: Certificate }) {
  const now = useNow();
  const at = c.meta?.certificate?.expires_at;
  if (!at)
    return (
      <span className="text-muted">
        <Trans>Pending</Trans>
      </span>
    );
  const days = (new Date(at).getTime() - now) / 86_400_000;
  const renewal = c.meta?.certificate?.failure ? undefined : c.meta?.certificate?.renew_at;
  const renewed = !!renewal && new Date(renewal).getTime() > now;
  const tone = days < 0 ? 'text-danger' : days < 14 && !renewed ? 'text-warn' : '';
  return (
    <span className={tone}>
      {days < 0 ? (
        <Trans>
          expired <Time at={at} ago />
        </Trans>
      ) : (
        <Time at={at} ago />
      )}
    </span>
  );
}

export function Domains() {
  const { params, to } = useAt();
  const [adding, setAdding] = useState(false);
  useDeed('add', () => setAdding(true));
  const list = useList(domains, params, { every: soonAny });
  const certificates = useGet(`${site}/certificates`, params, { every: 15_000 });
  const active = (d: Domain) => certificates.data?.data.find((c) => c.attributes.active && covers(c, d));
  const open = (
    <Button look="primary" icon={Plus} does={`post ${domains}`} onClick={() => setAdding(true)}>
      <Trans>Add domain</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Domains`}
      plain
      text={t`Each domain has its own virtual host and certificates. The site is named after the primary domain.`}
      actions={open}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Globe} title={t`No domains`} text={t`Add a domain for the site to respond at.`} action={open} />
      ) : (
        <Table
          label={t`Domains`}
          rows={list.rows}
          id={(d) => d.id}
          more={list.more}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,3fr)',
              cell: (d) => (
                <span className="flex min-w-0 items-center gap-2">
                  <Link to="/orgs/$org/sites/$site/domains/$domain" params={{ ...to, domain: d.id }} className={rowLink + ' truncate'}>
                    {d.attributes.allow_wildcard_subdomains && '*.'}
                    {d.attributes.name}
                  </Link>
                  {d.attributes.type === 'primary' && (
                    <Pill>
                      <Trans>Primary</Trans>
                    </Pill>
                  )}
                </span>
              ),
            },
            { name: t`Status`, width: '10rem', cell: (d) => <DomainState d={d} /> },
            {
              name: 'HTTPS',
              width: '13rem',
              cell: (d) => {
                const c = active(d);
                return c ? (
                  <span className="inline-flex items-center gap-2">
                    <LockKeyhole className="size-4 text-accent" aria-hidden />
                    <Trans>Expires</Trans> <Ends c={c} />
                  </span>
                ) : (
                  <span className="inline-flex items-center gap-2 text-muted">
                    <LockKeyholeOpen className="size-4" aria-hidden />
                    <Trans>No certificate</Trans>
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
                  {{ none: t`Not served`, 'from-www': t`Redirects to the domain`, 'to-www': t`Domain redirects to www` }[d.attributes.www_redirect_type]}
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
  const certifies = useMay(`post ${domains}/{domainRecord}/certificates`);
  const [name, setName] = useState('');
  const [www, setWWW] = useState('none');
  const [wildcard, setWildcard] = useState(false);
  const [certify, setCertify] = useState(true);
  const [added, setAdded] = useState('');
  const at = (domain: string) => ({ to: '/orgs/$org/sites/$site/domains/$domain', params: { ...to, domain } }) as const;
  const certificate = useWrite('post', `${domains}/{domainRecord}/certificates`, params, () => void navigate(at(added)));
  const write = useWrite('post', domains, params, (a) => (certify && certifies && !wildcard ? setAdded(a.data.id) : void navigate(at(a.data.id))));
  // the authority asks the domain, which has to respond by then
  const domain = useGet(`${domains}/{domainRecord}`, { ...params, domainRecord: added }, { enabled: !!added, every: 500 }).data?.data;
  const served = domain?.attributes.status === 'enabled';
  const stuck = domain?.meta?.operation?.state === 'failed';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the domain is served or is not going to be
  useEffect(() => {
    if (served) certificate.submit({ type: 'letsencrypt', letsencrypt: { verification_method: 'http-01', key_type: 'ecdsa' } }, { domainRecord: added });
    else if (stuck) void navigate(at(added));
  }, [served, stuck]);
  const body = () => ({ name: name.trim(), www_redirect_type: www as 'none', allow_wildcard_subdomains: wildcard });
  if (certificate.error)
    return (
      <Dialog open onClose={onClose} title={t`Domain added`}>
        <Notice
          tone="bad"
          role="alert"
          action={
            <ButtonLink {...at(added)}>
              <Trans>View domain</Trans>
            </ButtonLink>
          }
        >
          <Trans>The certificate could not be requested: {certificate.error.message}</Trans>
        </Notice>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={t`Add a domain`} wide={!!write.plan}>
      <Form
        write={{ ...write, pending: write.pending || !!added }}
        submit={t`Add domain`}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
      >
        <Input label={t`Domain`} name="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} code placeholder="www.example.org" />
        <Select label="www" name="www_redirect_type" value={www} onChange={(e) => setWWW(e.target.value)} options={redirects} />
        <Check label={t`Include all subdomains`} checked={wildcard} onChange={(e) => setWildcard(e.target.checked)} />
        {certifies && !wildcard && (
          <Check
            label={t`Turn on HTTPS`}
            hint={t`Requests a certificate from Let's Encrypt. The domain's DNS must already point to this server.`}
            checked={certify}
            onChange={(e) => setCertify(e.target.checked)}
          />
        )}
      </Form>
    </Dialog>
  );
}
