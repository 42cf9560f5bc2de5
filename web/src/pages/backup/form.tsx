import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import { Archive } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { BackupConfiguration, Database, Site, Storage } from '../../api/types';
import { ButtonLink } from '../../kit/button';
import { Check, Choice, Input, Select, Textarea, useFieldErrors } from '../../kit/field';
import { Form } from '../../kit/form';
import { useMails } from '../../kit/mail';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { schemas, useServerAt } from '../database/at';
import { configurations } from './backups';

const times = Array.from({ length: 48 }, (_, i) => `${String(i >> 1).padStart(2, '0')}:${i % 2 ? '30' : '00'}`);
const days = [t`Sunday`, t`Monday`, t`Tuesday`, t`Wednesday`, t`Thursday`, t`Friday`, t`Saturday`];

/** BackupForm makes a configuration or changes one, once what it chooses from is known. */
export function BackupForm() {
  const { params } = useServerAt();
  const { configuration } = useParams({ strict: false }) as { configuration?: string };
  const here = useRouterState({ select: (s) => s.location.pathname });
  const databases = useList(schemas, params, { query: { sort: 'name' }, all: true });
  const storage = useList('/orgs/{organization}/storage-providers', { organization: params.organization }, { query: { sort: 'name' }, all: true });
  const sites = useList('/orgs/{organization}/servers/{server}/sites', params, { all: true });
  const doc = useGet(`${configurations}/{backupConfiguration}`, { ...params, backupConfiguration: configuration ?? '' }, { enabled: !!configuration });
  const failed = [databases, storage, sites, doc].find((q) => q.error && !q.data);
  if (failed?.error) return <Failed error={failed.error} again={() => void failed.refetch()} />;
  if (databases.isPending || storage.isPending || sites.isPending || (configuration && !doc.data)) return <Waiting />;
  if (storage.rows.length === 0)
    return (
      <Empty
        icon={Archive}
        title={t`Connect storage first`}
        text={t`Backups are stored in an S3-compatible bucket, on an SFTP server or on the server that runs Hostler.`}
        action={
          <ButtonLink
            look="primary"
            does="post /orgs/{organization}/storage-providers"
            to="/orgs/$org/settings/storage"
            params={{ org: params.organization }}
            search={{ next: here }}
            hash="add"
          >
            <Trans>Connect storage</Trans>
          </ButtonLink>
        }
      />
    );
  return <Filled c={doc.data?.data} databases={databases.rows} storage={storage.rows} sites={sites.rows} />;
}

const frequencies = [
  { value: 'hourly', title: t`Every hour` },
  { value: 'daily', title: t`Every day` },
  { value: 'weekly', title: t`Every week` },
  { value: 'custom', title: t`Custom (cron)`, text: t`Five fields, for example 15 3 * * 1-5.` },
] as const;

