import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { FileCode } from 'lucide-react';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import type { Domain, DomainRecord } from '../../api/types';
import { Button, ButtonLink } from '../../kit/button';
import { CopyButton } from '../../kit/copy';
import { ConfirmName } from '../../kit/dialog';
import { Check, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soon } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { Certificates } from '../certificate/certificates';
import { dnsState } from '../certificate/offer';
import { Offer } from '../certificate/offer-notice';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';
import { DomainState, domains, redirects } from './domains';
import { KeptRecords } from './records';

/** DomainPage is one domain: what it needs in DNS, its certificates, its policies. */
export function DomainPage() {
  const { domain } = useParams({ from: '/orgs/$org/sites/$site/domains/$domain' });
  const { org, params, to } = useAt();
  const doc = useGet(`${domains}/{domainRecord}`, { ...params, domainRecord: domain }, { every: soon });
  const d = doc.data?.data;
  const operation = d?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  if (!d) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return (
    <div className="grid gap-8">
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0">
          <p className="text-sm text-muted">
            <Link to="/orgs/$org/sites/$site/domains" params={to} className="hover:text-text hover:underline">
              <Trans>All domains</Trans>
            </Link>
          </p>
          <h2 className="flex flex-wrap items-center gap-x-3 text-xl font-semibold [overflow-wrap:anywhere]">
            {d.attributes.name}
            {d.attributes.type === 'primary' && (
              <Pill>
                <Trans>Primary</Trans>
              </Pill>
            )}
            <span className="text-base font-normal">
              <DomainState d={d} />
            </span>
          </h2>
        </div>
        <span className="ml-auto flex gap-2">
          <ButtonLink icon={FileCode} to="/orgs/$org/sites/$site/nginx" params={to} search={{ domain: d.id }}>
            <Trans>Nginx configuration</Trans>
          </ButtonLink>
        </span>
      </header>
      {operation && (active(operation) || operation.state === 'failed') && <Work operation={operation} org={org} server={params.server} line={last} />}
      <Offer domain={d} waits listed />
      <Records d={d} />
      <KeptRecords d={d} />
      <Certificates domain={d} />
      <Policies key={d.attributes.www_redirect_type + d.attributes.allow_wildcard_subdomains} d={d} />
      <Actions d={d} />
    </div>
  );
}

function Records({ d }: { d: Domain }) {
  const { params } = useAt();
  const list = useGet(`${domains}/{domainRecord}/configurations`, { ...params, domainRecord: d.id });
  const rows = list.data?.data ?? [];
  return (
    <Section title={t`DNS`} plain text={t`Add these records at your DNS provider.`}>
      {list.error && !list.data ? (
        <Failed error={list.error} />
      ) : list.isPending ? (
        <Waiting rows={2} />
      ) : rows.length === 0 ? (
        <p className="text-muted">
          <Trans>The server has no known public address, so there are no records to add.</Trans>
        </p>
      ) : (
        <Table
          label={t`DNS records`}
          rows={rows}
          more={undefined}
          id={(r) => r.id}
          columns={[
            { name: t`Type`, width: '5rem', cell: (r) => <Pill>{r.attributes.type}</Pill> },
            { name: t`Name`, width: 'minmax(0,2fr)', cell: (r) => <span className="font-mono text-sm break-all">{r.attributes.name}</span> },
            { name: t`Value`, width: 'minmax(0,2fr)', cell: (r) => <span className="font-mono text-sm break-all">{r.attributes.value}</span> },
            { name: t`In DNS`, width: '11rem', cell: (r) => <InDNS r={r} /> },
            {
              name: t`Copy`,
              width: '2.5rem',
              end: true,
              cell: (r) => <CopyButton text={r.attributes.value} label={t`Copy the value of ${r.attributes.type} ${r.attributes.name}`} />,
            },
          ]}
        />
      )}
    </Section>
  );
}

/** InDNS is whether DNS has a record now; the reason why that is unknown is in its title. */
function InDNS({ r }: { r: DomainRecord }) {
  const [text, tone] = dnsState(r);
  return (
    <span title={r.meta?.record?.problem ?? undefined}>
      <State state={text} text={text} tone={tone} />
    </span>
  );
}

