import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { useWrite } from '../../api/query';
import type { Process } from '../../api/types';
import { Dialog } from '../../kit/dialog';
import { Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { useAt } from '../site/at';

export const processes = '/orgs/{organization}/servers/{server}/background-processes';

const signals = ['TERM', 'INT', 'QUIT', 'HUP', 'KILL', 'USR1', 'USR2'].map((s) => [s, s] as const);

/** ProcessForm makes a background process of the site, or changes one. */
export function ProcessForm({ process: p, onClose }: { process: Process | null; onClose: () => void }) {
  const { site, params } = useAt();
  const m = p?.meta?.process;
  const own = site.attributes.user;
  const [name, setName] = useState(m?.name ?? '');
  const [command, setCommand] = useState(p?.attributes.command ?? '');
  const [user, setUser] = useState(p?.attributes.user ?? own);
  const [directory, setDirectory] = useState(p?.attributes.directory ?? '');
  const [count, setCount] = useState(String(p?.attributes.processes ?? 1));
  const [start, setStart] = useState(String(m?.startsecs ?? 1));
  const [stop, setStop] = useState(String(m?.stopwaitsecs ?? 10));
  const [signal, setSignal] = useState(m?.stopsignal ?? 'TERM');
  const make = useWrite('post', processes, { organization: params.organization, server: params.server }, onClose);
  const change = useWrite(
    'put',
    `${processes}/{backgroundProcess}`,
    { organization: params.organization, server: params.server, backgroundProcess: p?.id ?? '' },
    onClose,
  );
  const write = p ? change : make;
  const body = () => ({
    name: name.trim() || command.trim().split(/\s+/).slice(0, 3).join(' '),
    command: command.trim(),
    user,
    directory: directory.trim() || undefined,
    processes: Number(count),
    site_id: Number(params.site),
    startsecs: Number(start),
    stopwaitsecs: Number(stop),
    stopsignal: signal,
  });
  const changed = () => ({
    name: name.trim(),
    config: Object.entries({
      command: command.trim(),
      ...(directory.trim() && { directory: directory.trim() }),
      numprocs: count,
      startsecs: start,
      stopwaitsecs: stop,
      stopsignal: signal,
    })
      .map(([k, v]) => `${k}=${v.replaceAll(/[\r\n]+/g, ' ')}`)
      .join('\n'),
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={p ? (m?.name ? t`Edit ${m.name}` : t`Edit process`) : t`New background process`}
      text={p ? t`The process restarts.` : undefined}
      wide
    >
      <Form
        write={write}
        submit={p ? t`Save` : t`Create process`}
        onSubmit={() => (p ? change.submit(changed()) : make.submit(body()))}
        onPlan={() => (p ? change.tryOut(changed()) : make.tryOut(body()))}
        call={() => (p ? change.call(changed()) : make.call(body()))}
      >
        <Input
          label={t`Command`}
          name="command"
          autoFocus={!p}
          value={command}
          onChange={(e) => setCommand(e.target.value)}
          code
          placeholder="php artisan queue:work"
          hint={t`One line, run with bash.`}
        />
        <div className="grid gap-5 sm:grid-cols-2">
          <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} placeholder={t`Queue`} />
          {!p && (
            <Select
              label={t`Runs as`}
              name="user"
              value={user}
              onChange={(e) => setUser(e.target.value)}
              options={[...new Set([own, 'forge', 'root'])].map((u) => [u, u === own ? t`${u} (the site's user)` : u] as const)}
            />
          )}
          <Input
            label={t`Instances`}
            name={p ? 'numprocs' : 'processes'}
            type="number"
            min={1}
            max={100}
            inputMode="numeric"
            value={count}
            onChange={(e) => setCount(e.target.value)}
            hint={t`Number of processes to run.`}
          />
          <Input label={t`Directory`} name="directory" value={directory} onChange={(e) => setDirectory(e.target.value)} code placeholder={t`Site directory`} />
          <Input
            label={t`Startup time (s)`}
            name="startsecs"
            type="number"
            min={0}
            inputMode="numeric"
            value={start}
            onChange={(e) => setStart(e.target.value)}
          />
          <Input
            label={t`Stop timeout (s)`}
            name="stopwaitsecs"
            type="number"
            min={0}
            inputMode="numeric"
            value={stop}
            onChange={(e) => setStop(e.target.value)}
            hint={t`The process is killed after this time.`}
          />
          <Select label={t`Stop signal`} name="stopsignal" value={signal} onChange={(e) => setSignal(e.target.value)} options={signals} />
        </div>
      </Form>
    </Dialog>
  );
}