function Filled({ c, databases, storage, sites }: { c?: BackupConfiguration; databases: Database[]; storage: Storage[]; sites: Site[] }) {
  const { params } = useServerAt();
  const navigate = useNavigate();
  const a = c?.attributes;
  const [name, setName] = useState(a?.name ?? '');
  const [chosen, setChosen] = useState<Set<string>>(new Set(c ? (a?.database_ids ?? []).map(String) : databases.map((d) => d.id)));
  const [fresh, setFresh] = useState(a?.include_new_databases ?? true);
  const { storage: connected } = useSearch({ strict: false }) as { storage?: string | number }; // what was connected on the way, for this form
  const here = useRouterState({ select: (s) => s.location.pathname });
  const [to, setTo] = useState(storage.find((s) => s.id === String(connected))?.id ?? String(a?.storage_provider_id ?? storage[0]!.id));
  const [bucket, setBucket] = useState(a?.bucket ?? '');
  const [directory, setDirectory] = useState(a?.directory ?? '');
  const [frequency, setFrequency] = useState<(typeof frequencies)[number]['value']>((a?.schedule as 'daily') ?? 'daily');
  const [time, setTime] = useState(a?.time ?? '03:00');
  const [day, setDay] = useState(String(a?.day_of_week ?? 0));
  const [cron, setCron] = useState(a?.cron_schedule ?? '');
  const [keep, setKeep] = useState(String(a?.retention ?? 7));
  const mails = useMails();
  const zone = useGet('/orgs/{organization}/timezone', { organization: params.organization }).data?.data.attributes.timezone;
  const [mail, setMail] = useState(a?.notify_email ?? '');
  const [prove, setProve] = useState(String(c?.meta?.backups?.prove_every_days ?? 7));
  const [site, setSite] = useState(String(c?.meta?.backups?.site_id ?? ''));
  const [paths, setPaths] = useState((c?.meta?.backups?.paths ?? []).join('\n'));
  const done = (id: string) =>
    void navigate({ to: '/orgs/$org/servers/$server/backups/$configuration', params: { org: params.organization, server: params.server, configuration: id } });
  const make = useWrite('post', configurations, params, (x) => done(x.data.id));
  const change = useWrite('put', `${configurations}/{backupConfiguration}`, { ...params, backupConfiguration: c?.id ?? '' }, () => done(c!.id));
  const write = c ? change : make;
  const provider = storage.find((s) => s.id === to);
  const body = () => ({
    name: name.trim() || undefined,
    storage_provider_id: Number(to),
    database_ids: [...chosen].map(Number),
    include_new_databases: fresh,
    bucket: bucket.trim() || undefined,
    directory: directory.trim() || undefined,
    frequency,
    time: frequency === 'daily' || frequency === 'weekly' ? (time as '03:00') : undefined,
    day: frequency === 'weekly' ? (day as '0') : undefined,
    cron: frequency === 'custom' ? cron.trim() : undefined,
    retention: Number(keep) || 0,
    notification_email: mail.trim() || undefined,
    prove_every_days: Number(prove) || 0,
    site_id: site ? Number(site) : undefined,
    paths: site
      ? paths
          .split('\n')
          .map((p) => p.trim())
          .filter(Boolean)
      : undefined,
  });
  return (
    <div className="max-w-3xl">
      <Section title={c ? t`Edit ${c.attributes.name}` : t`New backup`}>
        <Form
          write={write}
          submit={c ? t`Save` : t`Create backup`}
          onSubmit={() => (c ? change.submit(body()) : make.submit(body()))}
          call={() => write.call(body())}
        >
          <What databases={databases} chosen={chosen} onChange={setChosen} />
          <Check label={t`Include new databases on this server`} checked={fresh} onChange={(e) => setFresh(e.target.checked)} />
          <div className="grid gap-5 sm:grid-cols-2">
            <Select
              label={t`Storage`}
              name="storage_provider_id"
              value={to}
              onChange={(e) => setTo(e.target.value)}
              options={storage.map((s) => [s.id, s.attributes.name] as const)}
              hint={
                <Link
                  to="/orgs/$org/settings/storage"
                  params={{ org: params.organization }}
                  search={{ next: here }}
                  hash="add"
                  className="font-medium text-accent underline-offset-2 hover:underline"
                >
                  <Trans>Connect other storage</Trans>
                </Link>
              }
            />
            <Input
              label={t`Bucket`}
              name="bucket"
              value={bucket}
              onChange={(e) => setBucket(e.target.value)}
              code
              placeholder={provider?.attributes.bucket ?? t`Bucket name`}
              hint={provider?.attributes.bucket ? t`Optional. Leave blank to use the storage's bucket.` : t`Required: this storage has no default bucket.`}
            />
          </div>
          <Choice legend={t`Frequency`} name="frequency" value={frequency} onChange={setFrequency} options={frequencies} />
          {frequency !== 'hourly' && (
            <div className="grid gap-5 sm:grid-cols-2">
              {frequency === 'weekly' && (
                <Select label={t`Day`} name="day" value={day} onChange={(e) => setDay(e.target.value)} options={days.map((d, i) => [String(i), d] as const)} />
              )}
              {frequency === 'custom' ? (
                <Input label={t`Cron`} name="cron" value={cron} onChange={(e) => setCron(e.target.value)} className="font-mono" placeholder="15 3 * * *" />
              ) : (
                <Select
                  label={t`Time`}
                  name="time"
                  value={time}
                  onChange={(e) => setTime(e.target.value)}
                  options={times.map((t) => [t, t] as const)}
                  hint={zone ? t`In the organization's time zone, ${zone}.` : t`In the organization's time zone.`}
                />
              )}
            </div>
          )}
          <div className="grid gap-5 sm:grid-cols-2">
            <Input
              label={t`Backups to keep`}
              name="retention"
              inputMode="numeric"
              value={keep}
              onChange={(e) => setKeep(e.target.value.replace(/\D/g, ''))}
              hint={t`Older ones are deleted only after newer backups complete.`}
            />
            <Input
              label={t`Test restore every (days)`}
              name="prove_every_days"
              inputMode="numeric"
              value={prove}
              onChange={(e) => setProve(e.target.value.replace(/\D/g, ''))}
              hint={t`Restores the newest backup and compares it with the original. 0 turns this off.`}
            />
          </div>
          <details>
            <summary className="font-medium text-muted">
              <Trans>More options: name, email, site files, directory</Trans>
            </summary>
            <div className="mt-4 grid gap-5">
              <div className="grid gap-5 sm:grid-cols-2">
                <Input label={t`Name`} name="name" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Daily backup`} />
                <Input
                  label={t`Email on failure`}
                  name="notification_email"
                  type="email"
                  value={mail}
                  onChange={(e) => setMail(e.target.value)}
                  hint={mails ? undefined : t`Not sent: no mail server is configured.`}
                />
              </div>
              <Select
                label={t`Site files`}
                name="site_id"
                value={site}
                onChange={(e) => setSite(e.target.value)}
                options={[['', t`None`], ...sites.map((s) => [s.id, s.attributes.name] as const)]}
              />
              {site && (
                <Textarea
                  label={t`Paths`}
                  name="paths"
                  rows={3}
                  spellCheck={false}
                  value={paths}
                  onChange={(e) => setPaths(e.target.value)}
                  className="font-mono"
                  placeholder="storage/app"
                  hint={t`One per line, relative to the site's directory. Leave blank for all files.`}
                />
              )}
              <Input
                label={t`Directory`}
                name="directory"
                spellCheck={false}
                value={directory}
                onChange={(e) => setDirectory(e.target.value)}
                className="font-mono"
              />
            </div>
          </details>
        </Form>
      </Section>
    </div>
  );
}

function What({ databases, chosen, onChange }: { databases: Database[]; chosen: Set<string>; onChange: (v: Set<string>) => void }) {
  const errors = useFieldErrors('database_ids');
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-2 text-base font-medium">
        <Trans>Databases</Trans>
      </legend>
      {errors.length > 0 && (
        <p className="text-sm text-danger" role="alert">
          {errors.join(' ')}
        </p>
      )}
      {databases.length === 0 && (
        <p className="text-muted">
          <Trans>No databases yet.</Trans>
        </p>
      )}
      <div className="grid gap-2 sm:grid-cols-2">
        {databases.map((d) => (
          <Check
            key={d.id}
            label={<span className="font-mono">{d.attributes.name}</span>}
            checked={chosen.has(d.id)}
            onChange={(e) => {
              const next = new Set(chosen);
              if (e.target.checked) next.add(d.id);
              else next.delete(d.id);
              onChange(next);
            }}
          />
        ))}
      </div>
    </fieldset>
  );
}
