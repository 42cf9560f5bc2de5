import { useParams } from '@tanstack/react-router';
import { CalendarClock, Plus, ScrollText, Trash2 } from 'lucide-react';
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
const makes = 'server:create-schedulers';
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
  const [adding, setAdding] = useState(false);
  useDeed('add', () => setAdding(true));
  const [reading, setReading] = useState<Job | null>(null);
  const [removing, setRemoving] = useState<Job | null>(null);
  const operation = (list.rows.find((r) => active(r.meta?.operation)) ?? list.rows.find((r) => r.meta?.operation?.state === 'failed'))?.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const add = (
    <Button look="primary" icon={Plus} needs={makes} onClick={() => setAdding(true)}>
      New job
    </Button>
  );
  return (
    <Section
      title="Scheduled jobs"
      plain
      text="Runs with cron in the server's time zone. The last run's output is kept."
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
          title="No scheduled jobs"
          text={`Run a command every minute, every night or on a cron schedule.${at.own ? ' Add a heartbeat to be notified when it does not run.' : ''}`}
          action={add}
        />
      ) : (
        <Table
          label="Scheduled jobs"
          rows={list.rows}
          id={(j) => j.id}
          more={list.more}
          columns={[
            {
              name: 'Job',
              width: 'minmax(0,3fr)',
              cell: (j) => (
                <span className="grid">
                  <span className="flex min-w-0 items-center gap-2">
                    <span className="truncate font-medium">{nameOf(j)}</span>
                    {j.meta?.job?.integration && <Pill>Integration</Pill>}
                    {j.meta?.job?.heartbeat_id && <Pill tone="good">Heartbeat</Pill>}
                  </span>
                  {j.attributes.name && <span className="truncate font-mono text-sm text-muted">{j.attributes.command}</span>}
                </span>
              ),
            },
            {
              name: 'Schedule',
              width: '9rem',
              cell: (j) =>
                j.attributes.frequency === 'Custom' ? (
                  <span className="font-mono text-sm">{j.attributes.cron}</span>
                ) : (
                  <span title={j.attributes.cron}>{j.attributes.frequency}</span>
                ),
            },
            ...(at.own
              ? []
              : [
                  { name: 'User', width: '7rem', minor: true, cell: (j: Job) => <span className="block truncate font-mono text-sm">{j.attributes.user}</span> },
                ]),
            {
              name: 'Next run',
              width: '8rem',
              minor: true,
              cell: (j) => (
                <span className="text-muted">
                  <Next at={j.attributes.next_run_time} />
                </span>
              ),
            },
            { name: 'Status', width: '7rem', cell: (j) => <State state={j.attributes.status} /> },
            {
              name: 'Output',
              width: '5.5rem',
              end: true,
              cell: (j) => (
                <span className="flex">
                  <Button look="quiet" only icon={ScrollText} title="Output of the last run" onClick={() => setReading(j)}>{`Output of ${nameOf(j)}`}</Button>
                  <Button
                    look="quiet"
                    only
                    icon={Trash2}
                    needs="server:delete-schedulers"
                    disabled={!!j.meta?.job?.integration}
                    why="Managed by an integration. Turn off the integration instead."
                    onClick={() => setRemoving(j)}
                  >{`Delete ${nameOf(j)}`}</Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {adding && <Add at={at} onClose={() => setAdding(false)} />}
      {reading && <Output at={at} job={reading} onClose={() => setReading(null)} />}
      {removing && <Remove at={at} job={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

/** Next is a time that the API gives as it stands in the log of cron, or none. */
function Next({ at }: { at: string }) {
  const when = at && new Date(/Z|[+-]\d\d:?\d\d$/.test(at) ? at : at.replace(' ', 'T') + 'Z');
  return when && !Number.isNaN(when.getTime()) ? <Time at={when.toISOString()} ago /> : at || 'At boot';
}

const frequencies = [
  ['minutely', 'Every minute'],
  ['hourly', 'Every hour'],
  ['nightly', 'Every night'],
  ['weekly', 'Every week'],
  ['monthly', 'Every month'],
  ['reboot', 'At boot'],
  ['custom', 'Custom (cron)'],
] as const;

function Add({ at: { params, many, own }, onClose }: { at: Place; onClose: () => void }) {
  const sites = useList('/orgs/{organization}/servers/{server}/sites', params, { all: true, enabled: !own });
  const users = own ? [own, 'forge', 'root'] : ['root', 'forge', ...sites.rows.map((s) => s.attributes.user)];
  const [name, setName] = useState('');
  const [command, setCommand] = useState('');
  const [user, setUser] = useState(own ?? 'root');
  const [frequency, setFrequency] = useState<string>('nightly');
  const [cron, setCron] = useState('');
  const [heartbeat, setHeartbeat] = useState(false);
  const [grace, setGrace] = useState('5');
  const write = useWrite('post', many, params, onClose);
  const custom = frequency === 'custom';
  const beats = !!own && heartbeat && frequency !== 'reboot';
  const body = () => ({
    name: name.trim() || null,
    command: command.trim(),
    user,
    frequency: frequency as 'custom',
    cron: custom ? cron.trim() : undefined,
    heartbeat: beats || undefined,
    grace_period: beats ? (Number(grace) as 5) : undefined,
  });
  return (
    <Dialog open onClose={onClose} title="New scheduled job" wide>
      <Form
        write={write}
        submit="Create job"
        needs={makes}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
      >
        <Input
          label="Command"
          name="command"
          autoFocus
          autoComplete="off"
          spellCheck={false}
          value={command}
          onChange={(e) => setCommand(e.target.value)}
          className="font-mono"
          placeholder="php artisan report:send"
          hint={`One line, run with bash in ${own ? "the site's directory" : "the user's home directory"}.`}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <Select label="Schedule" name="frequency" value={frequency} onChange={(e) => setFrequency(e.target.value)} options={frequencies} />
          {custom && (
            <Input
              label="Cron"
              name="cron"
              autoComplete="off"
              spellCheck={false}
              value={cron}
              onChange={(e) => setCron(e.target.value)}
              className="font-mono"
              placeholder="15 3 * * 1-5"
              hint="Minute, hour, day, month, weekday."
            />
          )}
          <Input label="Name" name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder="Nightly report" />
          <Select
            label="Runs as"
            name="user"
            value={user}
            onChange={(e) => setUser(e.target.value)}
            options={[...new Set(users)].map((u) => [u, u === own ? `${u} (the site's user)` : u] as const)}
          />
        </div>
        {own && frequency !== 'reboot' && (
          <Check
            label="Notify me when it doesn't run"
            hint="Creates a heartbeat that the job pings on success."
            checked={heartbeat}
            onChange={(e) => setHeartbeat(e.target.checked)}
          />
        )}
        {beats && (
          <div className="max-w-xs">
            <Select label="Grace period" name="grace_period" value={grace} onChange={(e) => setGrace(e.target.value)} options={graces} />
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
    <Dialog open onClose={onClose} title={`Last run of ${nameOf(job)}`} text="Read from the server." wide>
      {doc.isPending ? (
        <Waiting rows={2} />
      ) : doc.error ? (
        <Failed error={doc.error} again={() => void doc.refetch()} />
      ) : text ? (
        <Code text={text} label="Output" wrap />
      ) : (
        <p className="text-muted">Has not run yet.</p>
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
      title={`Delete ${nameOf(job)}?`}
      name={nameOf(job)}
      submit="Delete job"
      what={
        <>
          It no longer runs, and the output of its last run is deleted.
          {job.meta?.job?.heartbeat_id && " Its heartbeat stays. Delete it too, or you'll be notified of missing pings."}
        </>
      }
      removal={{ ...write, submit: () => write.submit(), tryOut: () => write.tryOut() }}
      call={() => write.call()}
    />
  );
}