function Policies({ d }: { d: Domain }) {
  const { params } = useAt();
  const [www, setWWW] = useState<string>(d.attributes.www_redirect_type);
  const [wildcard, setWildcard] = useState(d.attributes.allow_wildcard_subdomains);
  const write = useWrite('patch', `${domains}/{domainRecord}`, { ...params, domainRecord: d.id });
  const body = () => ({ www_redirect_type: www as 'none', allow_wildcard_subdomains: wildcard });
  return (
    <Section title={t`Names`}>
      <Form write={write} submit={t`Save`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
        <div className="max-w-sm">
          <Select label="www" name="www_redirect_type" value={www} onChange={(e) => setWWW(e.target.value)} options={redirects} />
        </div>
        <Check label={t`Include all subdomains`} name="allow_wildcard_subdomains" checked={wildcard} onChange={(e) => setWildcard(e.target.checked)} />
      </Form>
    </Section>
  );
}

type Action = 'enable' | 'disable' | 'mark-as-primary';
const said: Record<Action, { title: string; submit: string; what: string }> = {
  enable: { title: t`Enable this domain?`, submit: t`Enable domain`, what: t`The site responds at this domain again.` },
  disable: {
    title: t`Disable this domain?`,
    submit: t`Disable domain`,
    what: t`The site stops responding at this domain. Its certificates and settings are kept.`,
  },
  'mark-as-primary': {
    title: t`Set as primary domain?`,
    submit: t`Set as primary`,
    what: t`The site takes this domain's name. The site's directory keeps its name.`,
  },
};

function Actions({ d }: { d: Domain }) {
  const { params, to } = useAt();
  const navigate = useNavigate();
  const at = { ...params, domainRecord: d.id };
  const [asked, setAsked] = useState<Action | null>(null);
  const [removing, setRemoving] = useState(false);
  const act = useWrite('post', `${domains}/{domainRecord}/actions`, at, () => setAsked(null));
  const remove = useWrite('delete', `${domains}/{domainRecord}`, at, () => void navigate({ to: '/orgs/$org/sites/$site/domains', params: to }));
  const primary = d.attributes.type === 'primary';
  const off = d.attributes.status === 'disabled';
  const name = d.attributes.name;
  return (
    <Section title={t`Danger zone`}>
      <div className="grid gap-4">
        <div className="flex flex-wrap gap-2">
          {!primary && (
            <Button does={act.operation} onClick={() => setAsked('mark-as-primary')}>
              <Trans>Set as primary</Trans>
            </Button>
          )}
          {off ? (
            <Button does={act.operation} onClick={() => setAsked('enable')}>
              <Trans>Enable</Trans>
            </Button>
          ) : (
            <Button does={act.operation} onClick={() => setAsked('disable')}>
              <Trans>Disable domain</Trans>
            </Button>
          )}
          <Button
            look="danger"
            does={remove.operation}
            disabled={primary}
            why={t`The primary domain can't be deleted. Set another domain as primary first.`}
            onClick={() => setRemoving(true)}
          >
            <Trans>Delete domain</Trans>
          </Button>
        </div>
        {primary && (
          <Notice>
            <Trans>The primary domain is deleted with the site.</Trans>
          </Notice>
        )}
      </div>
      {asked && (
        <ConfirmName
          open
          easy
          onClose={() => setAsked(null)}
          title={said[asked].title}
          name={name}
          submit={said[asked].submit}
          what={said[asked].what}
          removal={{ ...act, submit: () => act.submit({ action: asked }), tryOut: () => act.tryOut({ action: asked }) }}
          call={() => act.call({ action: asked })}
        />
      )}
      {removing && (
        <ConfirmName
          open
          onClose={() => setRemoving(false)}
          title={t`Delete ${name}?`}
          name={name}
          submit={t`Delete domain`}
          what={t`The site stops responding at this domain. Its certificates are deleted, and so are the DNS records that Hostler created for it.`}
          removal={{ ...remove, submit: () => remove.submit(), tryOut: () => remove.tryOut() }}
          call={() => remove.call()}
        />
      )}
    </Section>
  );
}
