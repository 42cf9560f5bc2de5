import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../api/query';
import { shell } from '../kit/copy';
import { Check, Choice, Input, Select } from '../kit/field';
import { Form } from '../kit/form';
import { Page } from '../kit/page';
import { version } from '../kit/words';
import { keepLine } from './server-line';

const kinds = [
  { value: 'app', title: 'App server', text: 'nginx, PHP, a database and a cache on one server.' },
  { value: 'web', title: 'Web server', text: 'nginx and PHP, for sites with a separate database server.' },
  { value: 'loadbalancer', title: 'Load balancer', text: 'nginx, distributing requests to your web servers.' },
  { value: 'database', title: 'Database server', text: 'MariaDB or PostgreSQL.' },
  { value: 'cache', title: 'Cache server', text: 'Redis and Memcached.' },
  { value: 'worker', title: 'Worker', text: 'PHP for background processing, without nginx.' },
] as const;
type Kind = (typeof kinds)[number]['value'];

export function NewServer() {
  const { org } = useParams({ from: '/orgs/$org' });
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [type, setType] = useState<Kind>('web');
  const [ip, setIP] = useState('');
  const [port, setPort] = useState('22');
  const [nat, setNat] = useState(false);
  const [natPort, setNatPort] = useState('');
  const [privateIP, setPrivateIP] = useState('');
  const [database, setDatabase] = useState('mariadb1011');
  const [team, setTeam] = useState('');
  const teams = useList('/orgs/{organization}/teams', { organization: org });
  const me = useGet('/orgs/{organization}', { organization: org });
  const write = useWrite('post', '/orgs/{organization}/servers', { organization: org }, (a) => {
    if (a.data.meta?.bootstrap) keepLine(a.data.id, a.data.meta.bootstrap);
    void navigate({ to: '/orgs/$org/servers/$server', params: { org, server: a.data.id } });
  });
  const withDatabase = type === 'app' || type === 'database';
  const body = () => ({
    name: name.trim(),
    provider: 'custom',
    type,
    database_type: withDatabase && database ? (database as 'mariadb1011') : undefined,
    team_id: team ? Number(team) : undefined,
    custom: {
      ip_address: ip.trim() || undefined,
      private_ip_address: privateIP.trim() || undefined,
      ssh_port: Number(port) || undefined,
      behind_nat: nat || undefined,
      nat_ssh_port: nat && natPort ? Number(natPort) : undefined,
    },
  });
  return (
    <Page title="Add server" narrow sub="Any machine with a fresh Debian 12 or 13, or Ubuntu 22.04, 24.04 or 26.04, and root access.">
      <div className="panel p-6">
        <Form
          write={write}
          submit="Add server"
          needs="server:create"
          onSubmit={() => write.submit(body())}
          call={() => write.call(body())}
          cli={() =>
            `hostler servers add ${shell(name.trim() || 'NAME')} --type ${type} --address ${shell(ip.trim() || 'ADDRESS')}${port !== '22' ? ` --ssh-port ${shell(port)}` : ''}${withDatabase && database ? ` --database ${database}` : ''}`
          }
        >
          <Choice legend="Server type" name="type" value={type} onChange={setType} options={kinds} />
          <Input label="Name" name="name" autoFocus autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} hint="Up to 30 characters." />
          <div className="grid gap-5 sm:grid-cols-[1fr_7rem]">
            <Input
              label="IP address"
              name="custom.ip_address"
              inputMode="text"
              autoComplete="off"
              spellCheck={false}
              value={ip}
              onChange={(e) => setIP(e.target.value)}
              placeholder="203.0.113.10"
              className="font-mono"
            />
            <Input label="SSH port" name="custom.ssh_port" inputMode="numeric" value={port} onChange={(e) => setPort(e.target.value)} className="font-mono" />
          </div>
          {withDatabase && (
            <Select
              label="Database"
              name="database_type"
              value={database}
              onChange={(e) => setDatabase(e.target.value)}
              options={[
                ['', 'None'],
                ['mariadb1011', version('mariadb1011')],
                ['postgres15', version('postgres15')],
              ]}
              hint="Installed from the vendor's repository if the operating system packages another version."
            />
          )}
          <details className="grid gap-5">
            <summary className="font-medium text-muted">More options: private network, NAT, team</summary>
            <div className="mt-4 grid gap-5">
              <Input
                label="Private address"
                name="custom.private_ip_address"
                autoComplete="off"
                value={privateIP}
                onChange={(e) => setPrivateIP(e.target.value)}
                className="font-mono"
                hint="For connections from load balancers and peers on the same private network."
              />
              <Check label="Behind NAT" hint="SSH is forwarded from another port on the router." checked={nat} onChange={(e) => setNat(e.target.checked)} />
              {nat && (
                <Input
                  label="SSH port on the router"
                  name="custom.nat_ssh_port"
                  inputMode="numeric"
                  value={natPort}
                  onChange={(e) => setNatPort(e.target.value)}
                />
              )}
              {teams.rows.length > 0 && (
                <Select
                  label="Share with"
                  name="team_id"
                  value={team}
                  onChange={(e) => setTeam(e.target.value)}
                  options={[['', `Everyone in ${me.data?.data.attributes.name ?? org}`], ...teams.rows.map((t) => [t.id, t.attributes.name] as const)]}
                />
              )}
            </div>
          </details>
          <p className="text-sm text-muted">Next, you'll get a command to run on the server as root. It verifies the script's checksum before running it.</p>
        </Form>
      </div>
    </Page>
  );
}
