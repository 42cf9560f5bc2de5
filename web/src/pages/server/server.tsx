import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import { useGet, useList, useWrite } from '../../api/query';
import type { Server } from '../../api/types';
import { Button } from '../../kit/button';
import { CopyButton } from '../../kit/copy';
import { ConfirmName } from '../../kit/dialog';
import { Choice, Input } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { changedTags } from '../../kit/group';
import { Failed, Page, Section, Waiting } from '../../kit/page';
import { soon } from '../../kit/state';
import { GroupTabs } from '../../kit/tabs';
import { TagsField } from '../../kit/tags';
import { serverTypes } from '../../kit/words';
import { groupsOf, serverPlaces } from '../../shell/places';
import Archive from './archive';
import { ServerContext, useServer } from './at';
import Reboot from './reboot';
import { ServerState } from './servers';
import Transfer from './transfer';

/** ServerFrame is what all screens of a server have in common: who it is, how it is, and where its parts are. */
export function ServerFrame() {
  const { org, server: id } = useParams({ from: '/orgs/$org/servers/$server' });
  const doc = useGet('/orgs/{organization}/servers/{server}', { organization: org, server: id }, { every: soon });
  const server = doc.data?.data;
  if (!server) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const a = server.attributes;
  return (
    <ServerContext value={server}>
      <nav aria-label={t`Breadcrumb`} className="mb-3 flex items-center gap-1.5 text-sm text-muted">
        <Link to="/orgs/$org/servers" params={{ org }} className="hover:text-text hover:underline">
          <Trans>Servers</Trans>
        </Link>
        <ChevronRight className="size-3.5" aria-hidden />
        <span className="truncate">{a.name}</span>
      </nav>
      <Page
        title={a.name}
        state={<ServerState server={server} />}
        sub={
          <span className="flex flex-wrap items-center gap-x-3">
            <span>{serverTypes[a.type] ?? a.type}</span>
            {a.ip_address && (
              <span className="inline-flex items-center font-mono text-sm">
                {a.ip_address}
                <CopyButton text={a.ip_address} label={t`Copy IP address`} />
              </span>
            )}
            {a.is_ready && a.ip_address && <SSH address={a.ip_address} port={a.ssh_port} />}
          </span>
        }
      >
        <GroupTabs label={t`Server`} groups={groupsOf(serverPlaces(server))} params={{ org, server: id }} />
        <Outlet />
      </Page>
    </ServerContext>
  );
}

/** SSH is the command that a person with an SSH key on the server logs in with. */
function SSH({ address, port }: { address: string; port: number }) {
  const command = `ssh ${port === 22 ? '' : `-p ${port} `}forge@${address}`;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center font-mono text-sm">
      <span className="truncate">{command}</span>
      <CopyButton text={command} label={t`Copy SSH command`} />
    </span>
  );
}

/** withMeta is a server with another name or other tags. */
const withMeta = (s: Server, name = s.attributes.name, tags = s.meta?.tags): Server => ({
  ...s,
  attributes: { ...s.attributes, name },
  meta: { ...s.meta, tags },
});

export function ServerSettings() {
  const { org, server: id } = useParams({ from: '/orgs/$org/servers/$server' });
  const params = { organization: org, server: id };
  const server = useServer();
  const a = server.attributes;
  const [name, setName] = useState(a.name);
  const [ip, setIP] = useState(a.ip_address ?? '');
  const [privateIP, setPrivateIP] = useState(a.private_ip_address ?? '');
  const [zone, setZone] = useState(a.timezone);
  const had = server.meta?.tags ?? [];
  const [tags, setTags] = useState(had);
  const write = useWrite('put', '/orgs/{organization}/servers/{server}', params, undefined, {
    // the address and the time zone are what the server has
    guess: (body, at) => ({
      list: fill('/orgs/{organization}/servers', at),
      also: [fill('/orgs/{organization}/servers/{server}', at)],
      id,
      to: (s) => withMeta(s as Server, body?.name, body?.tags),
    }),
  });
  const changed = <T,>(now: T, was: T) => (now !== was ? now : undefined);
  const body = () => ({
    name: changed(name.trim(), a.name),
    ip_address: changed(ip.trim(), a.ip_address ?? ''),
    private_ip_address: changed(privateIP.trim(), a.private_ip_address ?? ''),
    timezone: changed(zone.trim(), a.timezone),
    tags: changedTags(tags, had),
  });
  return (
    <div className="grid max-w-2xl gap-8">
      <Section title={t`Settings`}>
        <Form write={write} submit={t`Save`} onSubmit={() => write.submit(body())} call={() => write.call(body())} extra={<Saved shown={write.saved} />}>
          <Input label={t`Name`} name="name" value={name} onChange={(e) => setName(e.target.value)} />
          <div className="grid gap-5 sm:grid-cols-2">
            <Input label={t`Address`} name="ip_address" value={ip} onChange={(e) => setIP(e.target.value)} className="font-mono" />
            <Input
              label={t`Private address`}
              name="private_ip_address"
              value={privateIP}
              onChange={(e) => setPrivateIP(e.target.value)}
              className="font-mono"
            />
          </div>
          <TagsField name="tags" value={tags} onChange={setTags} hint={t`Press Enter or comma to add a tag. Servers can be filtered and grouped by tag.`} />
          <Input label={t`Time zone`} name="timezone" value={zone} onChange={(e) => setZone(e.target.value)} hint={t`For example Europe/Berlin or UTC.`} />
        </Form>
      </Section>
      {!a.revoked && <Key />}
      <Danger />
    </div>
  );
}

