import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ListChecks, RefreshCw } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { DNSPlanStep, DNSRecord, Domain } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { dnsProviders } from '../dnsprovider/providers';
import { useAt } from '../site/at';
import { domains } from './domains';

const dns = `${domains}/{domainRecord}/dns` as const;

const titles: Record<string, string> = {
  rfc2136: t`the nameserver`,
  cloudflare: 'Cloudflare',
  desec: 'deSEC',
  digitalocean: 'DigitalOcean',
  gandi: 'Gandi',
  hetzner: 'Hetzner',
};

/** KeptRecords are the DNS records that Hostler keeps for a domain: missing, planned, created, seen from outside. It is nothing without a DNS provider. */
export function KeptRecords({ d }: { d: Domain }) {
  const { org, params } = useAt();
  const [planning, setPlanning] = useState(false);
  const [removing, setRemoving] = useState(false);
  const at = { ...params, domainRecord: d.id };
  const providers = useList(dnsProviders, { organization: org }, { query: { sort: 'name' }, all: true });
  const doc = useGet(dns, at, { every: 5_000 });
  const check = useWrite('post', `${dns}/check`, at, () => void doc.refetch());
  const remove = useWrite('delete', dns, at, () => setRemoving(false));
  const now = doc.data?.data;
  if (!now || (now.attributes.status === 'none' && providers.rows.length === 0)) return null;
  const a = now.attributes;
  const provider = a.provider ? titles[a.provider] : '';
  const operation = now.meta?.operation;
  const none = a.status === 'none';
  return (
    <Section
      title={provider ? t`Records at ${provider}` : t`DNS records`}
      plain
      text={none ? t`Hostler can create the records at a connected DNS provider, and update them when the site moves.` : undefined}
      actions={
        <span className="flex flex-wrap gap-2">
          {!none && (
            <Action write={check} icon={RefreshCw}>
              {t`Check`}
            </Action>
          )}
          {!none && (
            <Button does={remove.operation} onClick={() => setRemoving(true)}>
              <Trans>Remove records</Trans>
            </Button>
          )}
          <Button look={none ? 'primary' : 'plain'} icon={ListChecks} does={`post ${dns}`} onClick={() => setPlanning(true)}>
            <Trans>Plan records</Trans>
          </Button>
        </span>
      }
    >
      {operation && (active(operation) || operation.state === 'failed') && <Work operation={operation} org={org} server={params.server} />}
      {a.problem && <Notice tone="warn">{a.problem}</Notice>}
      {check.error && <Notice tone="bad">{check.error.message}</Notice>}
      {!none && <Kept records={a.records} />}
      {a.checked_at && (
        <p className="text-sm text-muted">
          <Trans>
            Checked <Time at={a.checked_at} ago />
          </Trans>
        </p>
      )}
      {planning && <Plan d={d} kept={a.dns_provider_id} providers={providers.rows.map((p) => [p.id, p.attributes.name])} onClose={() => setPlanning(false)} />}
      {removing && (
        <ConfirmName
          open
          easy
          onClose={() => setRemoving(false)}
          title={t`Remove the DNS records of ${d.attributes.name}?`}
          name={d.attributes.name}
          submit={t`Remove records`}
          what={t`Visitors no longer find the site at this domain. Records that Hostler did not create stay.`}
          removal={{ ...remove, submit: () => remove.submit(), tryOut: () => remove.tryOut() }}
          call={() => remove.call()}
        />
      )}
    </Section>
  );
}

function Kept({ records }: { records: DNSRecord[] }) {
  return (
    <Table
      label={t`Records that Hostler created`}
      rows={records}
      more={undefined}
      id={(r) => `${r.type} ${r.name}`}
      columns={[
        { name: t`Type`, width: '5rem', cell: (r) => <Pill>{r.type}</Pill> },
        { name: t`Name`, width: 'minmax(0,2fr)', cell: (r) => <span className="font-mono text-sm break-all">{r.name}</span> },
        { name: t`Value`, width: 'minmax(0,2fr)', cell: (r) => <span className="font-mono text-sm break-all">{r.value}</span> },
        { name: t`At the provider`, width: '10rem', minor: 'table', cell: (r) => <AtProvider r={r} /> },
        { name: t`From outside`, width: '10rem', cell: (r) => <Outside r={r} /> },
      ]}
    />
  );
}

