import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { CalendarClock, Pencil, Plus, ScrollText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Job } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { plain } from '../../kit/output';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { active, Pill, State, soonAny, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { Work } from '../../kit/work';
import { graces } from '../heartbeat/heartbeats';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const ofSite = '/orgs/{organization}/servers/{server}/sites/{site}/scheduled-jobs';
const ofServer = '/orgs/{organization}/servers/{server}/scheduled-jobs';
const nameOf = (j: Job) => j.attributes.name || j.attributes.command;

/** Place is where jobs are: at a site, or at a server, with those of its sites. */
interface Place {
  org: string;
  params: { organization: string; server: string; site?: string };
  many: typeof ofSite;
  one: `${typeof ofSite}/{job}`;
  /** own is the account of the site. */
  own?: string;
}

/** Jobs are commands that cron runs. */
export function Jobs() {
  const { org, site, params } = useAt();
  return <List at={{ org, params, many: ofSite, one: `${ofSite}/{job}`, own: site.attributes.user }} />;
}

export function ServerJobs() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const many = ofServer as typeof ofSite; // the same, without a site
  return <List at={{ org, params: { organization: org, server }, many, one: `${many}/{job}` }} />;
}

function List({ at }: { at: Place }) {
  const { org, params, many } = at;
  const list = useList(many, params, { every: soonAny });
  const [editing, setEditing] = useState<Job | 'new' | null>(null);
  useDeed('add', () => setEditing('new'));
  const [reading, setReading] = useState<Job | null>(null);
  const [removing, setRemoving] = useState<Job | null>(null);
  const operation = (list.rows.find((r) => active(r.meta?.operation)) ?? list.rows.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const add = (
    <Button look="primary" icon={Plus} does={`post ${many}`} onClick={() => setEditing('new')}>
      <Trans>New job</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Scheduled jobs`}
      plain
      text={t`Runs with cron in the server's time zone. The last run's output is kept.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {operation && <Work operation={operation} org={org} server={params.server} line={last} />}
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={CalendarClock}
          title={t`No scheduled jobs`}
          text={
            at.own
              ? t`Run a command every minute, every night or on a cron schedule. Add a heartbeat to be notified when it does not run.`
              : t`Run a command every minute, every night or on a cron schedule.`
          }
          action={add}
        />
      ) : (
        <Table
          label={t`Scheduled jobs`}
          rows={list.rows}
          id={(j) => j.id}
          more={list.more}
          columns={[
            {
              name: t`Job`,
              width: 'minmax(0,3fr)',
              cell: (j) => (
                <span className="grid">
                  <span className="flex min-w-0 items-center gap-2">
                    <span className="truncate font-medium">{nameOf(j)}</span>
                    {j.meta?.job?.integration && (
                      <Pill>
                        <Trans>Integration</Trans>
                      </Pill>
                    )}
                    {j.meta?.job?.heartbeat_id && (
                      <Pill tone="good">
                        <Trans>Heartbeat</Trans>
                      </Pill>
                    )}
                  </span>
                  {j.attributes.name && <span className="truncate font-mono text-sm text-muted">{j.attributes.command}</span>}
                </span>
              ),
            },
            {
              name: t`Schedule`,
              width: '9rem',
              cell: (j) =>
                j.attributes.frequency === 'Custom' ? (
                  <span className="font-mono text-sm">{j.attributes.cron}</span>
                ) : (
                  <span title={j.attributes.cron}>{frequencyWord(j)}</span>
                ),
            },
            ...(at.own
              ? []
              : [
                  {
                    name: t`User`,
                    width: '7rem',
                    minor: true,
                    cell: (j: Job) => <span className="block truncate font-mono text-sm">{j.attributes.user}</span>,
                  },
                ]),
            {
              name: t`Next run`,
              width: '8rem',
              minor: true,
              cell: (j) => (
                <span className="text-muted">
                  <Next at={j.attributes.next_run_time} />
                </span>
              ),
            },
            { name: t`Status`, width: '7rem', cell: (j) => <State state={j.attributes.status} /> },
            {
              name: t`Edit`,
              width: '8rem',
              end: true,
              cell: (j) => (
                <span className="flex">
                  <Button
                    look="quiet"
                    only
                    icon={ScrollText}
                    title={t`Output of the last run`}
                    onClick={() => setReading(j)}
                  >{t`Output of ${nameOf(j)}`}</Button>
                  <Button
                    look="quiet"
                    only
                    icon={Pencil}
                    does={`put ${at.one}`}
                    disabled={!!j.meta?.job?.integration}
                    why={t`Managed by an integration.`}
                    onClick={() => setEditing(j)}
                  >{t`Edit ${nameOf(j)}`}</Button>
                  <Button
                    look="quiet"
                    only
                    icon={Trash2}
                    does={`delete ${at.one}`}
                    disabled={!!j.meta?.job?.integration}
                    why={t`Managed by an integration. Turn off the integration instead.`}
                    onClick={() => setRemoving(j)}
                  >{t`Delete ${nameOf(j)}`}</Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {editing && <Edit at={at} job={editing === 'new' ? null : editing} onClose={() => setEditing(null)} />}
      {reading && <Output at={at} job={reading} onClose={() => setReading(null)} />}
      {removing && <Remove at={at} job={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

/** Next is a time that the API gives as it stands in the log of cron, or none. */
function Next({ at }: { at: string }) {
  const when = at && new Date(/Z|[+-]\d\d:?\d\d$/.test(at) ? at : at.replace(' ', 'T') + 'Z');
  return when && !Number.isNaN(when.getTime()) ? <Time at={when.toISOString()} ago /> : at || t`At boot`;
}

const frequencies = [
  ['minutely', t`Every minute`],
  ['hourly', t`Every hour`],
  ['nightly', t`Every night`],
  ['weekly', t`Every week`],
  ['monthly', t`Every month`],
  ['reboot', t`At boot`],
  ['custom', t`Custom (cron)`],
] as const;

/** frequencyWord is how often a job runs, in the words of its form. */
const frequencyWord = (j: Job) => frequencies.find(([f]) => f === j.attributes.frequency.toLowerCase())?.[1] ?? j.attributes.frequency;

function Edit({ at: { params, many, one, own }, job, onClose }: { at: Place; job: Job | null; onClose: () => void }) {
  const now = job?.attributes;
  const sites = useList('/orgs/{organization}/servers/{server}/sites', params, { all: true, enabled: !own });
  const users = own ? [own, 'forge', 'root'] : ['root', 'forge', ...sites.rows.map((s) => s.attributes.user), ...(job ? [job.attributes.user] : [])];
  const [name, setName] = useState(now?.name ?? '');
  const [command, setCommand] = useState(now?.command ?? '');
  const [user, setUser] = useState(now?.user ?? own ?? 'root');
  const [frequency, setFrequency] = useState<string>(now?.frequency.toLowerCase() ?? 'nightly');
  const [cron, setCron] = useState(now?.cron ?? '');
  const [heartbeat, setHeartbeat] = useState(false);
  const [grace, setGrace] = useState('5');
  const make = useWrite('post', many, params, onClose);
  const change = useWrite('put', one, { ...params, job: job?.id ?? '' }, onClose);
  const custom = frequency === 'custom';
  const beats = !job && !!own && heartbeat && frequency !== 'reboot';
  const values = () => ({
    name: name.trim() || null,
    command: command.trim(),
    user,
    frequency: frequency as 'custom',
    cron: custom ? cron.trim() : undefined,
  });
  const fresh = () => ({ ...values(), heartbeat: beats || undefined, grace_period: beats ? (Number(grace) as 5) : undefined });
  return (
    <Dialog open onClose={onClose} title={job ? t`Edit ${nameOf(job)}` : t`New scheduled job`} wide>
      <Form
        write={job ? change : make}
        submit={job ? t`Save` : t`Create job`}
        onSubmit={() => (job ? change.submit(values()) : make.submit(fresh()))}
        onPlan={() => (job ? change.tryOut(values()) : make.tryOut(fresh()))}
        call={() => (job ? change.call(values()) : make.call(fresh()))}
      >
        <Input
          label={t`Command`}
          name="command"
          autoFocus
          value={command}
          onChange={(e) => setCommand(e.target.value)}
          code
          placeholder="php artisan report:send"
          hint={own ? t`One line, run with bash in the site's directory.` : t`One line, run with bash in the user's home directory.`}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <Select label={t`Schedule`} name="frequency" value={frequency} onChange={(e) => setFrequency(e.target.value)} options={frequencies} />
          {custom && (
            <Input
              label={t`Cron`}
              name="cron"
              value={cron}
              onChange={(e) => setCron(e.target.value)}
              code
              placeholder="15 3 * * 1-5"
              hint={t`Minute, hour, day, month, weekday.`}
            />
          )}
          <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Nightly report`} />
          <Select
            label={t`Runs as`}
            name="user"
            value={user}
            onChange={(e) => setUser(e.target.value)}
            options={[...new Set(users)].map((u) => [u, u === own ? t`${u} (the site's user)` : u] as const)}
          />
        </div>
        {!job && own && frequency !== 'reboot' && (
          <Check
            label={t`Notify me when it doesn't run`}
            hint={t`Creates a heartbeat that the job pings on success.`}
            checked={heartbeat}
            onChange={(e) => setHeartbeat(e.target.checked)}
          />
        )}
        {beats && (
          <div className="max-w-xs">
            <Select label={t`Grace period`} name="grace_period" value={grace} onChange={(e) => setGrace(e.target.value)} options={graces} />
          </div>
        )}
      </Form>
    </Dialog>
  );
}

function Output({ at, job, onClose }: { at: Place; job: Job; onClose: () => void }) {
  const doc = useGet(`${at.one}/output`, { ...at.params, job: job.id }, { quiet: true });
  const text = plain(doc.data?.data.attributes.output ?? '');
  return (
    <Dialog open onClose={onClose} title={t`Last run of ${nameOf(job)}`} text={t`Read from the server.`} wide>
      {doc.isPending ? (
        <Waiting rows={2} />
      ) : doc.error ? (
        <Failed error={doc.error} again={() => void doc.refetch()} />
      ) : text ? (
        <Code text={text} label={t`Output`} wrap />
      ) : (
        <p className="text-muted">
          <Trans>Has not run yet.</Trans>
        </p>
      )}
    </Dialog>
  );
}

function Remove({ at, job, onClose }: { at: Place; job: Job; onClose: () => void }) {
  const write = useWrite('delete', at.one, { ...at.params, job: job.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${nameOf(job)}?`}
      name={nameOf(job)}
      submit={t`Delete job`}
      what={
        <>
          <Trans>It no longer runs, and the output of its last run is deleted.</Trans>
          {job.meta?.job?.heartbeat_id && ' ' + t`Its heartbeat stays. Delete it too, or you'll be notified of missing pings.`}
        </>
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}