function Key() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const doc = useGet('/orgs/{organization}/servers/{server}/key', { organization: org, server });
  const key = doc.data?.data.attributes;
  if (!key) return doc.error ? <Failed error={doc.error} /> : null;
  return (
    <Section title={t`Hostler's SSH key`} text={t`Hostler signs in as root with this key. It is used for this server only.`}>
      <p className="font-mono text-sm break-all">{key.fingerprint}</p>
      <div className="mt-2 flex items-start gap-2">
        <code className="min-w-0 flex-1 font-mono text-sm break-all text-muted">{key.public_key}</code>
        <CopyButton text={key.public_key} label={t`Copy public key`} />
      </div>
    </Section>
  );
}

const fates = [
  { value: 'destroy', title: t`Destroy`, text: t`The server and all its data are destroyed, and billing stops.` },
  { value: 'preserve', title: t`Keep`, text: t`The server keeps running at the provider, and you keep paying for it.` },
] as const;

function Danger() {
  const { org, server: id } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const [open, setOpen] = useState(false);
  const [rebooting, setRebooting] = useState(false);
  const [archiving, setArchiving] = useState(false);
  const [transferring, setTransferring] = useState(false);
  const ordered = server.attributes.provider !== 'custom';
  const [fate, setFate] = useState<'destroy' | 'preserve'>('destroy');
  const destroyed = ordered && fate === 'destroy';
  const query = ordered && !destroyed ? { preserve_at_provider: 'true' } : undefined;
  const navigate = useNavigate();
  const sites = useList('/orgs/{organization}/servers/{server}/sites', { organization: org, server: id }, { all: true, enabled: open });
  const write = useWrite(
    'delete',
    '/orgs/{organization}/servers/{server}',
    { organization: org, server: id },
    () => void navigate({ to: '/orgs/$org/servers', params: { org } }),
  );
  const names = sites.rows.map((s) => s.attributes.name);
  return (
    <Section title={t`Danger zone`}>
      {server.attributes.is_ready && (
        <div className="mb-4 flex flex-wrap items-center gap-4 border-b border-line pb-4">
          <p className="min-w-0 flex-1 basis-64">
            <Trans>Restart the server. Its sites are offline until it is back.</Trans>
          </p>
          <Button does="post /orgs/{organization}/servers/{server}/actions" onClick={() => setRebooting(true)}>
            <Trans>Reboot</Trans>
          </Button>
        </div>
      )}
      {rebooting && <Reboot org={org} server={id} name={server.attributes.name} onClose={() => setRebooting(false)} />}
      {!server.attributes.revoked && (
        <div className="mb-4 flex flex-wrap items-center gap-4 border-b border-line pb-4">
          <p className="min-w-0 flex-1 basis-64">
            <Trans>End Hostler's access to this server and keep its records. You can reconnect it later.</Trans>
          </p>
          <Button does="post /orgs/{organization}/servers/archives" onClick={() => setArchiving(true)}>
            <Trans>Archive</Trans>
          </Button>
        </div>
      )}
      <div className="mb-4 flex flex-wrap items-center gap-4 border-b border-line pb-4">
        <p className="min-w-0 flex-1 basis-64">
          <Trans>Move this server and everything on it to another organization. Its sites stay online.</Trans>
        </p>
        <Button does="post /orgs/{organization}/servers/{server}/transfer" onClick={() => setTransferring(true)}>
          <Trans>Transfer</Trans>
        </Button>
      </div>
      {transferring && <Transfer org={org} server={id} name={server.attributes.name} onClose={() => setTransferring(false)} />}
      {archiving && <Archive org={org} server={id} name={server.attributes.name} onClose={() => setArchiving(false)} />}
      <div className="flex flex-wrap items-center gap-4">
        <p className="min-w-0 flex-1 basis-64">
          {ordered
            ? t`Delete this server from Hostler, and destroy it at its provider or preserve it there.`
            : t`Delete this server from Hostler. Hostler's keys and agent are removed from it. Its sites and data stay on the server.`}
        </p>
        <Button look="danger" does={write.operation} onClick={() => setOpen(true)}>
          <Trans>Delete server</Trans>
        </Button>
      </div>
      <ConfirmName
        open={open}
        onClose={() => setOpen(false)}
        title={t`Delete ${server.attributes.name}?`}
        name={server.attributes.name}
        submit={destroyed ? t`Destroy server` : t`Delete server`}
        call={() => write.call(undefined, undefined, query)}
        what={
          <>
            {names.length > 0 ? (
              <Trans>
                Hostler stops managing this server and its sites:{' '}
                <strong className="font-medium">{names.length > 8 ? t`${names.slice(0, 8).join(', ')} and ${names.length - 8} more` : names.join(', ')}</strong>
                .
              </Trans>
            ) : (
              <Trans>Hostler stops managing this server.</Trans>
            )}{' '}
            {destroyed ? t`The provider destroys it with everything on it. This can't be undone.` : t`Everything on the server keeps running.`}
          </>
        }
        removal={{ ...write, submit: () => write.submit(undefined, undefined, query), tryOut: undefined }}
      >
        {ordered && <Choice legend={t`At the provider`} name="preserve_at_provider" value={fate} onChange={setFate} options={fates} />}
      </ConfirmName>
    </Section>
  );
}
