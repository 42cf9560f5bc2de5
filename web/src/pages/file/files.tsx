import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronRight, Download, Ellipsis, File, FilePlus, Folder, FolderPlus, Link2, Pencil, Plug, Trash2, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { SiteFile } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { Menu } from '../../kit/lazy-menu';
import { bytes } from '../../kit/numbers';
import { Empty, Failed, Notice, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { useAt } from '../site/at';
import { below, content, entry, many, parent, save, typed } from './at';
import { Fate } from './fate';
import { Text } from './text';
import { Sendings, useUploads } from './uploads';

export interface At {
  path?: string;
  open?: string;
}

const from = '/orgs/$org/sites/$site/files';

export function Files() {
  const { open, path = '/' } = useSearch({ from }) as At;
  const { to } = useAt();
  const navigate = useNavigate();
  const [fresh, setFresh] = useState('');
  const show = (search: At) => void navigate({ to: from, params: to, search });
  if (open || fresh)
    return (
      <Text
        key={fresh || open}
        path={fresh || open!}
        fresh={!!fresh}
        close={() => {
          setFresh('');
          show({ path: fresh ? path : parent(open!) });
        }}
      />
    );
  return <Directory key={path} path={path} create={(name) => setFresh(below(path, typed(name)))} />;
}

/** Crumbs are the directories above one. */
function Crumbs({ path }: { path: string }) {
  const { to } = useAt();
  const parts = path.split('/').filter(Boolean);
  return (
    <nav aria-label={t`Directory`} className="flex min-w-0 flex-wrap items-center gap-1 font-mono text-sm">
      <Link to={from} params={to} search={{}} className="hover:underline" aria-current={parts.length === 0 ? 'page' : undefined}>
        <Trans>Site directory</Trans>
      </Link>
      {parts.map((name, i) => (
        <span key={i} className="flex min-w-0 items-center gap-1">
          <ChevronRight className="size-3.5 shrink-0 text-muted" aria-hidden />
          <Link
            to={from}
            params={to}
            search={{ path: '/' + parts.slice(0, i + 1).join('/') }}
            className="[overflow-wrap:anywhere] hover:underline"
            aria-current={i === parts.length - 1 ? 'page' : undefined}
          >
            {name}
          </Link>
        </span>
      ))}
    </nav>
  );
}

const leadsTo = (f: SiteFile) => f.attributes.leads_to ?? f.attributes.kind;

function Directory({ path, create }: { path: string; create: (name: string) => void }) {
  const { params } = useAt();
  const list = useList(many, params, { query: { path }, size: 200 });
  const here = useGet(entry, params, { query: { path }, quiet: true });
  const [asking, setAsking] = useState<'file' | 'directory' | SiteFile | null>(null);
  const [removing, setRemoving] = useState<SiteFile | null>(null);
  const uploads = useUploads(params, path, () => void list.refetch());
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const rows = list.rows;
  const pick = (
    <Button icon={Upload} does={`put ${many}/upload`} onClick={() => input.current?.click()}>
      <Trans>Upload</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Files`}
      plain
      text={t`Read and changed as the site's account. Each file that is read or changed has a line in the audit log.`}
      actions={
        <>
          <Button icon={FolderPlus} does={`post ${many}/directories`} onClick={() => setAsking('directory')}>
            <Trans>New directory</Trans>
          </Button>
          <Button icon={FilePlus} does={`put ${content}`} onClick={() => setAsking('file')}>
            <Trans>New file</Trans>
          </Button>
          {pick}
        </>
      }
    >
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t`Files to upload`}
        onChange={(e) => {
          uploads.add([...(e.target.files ?? [])]);
          e.target.value = '';
        }}
      />
      <Crumbs path={path} />
      <Fate meta={here.data?.data.meta?.file} />
      <Sendings of={uploads} />
      <section
        aria-label={t`Directory`}
        className={`min-w-0 rounded-xl ${over ? 'outline-2 outline-accent' : ''}`}
        onDragOver={(e) => {
          if (!e.dataTransfer.types.includes('Files')) return;
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          uploads.add([...e.dataTransfer.files]);
        }}
      >
        {list.isPending ? (
          <Waiting />
        ) : list.error && !list.data ? (
          <Failed error={list.error} again={() => void list.refetch()} />
        ) : rows.length === 0 ? (
          <Empty icon={Folder} title={t`This directory is empty`} text={t`Drop files here, or choose some to upload.`} action={pick} />
        ) : (
          <Table
            label={t`Files`}
            rows={rows}
            id={(f) => f.id}
            more={list.more}
            footer={plural(rows.length, { one: '# entry', other: '# entries' })}
            columns={[
              { name: t`Name`, width: 'minmax(0,3fr)', cell: (f) => <Name file={f} /> },
              { name: t`Size`, width: '6rem', cell: (f) => (f.attributes.kind === 'file' ? bytes(f.attributes.size) : '') },
              { name: t`Changed`, width: '9rem', minor: true, cell: (f) => <Time at={f.attributes.modified_at} ago /> },
              { name: t`Permissions`, width: '7rem', minor: true, cell: (f) => <span className="font-mono text-sm">{f.attributes.mode}</span> },
              { name: t`Owner`, width: '8rem', minor: true, cell: (f) => <span className="block truncate">{f.attributes.owner}</span> },
              { name: t`Actions`, width: '4rem', end: true, cell: (f) => <Actions file={f} rename={() => setAsking(f)} remove={() => setRemoving(f)} /> },
            ]}
          />
        )}
      </section>
      {asking === 'file' && <NewFile onClose={() => setAsking(null)} create={create} />}
      {asking === 'directory' && <NewDirectory path={path} onClose={() => setAsking(null)} done={() => void list.refetch()} />}
      {asking && typeof asking === 'object' && <Rename file={asking} onClose={() => setAsking(null)} done={() => void list.refetch()} />}
      {removing && <Remove file={removing} onClose={() => setRemoving(null)} done={() => void list.refetch()} />}
    </Section>
  );
}