function AtProvider({ r }: { r: DNSRecord }) {
  const said = {
    unknown: [t`Not checked`, 'idle'],
    made: [t`Created`, 'good'],
    changed: [t`Changed manually`, 'warn'],
    missing: [t`Missing`, 'warn'],
  } as const;
  const [text, tone] = said[r.state];
  return (
    <span title={r.found.join(', ') || undefined}>
      <State state={text} text={text} tone={tone} />
    </span>
  );
}

/** Outside is whether nameservers show the record; what each of them answered is in its title. */
function Outside({ r }: { r: DNSRecord }) {
  const answers = r.sights.map((s) => `${s.server}: ${s.problem || s.values.join(', ') || t`nothing`}`).join('\n');
  const text = r.seen ? t`Seen` : r.sights.length > 0 ? t`Not seen yet` : t`Not checked`;
  return (
    <span title={answers || undefined}>
      <State state={text} text={text} tone={r.seen ? 'good' : 'idle'} />
    </span>
  );
}

const actions: Record<DNSPlanStep['action'], string> = {
  create: t`Create`,
  change: t`Change`,
  delete: t`Delete`,
  keep: t`Keep`,
  leave: t`Leave`,
  refuse: t`In the way`,
};

function Plan({ d, kept, providers, onClose }: { d: Domain; kept: number | null; providers: [string, string][]; onClose: () => void }) {
  const { params } = useAt();
  const at = { ...params, domainRecord: d.id };
  const [chosen, setChosen] = useState('');
  const [replace, setReplace] = useState<string[]>([]);
  const provider = kept ? String(kept) : chosen || (providers[0]?.[0] ?? '');
  const plan = useGet(`${dns}/plan`, at, { query: { dns_provider_id: provider, replace: replace.join(',') }, enabled: !!provider, quiet: true });
  const write = useWrite('post', dns, at, onClose);
  const p = plan.data?.data.attributes;
  const body = () => ({ dns_provider_id: Number(provider), plan: p?.hash ?? '', replace });
  const key = (s: DNSPlanStep) => `${s.type} ${s.name}`;
  const flip = (name: string) => setReplace((all) => (all.includes(name) ? all.filter((n) => n !== name) : [...all, name]));
  return (
    <Dialog open wide onClose={onClose} title={t`DNS records of ${d.attributes.name}`}>
      <Form
        write={write}
        submit={t`Apply plan`}
        onSubmit={() => {
          if (p?.possible) write.submit(body());
          else void plan.refetch();
        }}
        call={() => write.call(body())}
        wide
      >
        {!kept && (
          <div className="max-w-sm">
            <Select
              label={t`DNS provider`}
              name="dns_provider_id"
              value={provider}
              onChange={(e) => {
                setChosen(e.target.value);
                setReplace([]);
              }}
              options={providers}
            />
          </div>
        )}
        {plan.error ? (
          <Failed error={plan.error} again={() => void plan.refetch()} />
        ) : !p ? (
          <Waiting rows={2} />
        ) : (
          <ul className="grid gap-3">
            {p.steps.map((s) => (
              <li key={`${s.action} ${key(s)} ${s.was}`} className="grid gap-1">
                <span className="flex flex-wrap items-center gap-x-2">
                  <Pill>{actions[s.action]}</Pill>
                  <span className="font-mono text-sm break-all">
                    {key(s)} {s.was && s.was !== s.value ? `${s.was} → ${s.value || '–'}` : s.value}
                  </span>
                </span>
                {s.text && <span className="text-sm text-muted">{s.text}</span>}
                {s.named && <Check label={t`Replace ${key(s)}`} checked={replace.includes(key(s))} onChange={() => flip(key(s))} />}
              </li>
            ))}
          </ul>
        )}
        {p && !p.possible && (
          <Notice tone="warn">
            <Trans>Select the records to replace, or change them at the provider.</Trans>
          </Notice>
        )}
      </Form>
    </Dialog>
  );
}
