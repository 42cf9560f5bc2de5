import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import { Check, Choice, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Page } from '../../kit/page';
import { version } from '../../kit/words';
import { kinds as providers } from '../provider/kinds';
import { keepLine } from './line';
import { noOrder, type Order, OrderFields, place } from './order';

const kinds = [
  { value: 'app', title: t`App server`, text: t`nginx, PHP, a database and a cache on one server.` },
  { value: 'web', title: t`Web server`, text: t`nginx and PHP, for sites with a separate database server.` },
  { value: 'loadbalancer', title: t`Load balancer`, text: t`nginx that distributes requests across your web servers.` },
  { value: 'database', title: t`Database server`, text: t`MariaDB or PostgreSQL.` },
  { value: 'cache', title: t`Cache server`, text: t`Redis and Memcached.` },
  { value: 'worker', title: t`Worker`, text: t`PHP for background processing, without nginx.` },
  { value: 'meilisearch', title: 'Meilisearch', text: t`Meilisearch search engine. Experimental: not tested on a real server.` },
] as const;
type Kind = (typeof kinds)[number]['value'];

export function NewServer() {
  const { org } = useParams({ from: '/orgs/$org' });
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [type, setType] = useState<Kind>('app');
  const [ip, setIP] = useState('');
  const [port, setPort] = useState('22');
  const [nat, setNat] = useState(false);
  const [natPort, setNatPort] = useState('');
  const [privateIP, setPrivateIP] = useState('');
  const [database, setDatabase] = useState('mariadb1011');
  const [team, setTeam] = useState('');
  const [from, setFrom] = useState('custom');
  const [order, setOrder] = useState<Order>(noOrder);
  const change = useCallback((o: Order) => setOrder(o), []);
  const credentials = useList('/orgs/{organization}/server-credentials', { organization: org }, { all: true });
  const account = credentials.rows.find((c) => c.id === from);
  const teams = useList('/orgs/{organization}/teams', { organization: org }, { all: true });
  const me = useGet('/orgs/{organization}', { organization: org });
  const write = useWrite('post', '/orgs/{organization}/servers', { organization: org }, (a) => {
    if (a.data.meta?.bootstrap) keepLine(a.data.id, a.data.meta.bootstrap);
    void navigate({ to: '/orgs/$org/servers/$server', params: { org, server: a.data.id } });
  });
  const withDatabase = type === 'app' || type === 'database';
  const common = () => ({
    name: name.trim(),
    type,
    database_type: withDatabase && database ? (database as 'mariadb1011') : undefined,
    team_id: team ? Number(team) : undefined,
  });
  const ordered = (c: NonNullable<typeof account>) => ({
    ...common(),
    provider: c.attributes.provider,
    credential_id: Number(c.id),
    ubuntu_version: order.ubuntu,
    ...place(c.attributes.provider, order),
  });
  const own = () => ({
    ...common(),
    provider: 'custom',
    custom: {
      ip_address: ip.trim() || undefined,
      private_ip_address: privateIP.trim() || undefined,
      ssh_port: Number(port) || undefined,
      behind_nat: nat || undefined,
      nat_ssh_port: nat && natPort ? Number(natPort) : undefined,
    },
  });
  const body = () => (account ? ordered(account) : own());
  return (
    <Page
      title={t`Add server`}
      narrow
      sub={t`Connect any machine with root access and a fresh install of Debian 12 or 13, or Ubuntu 22.04, 24.04 or 26.04, or order one from a provider.`}
    >
      <div className="panel p-6">
        <Form write={write} submit={account ? t`Create server` : t`Add server`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
          {credentials.rows.length > 0 && (
            <Choice
              legend={t`Machine`}
              name="credential_id"
              value={from}
              onChange={(id) => {
                setFrom(id);
                setOrder(noOrder);
              }}
              options={[
                { value: 'custom', title: t`Your own machine`, text: t`Connect it by running one command.` },
                ...credentials.rows.map((c) => ({
                  value: c.id,
                  title: c.attributes.name,
                  text: t`Order one from ${providers.find(([k]) => k === c.attributes.provider)?.[1] ?? c.attributes.provider}.`,
                })),
              ]}
            />
          )}
          <Choice legend={t`Server type`} name="type" value={type} onChange={setType} options={kinds} />
          <Input
            label={t`Name`}
            name="name"
            autoFocus
            autoComplete="off"
            value={name}
            onChange={(e) => setName(e.target.value)}
            hint={t`Up to 30 characters.`}
          />
          {account ? (
            <OrderFields key={account.id} org={org} account={account} order={order} onChange={change} />
          ) : (
            <div className="grid gap-5 sm:grid-cols-[1fr_7rem]">
              <Input
                label={t`IP address`}
                name="custom.ip_address"
                inputMode="text"
                value={ip}
                onChange={(e) => setIP(e.target.value)}
                placeholder="203.0.113.10"
                code
              />
              <Input
                label={t`SSH port`}
                name="custom.ssh_port"
                inputMode="numeric"
                value={port}
                onChange={(e) => setPort(e.target.value)}
                className="font-mono"
              />
            </div>
          )}
          {withDatabase && (
            <Select
              label={t`Database`}
              name="database_type"
              value={database}
              onChange={(e) => setDatabase(e.target.value)}
              options={[
                ['', t`None`],
                ['mariadb1011', version('mariadb1011')],
                ['postgres15', version('postgres15')],
              ]}
              hint={t`Installed from the vendor's repository if the operating system packages another version.`}
            />
          )}
          {(!account || teams.rows.length > 0) && (
            <details className="grid gap-5">
              <summary className="font-medium text-muted">{account ? t`More options: team` : t`More options: private network, NAT, team`}</summary>
              <div className="mt-4 grid gap-5">
                {!account && (
                  <>
                    <Input
                      label={t`Private address`}
                      name="custom.private_ip_address"
                      autoComplete="off"
                      value={privateIP}
                      onChange={(e) => setPrivateIP(e.target.value)}
                      className="font-mono"
                      hint={t`For connections from load balancers and peers on the same private network.`}
                    />
                    <Check
                      label={t`Behind NAT`}
                      hint={t`SSH is forwarded from another port on the router.`}
                      checked={nat}
                      onChange={(e) => setNat(e.target.checked)}
                    />
                    {nat && (
                      <Input
                        label={t`SSH port on the router`}
                        name="custom.nat_ssh_port"
                        inputMode="numeric"
                        value={natPort}
                        onChange={(e) => setNatPort(e.target.value)}
                      />
                    )}
                  </>
                )}
                {teams.rows.length > 0 && (
                  <Select
                    label={t`Share with`}
                    name="team_id"
                    value={team}
                    onChange={(e) => setTeam(e.target.value)}
                    options={[['', t`Everyone in ${me.data?.data.attributes.name ?? org}`], ...teams.rows.map((t) => [t.id, t.attributes.name] as const)]}
                  />
                )}
              </div>
            </details>
          )}
          <p className="text-sm text-muted">
            {account ? (
              t`The server is ordered immediately. Once it has booted, it connects to Hostler and is set up. If it doesn't connect within 30 minutes, it is destroyed.`
            ) : (
              <>
                <Trans>Next, you'll get a command to run on the server as root. It verifies the script's checksum before running it.</Trans>
                {credentials.isSuccess && credentials.rows.length === 0 && (
                  <>
                    {' '}
                    <Trans>
                      To order a server instead,{' '}
                      <Link to="/orgs/$org/settings/accounts" params={{ org }} className="font-medium text-accent underline underline-offset-2">
                        connect a provider account
                      </Link>
                      .
                    </Trans>
                  </>
                )}
              </>
            )}
          </p>
        </Form>
      </div>
    </Page>
  );
}
