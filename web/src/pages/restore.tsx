import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, ArrowRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useGet, useList, useWrite } from '../api/query';
import { Button } from '../kit/button';
import { CopyAs, flags } from '../kit/copy';
import { Choice, FieldErrors, Input, Select } from '../kit/field';
import { Failed, Notice, Section, Waiting } from '../kit/page';
import { Time } from '../kit/state';
import { bytes } from '../kit/words';
import { instances, when } from './backup';
import { create } from './backups';
import { schemas, useServerAt } from './databases';
import { EventWork } from './event-work';

const steps = ['Contents', 'Destination', 'Review', 'Restore'] as const;

/** Restore leads through a restore, one question at a time. Nothing is touched before the last step. */
export function Restore() {
  const { configuration, backup } = useParams({ from: '/orgs/$org/servers/$server/backups/$configuration/$backup/restore' });
  const { org, server, params } = useServerAt();
  const at = { ...params, backupConfiguration: configuration, backup };
  const doc = useGet(`${instances}/{backup}`, at);
  const databases = useList(schemas, params, { size: 200 });
  const servers = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' } });
  const sites = useList('/orgs/{organization}/servers/{server}/sites', params, { size: 200 });
  const [step, setStep] = useState(0);
  const [what, setWhat] = useState('');
  const [where, setWhere] = useState<'new' | 'over' | 'other'>('new');
  const [name, setName] = useState('');
  const [other, setOther] = useState('');
  const [files, setFiles] = useState('');
  const [typed, setTyped] = useState('');
  const write = useWrite('post', `${instances}/{backup}/restores`, at, () => setStep(3));
  const box = useRef<HTMLDivElement>(null);
  const seen = useRef(step);
  useEffect(() => {
    if (seen.current !== step) box.current?.focus(); // the button that led here is gone: whoever uses keys goes on with the step
    seen.current = step;
  }, [step]);
  const b = doc.data?.data;
  if (!b) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const objects = b.meta?.backup?.objects ?? [];
  const stored = objects.filter((o) => o.kind === 'database' && o.status === 'stored' && o.database_id !== null);
  const chosen = stored.find((o) => String(o.database_id) === what) ?? stored[0];
  const holdsFiles = objects.some((o) => o.kind === 'files' && o.status === 'stored');
  if (!chosen) return <Notice tone="bad">This backup contains no database to restore.</Notice>;
  const still = databases.rows.some((d) => d.id === String(chosen.database_id));
  const fit = servers.rows.filter(
    (s) =>
      s.id !== server.id &&
      s.attributes.database_type &&
      /postgres/.test(s.attributes.database_type) === /postgres/.test(server.attributes.database_type ?? ''),
  );
  const over = where === 'over';
  const target = over ? chosen.name : name.trim() || `${chosen.name}_restored`;
  const on = where === 'other' ? fit.find((s) => s.id === (other || fit[0]?.id)) : undefined;
  const body = () => ({
    database_id: chosen.database_id!,
    name: over ? undefined : target,
    server_id: on ? Number(on.id) : undefined,
    site_id: files ? Number(files) : undefined,
  });
  const errors = Object.entries(write.fields);
  const ready = !over || typed === chosen.name;
  return (
    <div className="grid max-w-3xl gap-6">
      <div>
        <p className="text-sm text-muted">
          <Link
            to="/orgs/$org/servers/$server/backups/$configuration"
            params={{ org, server: params.server, configuration }}
            className="hover:text-text hover:underline"
          >
            Back to backups
          </Link>
        </p>
        <h2 className="text-xl font-semibold">
          Restore backup from <Time at={when(b)} />
        </h2>
      </div>
      <ol aria-label="Steps" className="flex flex-wrap gap-x-6 gap-y-2">
        {steps.map((s, i) => (
          <li key={s} aria-current={i === step ? 'step' : undefined} className={`flex items-center gap-2 ${i === step ? 'font-medium' : 'text-muted'}`}>
            <span aria-hidden className={`grid size-6 place-items-center rounded-full text-sm ${i <= step ? 'bg-strong text-white' : 'bg-sunken'}`}>
              {i + 1}
            </span>
            {s}
            {i < step && <span className="sr-only">, done</span>}
          </li>
        ))}
      </ol>
      <div ref={box} tabIndex={-1} role="group" aria-label={steps[step]} className="outline-none">
        <FieldErrors value={{ fields: write.fields, claim: () => undefined }}>
          {step === 0 && (
            <Section title="What do you want to restore?">
              <div className="grid gap-5">
                <Choice
                  legend="Database"
                  name="database_id"
                  value={String(chosen.database_id)}
                  onChange={setWhat}
                  options={stored.map((o) => ({ value: String(o.database_id), title: o.name, text: bytes(o.size) }))}
                />
                {holdsFiles && (
                  <Select
                    label="Files"
                    name="site_id"
                    value={files}
                    onChange={(e) => setFiles(e.target.value)}
                    options={[['', "Don't restore files"], ...sites.rows.map((s) => [s.id, `Restore to ${s.attributes.name}`] as const)]}
                  />
                )}
                {!b.meta?.backup?.last_proven_restore && (
                  <Notice tone="warn">This backup has not been verified. Hostler reads it completely before changing anything.</Notice>
                )}
                <Next onClick={() => setStep(1)} />
              </div>
            </Section>
          )}
          {step === 1 && (
            <Section title="Destination">
              <div className="grid gap-5">
                <Choice
                  legend="Restore"
                  name="where"
                  value={where}
                  onChange={setWhere}
                  options={[
                    {
                      value: 'new',
                      title: 'To a new database',
                      text: 'Creates a database on this server. Existing data is not changed.',
                    },
                    ...(still
                      ? [
                          {
                            value: 'over' as const,
                            title: 'Replace the existing database',
                            text: 'The current data is backed up first, then replaced.',
                          },
                        ]
                      : []),
                    ...(fit.length > 0
                      ? [{ value: 'other' as const, title: 'To another server', text: 'Creates a database on a server with the same engine.' }]
                      : []),
                  ]}
                />
                {where === 'other' && (
                  <Select
                    label="Server"
                    name="server_id"
                    value={other || fit[0]?.id}
                    onChange={(e) => setOther(e.target.value)}
                    options={fit.map((s) => [s.id, s.attributes.name] as const)}
                  />
                )}
                {!over && (
                  <Input
                    label="New database name"
                    name="name"
                    autoComplete="off"
                    spellCheck={false}
                    value={name}
                    onChange={(e) => setName(e.target.value)}
                    placeholder={`${chosen.name}_restored`}
                    className="font-mono"
                  />
                )}
                <Next onClick={() => setStep(2)} back={() => setStep(0)} />
              </div>
            </Section>
          )}
          {step === 2 && (
            <Section title="What will happen">
              <div className="grid gap-5">
                <ol className="grid list-decimal gap-2 pl-5">
                  <li>The backup is downloaded, decrypted and checked. If the key, size or checksum is wrong, the restore stops here.</li>
                  {over ? (
                    <>
                      <li>
                        A new backup of <span className="font-mono">{chosen.name}</span> is stored in the same bucket.
                      </li>
                      <li>
                        <span className="font-mono">{chosen.name}</span> is replaced. Everything written to it since <Time at={when(b)} /> is lost.
                      </li>
                    </>
                  ) : (
                    <>
                      <li>
                        The database <span className="font-mono">{target}</span> is created on {on?.attributes.name ?? server.attributes.name}.
                      </li>
                      <li>
                        The data is restored. <span className="font-mono">{chosen.name}</span> is not changed.
                      </li>
                    </>
                  )}
                  {files && <li>The files are restored to {sites.rows.find((s) => s.id === files)?.attributes.name}.</li>}
                </ol>
                {over && (
                  <Input
                    label={`Type ${chosen.name} to confirm`}
                    name="confirm"
                    value={typed}
                    onChange={(e) => setTyped(e.target.value)}
                    autoComplete="off"
                    spellCheck={false}
                  />
                )}
                {write.error && (
                  <Notice tone="bad" role="alert">
                    {errors.length > 0 ? (
                      <ul>
                        {errors.map(([field, texts]) => (
                          <li key={field}>{texts.join(' ')}</li>
                        ))}
                      </ul>
                    ) : (
                      write.error.message
                    )}
                  </Notice>
                )}
                <div className="flex flex-wrap items-center gap-2">
                  <Button
                    icon={ArrowLeft}
                    onClick={() => {
                      write.reset();
                      setStep(1);
                    }}
                  >
                    Back
                  </Button>
                  <Button
                    look={over ? 'danger' : 'primary'}
                    needs={create}
                    pending={write.pending}
                    disabled={!ready}
                    why={`Type ${chosen.name} first.`}
                    onClick={() => write.submit(body())}
                  >
                    {over ? 'Replace' : 'Restore'}
                  </Button>
                  <span className="ml-auto">
                    <CopyAs
                      call={() => write.call(body())}
                      cli={() =>
                        `hostler backups restore ${params.server} ${configuration} ${backup} --database ${chosen.database_id}${flags({ as: over ? '' : target, on: on?.id, site: files })}`
                      }
                    />
                  </span>
                </div>
              </div>
            </Section>
          )}
          {step === 3 && write.event && (
            <div className="grid gap-4">
              <EventWork
                org={org}
                server={on?.id ?? params.server}
                event={write.event}
                done={`Restored to ${target}${on ? ` on ${on.attributes.name}` : ''}.`}
              />
              <p className="text-muted">You can leave this page. The restore continues and is listed under Events.</p>
              <div>
                <Link
                  to="/orgs/$org/servers/$server/databases"
                  params={{ org, server: on?.id ?? params.server }}
                  className="font-medium text-accent underline-offset-2 hover:underline"
                >
                  Go to databases
                </Link>
              </div>
            </div>
          )}
        </FieldErrors>
      </div>
    </div>
  );
}

function Next({ onClick, back }: { onClick: () => void; back?: () => void }) {
  return (
    <div className="flex gap-2">
      {back && (
        <Button icon={ArrowLeft} onClick={back}>
          Back
        </Button>
      )}
      <Button look="primary" icon={ArrowRight} onClick={onClick}>
        Next
      </Button>
    </div>
  );
}