const icons = { file: File, directory: Folder, link: Link2, other: Plug };

function Name({ file }: { file: SiteFile }) {
  const { to } = useAt();
  const a = file.attributes;
  const Icon = icons[a.kind];
  const kind = leadsTo(file);
  const search: At | null = kind === 'directory' ? { path: a.path } : kind === 'file' ? { path: parent(a.path), open: a.path } : null;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <Icon className="size-4 shrink-0 text-muted" aria-hidden />
      <span className="grid min-w-0">
        {search ? (
          <Link to={from} params={to} search={search} className={`${rowLink} truncate`} title={a.name}>
            {a.name}
          </Link>
        ) : (
          <span className="truncate" title={a.name}>
            {a.name}
          </span>
        )}
        {a.target !== null && (
          <span className="truncate text-sm text-muted" title={a.target}>
            {a.leads_to === 'outside' ? (
              <Trans>Link out of the site's directory: {a.target}</Trans>
            ) : a.leads_to === 'missing' ? (
              <Trans>Link to nothing: {a.target}</Trans>
            ) : (
              <Trans>Link to {a.target}</Trans>
            )}
          </span>
        )}
        {a.kind === 'other' && (
          <span className="text-sm text-muted">
            <Trans>Pipe, socket or device</Trans>
          </span>
        )}
      </span>
    </span>
  );
}

function Actions({ file, rename, remove }: { file: SiteFile; rename: () => void; remove: () => void }) {
  const { params } = useAt();
  const a = file.attributes;
  return (
    <Menu
      label={t`Actions for ${a.name}`}
      trigger={
        <Button look="quiet" only icon={Ellipsis} does={`post ${many}/moves`}>
          <Trans>Actions for {a.name}</Trans>
        </Button>
      }
      items={[
        ...(leadsTo(file) === 'file' ? [{ text: t`Download`, icon: Download, onClick: () => save(params, a.path) }] : []),
        { text: t`Rename`, icon: Pencil, onClick: rename },
        { text: t`Delete`, icon: Trash2, onClick: remove },
      ]}
    />
  );
}

