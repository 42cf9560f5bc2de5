import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Archive, KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useList, useWrite } from '../../api/query';
import type { Storage as Provider } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { Connections } from '../../kit/connections';
import { Code } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section } from '../../kit/page';
import { Time } from '../../kit/state';

const many = '/orgs/{organization}/storage-providers';

/** Storage is where backups go, and the key that opens them. */
export function Storage() {
  const { org } = useParams({ from: '/orgs/$org' });
  const { next } = useSearch({ from: '/orgs/$org/settings/storage' });
  const navigate = useNavigate();
  // a form that needed storage gets back who was sent here from it, with what was connected
  const back = (id: string) => next?.startsWith(`/orgs/${org}/`) && void navigate({ to: next as '/', search: { storage: id } as never });
  return (
    <div className="grid gap-8">
      <Connections
        title={t`Backup storage`}
        text={t`S3-compatible buckets, SFTP servers and the disk of the server that runs Hostler. Backups are encrypted before they leave the server, which never gets the storage's credentials.`}
        add={t`Connect storage`}
        does={{ add: `post ${many}`, edit: `put ${many}/{storageConfiguration}`, remove: `delete ${many}/{storageConfiguration}` }}
        list={useList(many, { organization: org }, { query: { sort: 'name' } })}
        empty={{ icon: Archive, title: t`No storage yet`, text: t`Connect a bucket. Hostler tests it with a write, read and delete before saving.` }}
        columns={[
          {
            name: t`Type`,
            width: '11rem',
            minor: 'table',
            cell: (s) => <span className="text-muted">{kinds.find(([k]) => k === kindOf(s))?.[1] ?? s.attributes.provider_name}</span>,
          },
          {
            name: t`Bucket or directory`,
            cell: (s) =>
              s.attributes.bucket ? (
                <span className="block truncate font-mono text-sm">{s.attributes.bucket}</span>
              ) : (
                <span className="text-muted">
                  <Trans>Set per backup</Trans>
                </span>
              ),
          },
        ]}
        used={t`Used by backups. Delete their configurations first.`}
        edit={(s, close) => <Edit org={org} s={s} onClose={close} connected={back} />}
        remove={(s, close) => <Remove org={org} s={s} onClose={close} />}
      />
      <Keys org={org} />
    </div>
  );
}

const kinds = [
  ['custom', t`S3-compatible`],
  ['s3', t`Amazon S3`],
  ['spaces', t`DigitalOcean Spaces`],
  ['hetzner', 'Hetzner'],
  ['ovh', 'OVH'],
  ['scaleway', 'Scaleway'],
  ['sftp', t`SFTP server`],
  ['disk', t`The server that runs Hostler`],
] as const;

/** ownDisk is the endpoint of storage on the machine that Hostler runs on. */
const ownDisk = 'file:///';
const kindOf = (s: Provider | null) => {
  const endpoint = s?.attributes.endpoint;
  if (endpoint?.startsWith('sftp://')) return 'sftp';
  return endpoint?.startsWith(ownDisk) ? 'disk' : (s?.attributes.provider ?? 'custom');
};

interface EditProps {
  org: string;
  s: Provider | null;
  onClose: () => void;
  /** connected is called with the id of what is new. */
  connected?: (id: string) => void;
}