function NewFile({ onClose, create }: { onClose: () => void; create: (name: string) => void }) {
  const [name, setName] = useState('');
  const none = { error: null, fields: {}, pending: false, planning: false, plan: null, closePlan: () => undefined };
  return (
    <Dialog open onClose={onClose} title={t`New file`}>
      <Form write={none} submit={t`Write it`} does={`put ${content}`} onSubmit={() => name && create(name)}>
        <Input code label={t`Name`} name="path" value={name} onChange={(e) => setName(e.target.value)} autoFocus />
      </Form>
    </Dialog>
  );
}

function NewDirectory({ path, onClose, done }: { path: string; onClose: () => void; done: () => void }) {
  const { params } = useAt();
  const [name, setName] = useState('');
  const write = useWrite('post', `${many}/directories`, params, () => {
    done();
    onClose();
  });
  const body = () => ({ path: name ? below(path, typed(name)) : '' });
  return (
    <Dialog open onClose={onClose} title={t`New directory`}>
      <Form write={write} submit={t`Create directory`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
        <Input code label={t`Name`} name="path" value={name} onChange={(e) => setName(e.target.value)} autoFocus />
      </Form>
    </Dialog>
  );
}

function Rename({ file, onClose, done }: { file: SiteFile; onClose: () => void; done: () => void }) {
  const { params } = useAt();
  const [to, setTo] = useState(file.attributes.path);
  const write = useWrite('post', `${many}/moves`, params, () => {
    done();
    onClose();
  });
  const body = () => ({ path: file.attributes.path, new_path: to });
  return (
    <Dialog open onClose={onClose} title={t`Rename ${file.attributes.name}`}>
      <Form write={write} submit={t`Rename`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
        <Input
          code
          label={t`New path`}
          name="new_path"
          hint={t`From the site's directory. Nothing is replaced.`}
          value={to}
          onChange={(e) => setTo(e.target.value)}
          autoFocus
        />
      </Form>
    </Dialog>
  );
}

function Remove({ file, onClose, done }: { file: SiteFile; onClose: () => void; done: () => void }) {
  const { params } = useAt();
  const a = file.attributes;
  const directory = a.kind === 'directory';
  const count = useGet(entry, params, { query: { path: a.path, count: true }, enabled: directory, quiet: true });
  const meta = count.data?.data.meta?.file;
  const entries = directory ? (meta?.entries ?? 0) : 1;
  const write = useWrite('delete', entry, params, () => {
    done();
    onClose();
  });
  const { refetch } = count;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it was refused, as there is more or less in it now
  useEffect(() => {
    if (directory && write.error?.status === 409) void refetch();
  }, [write.error]);
  const query = { path: a.path, entries };
  if (directory && !meta)
    return (
      <Dialog open onClose={onClose} title={t`Delete ${a.name}?`}>
        {count.error ? <Failed error={count.error} again={() => void refetch()} /> : <Waiting rows={1} />}
      </Dialog>
    );
  return (
    <ConfirmName
      open
      easy={entries === 1}
      onClose={onClose}
      title={t`Delete ${a.name}?`}
      name={a.name}
      submit={directory ? t`Delete directory` : t`Delete file`}
      what={
        directory && entries > 1 ? (
          <Trans>
            {plural(entries - 1, { one: '# file or directory', other: '# files and directories' })} in it with {bytes(meta?.bytes ?? 0)} are deleted as well.
            They can't be restored.
          </Trans>
        ) : a.kind === 'link' ? (
          <Trans>The link is deleted, not what it leads to.</Trans>
        ) : (
          <Trans>It can't be restored.</Trans>
        )
      }
      removal={{ ...write, tryOut: undefined, submit: () => write.submit(undefined, undefined, query) }}
      call={() => write.call(undefined, undefined, query)}
    >
      {meta?.deployment === 'release' && (
        <Notice tone="warn">
          <Trans>This belongs to a release. If it is the live one, the site fails for visitors.</Trans>
        </Notice>
      )}
    </ConfirmName>
  );
}