export function Edit({ org, s, onClose, connected }: EditProps) {
  const a = s?.attributes;
  const [kind, setKind] = useState<string>(kindOf(s));
  const [name, setName] = useState(a?.name ?? '');
  const [endpoint, setEndpoint] = useState(a?.endpoint ?? '');
  const [region, setRegion] = useState(a?.region ?? '');
  const [bucket, setBucket] = useState(a?.bucket ?? '');
  const [directory, setDirectory] = useState(a?.directory ?? '');
  const [access, setAccess] = useState('');
  const [secret, setSecret] = useState('');
  const [hostKey, setHostKey] = useState(s?.meta?.storage?.host_key ?? '');
  const make = useWrite('post', many, { organization: org }, (made) => {
    onClose();
    connected?.(made.data.id);
  });
  const change = useWrite('put', `${many}/{storageConfiguration}`, { organization: org, storageConfiguration: s?.id ?? '' }, onClose);
  const write = s ? change : make;
  const sftp = kind === 'sftp';
  const disk = kind === 'disk';
  // the first try says which key the machine shows; nothing secret is sent before somebody said that it is the right one
  const offered = write.fields.host_key?.[0]?.params?.host_key as string | undefined;
  const body = () => ({
    name: name.trim(),
    provider: (sftp || disk ? 'custom' : kind) as 'custom',
    endpoint: disk ? ownDisk : endpoint.trim() || undefined,
    region: disk ? undefined : region.trim() || undefined,
    bucket: bucket.trim() || null,
    directory: directory.trim() || null,
    access_key: disk ? undefined : access.trim() || undefined,
    secret_key: disk ? undefined : secret || undefined,
    assume_role: a?.assume_role ? false : undefined,
    host_key: sftp ? hostKey.trim() || undefined : undefined,
  });
  const regionField = (
    <Input
      label={t`Region`}
      name="region"
      value={region}
      onChange={(e) => setRegion(e.target.value)}
      code
      placeholder={kind === 'custom' ? undefined : 'eu-central-1'}
      hint={kind === 'custom' && t`Only if the provider requires one.`}
    />
  );
  return (
    <Dialog open onClose={onClose} title={s ? t`Edit ${s.attributes.name}` : t`Connect storage`} text={t`Tested before saving.`} wide>
      <Form
        write={write}
        submit={s ? t`Test and save` : t`Test and connect`}
        onSubmit={() => (s ? change.submit(body()) : make.submit(body()))}
        call={() => write.call({ ...body(), secret_key: secret ? '…' : undefined })}
      >
        <div className="grid gap-5 sm:grid-cols-2">
          <Select label={t`Type`} name="provider" value={kind} onChange={(e) => setKind(e.target.value)} options={kinds} />
          <Input
            label={t`Name`}
            name="name"
            autoFocus
            autoComplete="off"
            value={name}
            onChange={(e) => setName(e.target.value)}
            placeholder={t`Backups in Helsinki`}
          />
          {kind === 'custom' || sftp ? (
            <Input
              label={t`Endpoint`}
              name="endpoint"
              inputMode="url"
              value={endpoint}
              onChange={(e) => {
                setEndpoint(e.target.value);
                if (/^sftp:\/\//i.test(e.target.value)) setKind('sftp');
              }}
              code
              placeholder={sftp ? 'sftp://box.example.com/srv/backups' : 'https://s3.example.com'}
            />
          ) : (
            !disk && regionField
          )}
          <Input
            label={sftp || disk ? t`Directory` : t`Bucket`}
            name="bucket"
            value={bucket}
            onChange={(e) => setBucket(e.target.value)}
            code
            hint={sftp || disk ? t`Backups can use a different directory.` : t`Backups can use a different bucket.`}
          />
          {kind === 'custom' && regionField}
          <Input
            label={sftp || disk ? t`Subdirectory` : t`Directory`}
            name="directory"
            value={directory}
            onChange={(e) => setDirectory(e.target.value)}
            code
            placeholder="servers"
            hint={sftp || disk ? t`Optional. Leave blank to use the directory itself.` : t`Optional. Leave blank to use the bucket's root.`}
          />
          {!disk && (
            <Input
              label={sftp ? t`User` : t`Access key`}
              name="access_key"
              value={access}
              onChange={(e) => setAccess(e.target.value)}
              code
              placeholder={s ? t`Unchanged` : undefined}
            />
          )}
          {sftp && (
            <Textarea
              label={t`Password or private key`}
              name="secret_key"
              rows={3}
              value={secret}
              onChange={(e) => setSecret(e.target.value)}
              code
              placeholder={s ? t`Unchanged` : undefined}
            />
          )}
          {sftp && (
            <Textarea
              label={t`Host key`}
              name="host_key"
              rows={3}
              value={hostKey}
              onChange={(e) => setHostKey(e.target.value)}
              code
              placeholder="ssh-ed25519 AAAAC3Nza…"
              hint={t`Leave blank to see the server's key and verify it.`}
            />
          )}
          {sftp && offered && offered !== hostKey && <Offered hostKey={offered} take={() => setHostKey(offered)} />}
          {!sftp && !disk && (
            <Input
              label={t`Secret key`}
              name="secret_key"
              type="password"
              autoComplete="new-password"
              value={secret}
              onChange={(e) => setSecret(e.target.value)}
              className="font-mono"
              placeholder={s ? t`Unchanged` : undefined}
            />
          )}
          {disk && (
            <div className="sm:col-span-2">
              <Notice>
                <Trans>
                  Backups are kept on the machine that Hostler runs on, in the directory set as <code>local-storage</code>. If that machine is lost, so are
                  they.
                </Trans>
              </Notice>
            </div>
          )}
        </div>
      </Form>
    </Dialog>
  );
}

/** Offered is the key that a machine showed. It comes into sight by itself: without it there is no way on. */
function Offered({ hostKey, take }: { hostKey: string; take: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key scrolls
  useEffect(() => {
    // in a block: browsers answer with a promise, which is no way to clean up
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [hostKey]);
  return (
    <div ref={box} className="sm:col-span-2">
      <Notice
        tone="warn"
        action={
          <Button onClick={take}>
            <Trans>Trust this key</Trans>
          </Button>
        }
      >
        <Trans>
          Compare this key with the server's host key: <span className="font-mono text-sm">{hostKey}</span>
        </Trans>
      </Notice>
    </div>
  );
}

function Remove({ org, s, onClose }: { org: string; s: Provider; onClose: () => void }) {
  const write = useWrite('delete', `${many}/{storageConfiguration}`, { organization: org, storageConfiguration: s.id }, onClose);
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${s.attributes.name}?`}
      name={s.attributes.name}
      submit={t`Delete storage`}
      what={t`Hostler deletes the credentials. Backups stay in the bucket but can no longer be restored from here.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}

function Keys({ org }: { org: string }) {
  const list = useList('/orgs/{organization}/backup-keys', { organization: org });
  const [shown, setShown] = useState<string | null>(null);
  const write = useWrite('post', '/orgs/{organization}/backup-keys/export', { organization: org }, (a) => setShown(a.data.meta?.shown_once?.secret ?? null));
  const denied = list.error && !list.data;
  return (
    <Section
      title={t`Backup encryption key`}
      text={t`Opens your backups, with or without Hostler: they are encrypted with age and compressed with zstd, two free programs. Export it now and store it separately from your backups.`}
    >
      <div className="grid gap-4">
        {denied ? (
          <Failed error={list.error} />
        ) : (
          list.rows.map((k) => (
            <p key={k.id} className="flex flex-wrap gap-x-3">
              <span className="font-mono text-sm break-all">{k.attributes.recipient}</span>
              <span className="text-muted">
                <Trans>
                  since <Time at={k.attributes.created_at} />
                </Trans>
              </span>
            </p>
          ))
        )}
        {write.error && (
          <Notice tone="bad" role="alert">
            {write.error.message}
          </Notice>
        )}
        <div>
          <Action write={write} icon={KeyRound}>{t`Export key`}</Action>
        </div>
      </div>
      {shown && (
        <Dialog open onClose={() => setShown(null)} title={t`Secret key`} text={t`Anyone with this key can read all backups of this organization.`}>
          <div className="grid gap-4">
            <Code text={shown} label={t`Secret key`} wrap />
            <div>
              <Button look="primary" onClick={() => setShown(null)}>
                <Trans>I've saved it</Trans>
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </Section>
  );
}
