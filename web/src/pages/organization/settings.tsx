import { t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Outlet, useParams } from '@tanstack/react-router';
import { AppWindow, Download, Plus, ScrollText } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { AuditEntry, Client, Permission, ShownOnce } from '../../api/types';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Check, Input, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Facts, Failed, Notice, Page, Section, Waiting } from '../../kit/page';
import { Setting } from '../../kit/setting';
import { Pill, Time } from '../../kit/state';
import { Filter, Table } from '../../kit/table';
import { Tabs } from '../../kit/tabs';
import { settingsPlaces } from '../../shell/places';
import { Scopes } from '../role/page';
import { scopes as first } from '../role/permissions';
import { Limit, Retention, SiteLimits, Zone } from './limits';

export function SettingsFrame() {
  const { org } = useParams({ from: '/orgs/$org' });
  return (
    <Page title={t`Settings`}>
      <Tabs label={t`Settings`} params={{ org }} tabs={settingsPlaces} />
      <Outlet />
    </Page>
  );
}

export function OrganizationSettings() {
  const { org } = useParams({ from: '/orgs/$org' });
  const path = '/orgs/{organization}';
  const params = { organization: org };
  const doc = useGet(path, params);
  const [name, setName] = useState<string | null>(null);
  const write = useWrite('put', path, params);
  const a = doc.data?.data.attributes;
  if (!a) return doc.error ? <Failed error={doc.error} /> : <Waiting />;
  return (
    <div className="grid max-w-2xl gap-8">
      <Setting title={t`Organization`} write={write} body={() => ({ name: (name ?? a.name).trim() })}>
        <Input label={t`Name`} name="name" autoComplete="off" value={name ?? a.name} onChange={(e) => setName(e.target.value)} />
        <Facts
          rows={[
            [
              t`Slug`,
              <span key="s" className="font-mono text-sm">
                {a.slug}
              </span>,
            ],
            [t`Created`, <Time key="t" at={a.created_at} />],
          ]}
        />
        <p className="text-sm text-muted">
          <Trans>
            You have <Plural value={doc.data?.data.meta?.permissions?.length ?? 0} one="# permission" other="# permissions" /> in this organization. Manage
            roles under Team.
          </Trans>
        </p>
      </Setting>
      <Zone org={org} />
      <Limit org={org} />
      <SiteLimits org={org} />
      <Retention org={org} />
    </div>
  );
}

/** Programs are those of this organization that ask people for access by OAuth 2.0. */
export function Programs() {
  const { org } = useParams({ from: '/orgs/$org' });
  const list = useList('/orgs/{organization}/oauth-clients', { organization: org });
  const [making, setMaking] = useState(false);
  const [changing, setChanging] = useState<Client | null>(null);
  const [removing, setRemoving] = useState<Client | null>(null);
  const add = (
    <Button look="primary" icon={Plus} does="post /orgs/{organization}/oauth-clients" onClick={() => setMaking(true)}>
      <Trans>Register application</Trans>
    </Button>
  );
  return (
    <Section
      title={t`OAuth applications`}
      plain
      text={t`Applications that use the API on behalf of users with OAuth 2.0.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={AppWindow}
          title={t`No OAuth applications`}
          text={t`Register an application that users can authorize with the scopes you choose.`}
          action={add}
        />
      ) : (
        <Table
          label={t`OAuth applications`}
          rows={list.rows}
          more={list.more}
          id={(c) => c.id}
          columns={[
            { name: t`Name`, cell: (c) => <span className="font-medium">{c.attributes.name}</span> },
            { name: t`Client`, cell: (c) => <span className="font-mono text-sm break-all">{c.attributes.client_id}</span> },
            { name: t`Type`, width: '8rem', cell: (c) => <Pill>{c.attributes.confidential ? t`Confidential` : t`Public`}</Pill> },
            {
              name: t`Edit`,
              width: '10.5rem',
              end: true,
              cell: (c) => (
                <span className="flex">
                  <Button
                    look="quiet"
                    does="put /orgs/{organization}/oauth-clients/{client}"
                    onClick={() => setChanging(c)}
                    aria-label={t`Edit ${c.attributes.name}`}
                  >
                    <Trans>Edit</Trans>
                  </Button>
                  <Button look="remove" does="delete /orgs/{organization}/oauth-clients/{client}" onClick={() => setRemoving(c)}>
                    <Trans>Delete</Trans>
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {making && <Program org={org} onClose={() => setMaking(false)} />}
      {changing && <Program org={org} row={changing} onClose={() => setChanging(null)} />}
      {removing && <RemoveProgram org={org} row={removing} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

/** Program registers a program, or changes one; a new secret is shown once, as the first one is. */
function Program({ org, row, onClose }: { org: string; row?: Client; onClose: () => void }) {
  const was = row?.attributes;
  const [name, setName] = useState(was?.name ?? '');
  const [redirects, setRedirects] = useState((was?.redirect_uris ?? []).join('\n'));
  const [confidential, setConfidential] = useState(true);
  const [secret, setSecret] = useState(false);
  const [scopes, setScopes] = useState<Set<string>>(new Set(was?.scopes ?? first.application));
  const [shown, setShown] = useState<{ id: string; once?: ShownOnce } | null>(null);
  const make = useWrite('post', '/orgs/{organization}/oauth-clients', { organization: org }, (a) =>
    setShown({ id: a.data.attributes.client_id, once: a.data.meta?.shown_once }),
  );
  const change = useWrite('put', '/orgs/{organization}/oauth-clients/{client}', { organization: org, client: row?.id ?? '' }, (a) =>
    a.data.meta?.shown_once ? setShown({ id: a.data.attributes.client_id, once: a.data.meta.shown_once }) : onClose(),
  );
  const common = () => ({ name: name.trim(), redirect_uris: redirects.split(/\s+/).filter(Boolean), scopes: [...scopes] as Permission[] });
  const made = () => ({ ...common(), confidential });
  const changed = () => ({ ...common(), new_secret: secret });
  return (
    <Dialog open onClose={onClose} title={shown ? (row ? t`Updated` : t`Registered`) : row ? t`Edit ${row.attributes.name}` : t`Register application`} wide>
      {shown ? (
        <div className="grid gap-4">
          <div className="grid gap-1.5">
            <p className="font-medium">
              <Trans>Client ID</Trans>
            </p>
            <Code text={shown.id} label={t`Client ID`} wrap />
          </div>
          {shown.once?.secret && (
            <div className="grid gap-1.5">
              <p className="font-medium">
                <Trans>
                  Secret <span className="font-normal text-warn">(shown only once)</span>
                </Trans>
              </p>
              <Code text={shown.once.secret} label={t`Client secret`} wrap />
            </div>
          )}
          <div>
            <Button look="primary" onClick={onClose}>
              <Trans>I've saved it</Trans>
            </Button>
          </div>
        </div>
      ) : (
        <Form
          write={row ? change : make}
          submit={row ? t`Save` : t`Register`}
          onSubmit={() => (row ? change.submit(changed()) : make.submit(made()))}
          call={() => (row ? change.call(changed()) : make.call(made()))}
        >
          <Input label={t`Name`} name="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} hint={t`Shown on the consent page.`} />
          <Textarea
            label={t`Redirect URIs`}
            name="redirect_uris"
            value={redirects}
            onChange={(e) => setRedirects(e.target.value)}
            className="font-mono"
            rows={2}
            hint={t`One per line. Must match exactly.`}
          />
          {!row && (
            <Check
              label={t`Confidential client`}
              hint={t`For applications that run on a server. Browser and mobile apps are public clients.`}
              checked={confidential}
              onChange={(e) => setConfidential(e.target.checked)}
            />
          )}
          {was?.confidential && (
            <Check
              label={t`Replace the client secret`}
              hint={t`The current secret stops working immediately.`}
              checked={secret}
              onChange={(e) => setSecret(e.target.checked)}
            />
          )}
          <Scopes value={scopes} onChange={setScopes} />
        </Form>
      )}
    </Dialog>
  );
}

function RemoveProgram({ org, row, onClose }: { org: string; row: Client; onClose: () => void }) {
  const write = useWrite('delete', '/orgs/{organization}/oauth-clients/{client}', { organization: org, client: row.id }, onClose);
  const name = row.attributes.name;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={t`Delete ${name}?`}
      name={name}
      submit={t`Delete application`}
      what={t`All of its authorizations are revoked immediately.`}
      removal={{ ...write, submit: () => write.submit() }}
      call={() => write.call()}
    />
  );
}

export function AuditTable({ rows, more, names }: { rows: AuditEntry[]; more?: () => void; names?: Map<number, string> }) {
  const who = (e: AuditEntry) =>
    (e.attributes.user_id && names?.get(e.attributes.user_id)) || (e.attributes.caller === 'nobody' ? t`Not signed in` : e.attributes.caller);
  const [open, setOpen] = useState<AuditEntry | null>(null);
  return (
    <>
      <Table
        label={t`Audit log`}
        rows={rows}
        id={(e) => e.id}
        more={more}
        columns={[
          {
            name: t`Time`,
            width: '8rem',
            cell: (e) => (
              <span className="text-muted">
                <Time at={e.attributes.created_at} ago />
              </span>
            ),
          },
          {
            name: t`Operation`,
            width: 'minmax(0,2fr)',
            cell: (e) => <span className="block truncate font-mono text-sm">{e.attributes.operation.replace(/^organizations\./, '')}</span>,
          },
          { name: t`Result`, width: '5rem', cell: (e) => <Pill tone={e.attributes.status >= 400 ? 'bad' : 'idle'}>{e.attributes.status}</Pill> },
          {
            name: t`Actor`,
            width: '9rem',
            cell: (e) => (
              <span className="block truncate" title={e.attributes.caller}>
                {who(e)}
              </span>
            ),
          },
          {
            name: t`IP address`,
            width: '9rem',
            minor: true,
            cell: (e) => <span className="block truncate font-mono text-sm text-muted">{e.attributes.address}</span>,
          },
          {
            name: t`Details`,
            width: '5rem',
            end: true,
            cell: (e) => (
              <Button look="quiet" onClick={() => setOpen(e)} aria-label={t`Details of ${e.attributes.operation}`}>
                <Trans>Details</Trans>
              </Button>
            ),
          },
        ]}
      />
      {open && (
        <Dialog open onClose={() => setOpen(null)} title={open.attributes.operation} text={open.attributes.path} wide>
          <div className="grid gap-4">
            <Facts
              rows={[
                [t`Time`, <Time key="t" at={open.attributes.created_at} />],
                [
                  t`Actor`,
                  who(open) === open.attributes.caller || open.attributes.caller === 'nobody' ? who(open) : `${who(open)} (${open.attributes.caller})`,
                ],
                [t`IP address`, open.attributes.address],
                [t`Resource`, open.attributes.resource_type && `${open.attributes.resource_type} ${open.attributes.resource_id}`],
                [t`Message`, open.attributes.message],
              ]}
            />
            {open.attributes.before && (
              <div className="grid gap-1">
                <h3 className="font-medium">
                  <Trans>Before</Trans>
                </h3>
                <Code text={JSON.stringify(open.attributes.before, null, 2)} label={t`Before`} />
              </div>
            )}
            {open.attributes.after && (
              <div className="grid gap-1">
                <h3 className="font-medium">
                  <Trans>After</Trans>
                </h3>
                <Code text={JSON.stringify(open.attributes.after, null, 2)} label={t`After`} />
              </div>
            )}
          </div>
        </Dialog>
      )}
    </>
  );
}

/** whole is the name of an operation as the API spells it. The table leaves the first word out, and so may people. */
const whole = (v: string) => (/^[a-z-]+\.[a-z.-]+$/.test(v) && !/^(organizations|user|auth|oauth)\./.test(v) ? 'organizations.' + v : v);

export function Audit() {
  const { org } = useParams({ from: '/orgs/$org' });
  const [operation, setOperation] = useState('');
  const members = useList('/orgs/{organization}/members', { organization: org }, { all: true });
  const names = useMemo(() => new Map(members.rows.map((m) => [Number(m.id), m.attributes.name || m.attributes.email])), [members.rows]);
  const list = useList('/orgs/{organization}/audit', { organization: org }, { query: { sort: '-created_at', 'filter[operation]': operation } });
  return (
    <Section
      title={t`Audit log`}
      plain
      text={t`Every change, sign-in and denied request. Entries can't be edited or deleted.`}
      actions={
        <a
          href={`/api/orgs/${encodeURIComponent(org)}/audit/export`}
          download
          className="inline-flex h-9 items-center gap-1.5 rounded-lg border border-edge bg-surface px-3 font-medium shadow-raised hover:bg-hover max-md:h-11"
        >
          <Download className="size-4" aria-hidden />
          <Trans>Export</Trans>
        </a>
      }
    >
      <Filter label={t`Operation, for example servers.store`} onChange={(v) => setOperation(whole(v))} />
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={ScrollText} title={t`No entries`} text={operation ? t`No entries match this operation.` : t`Changes to the organization appear here.`} />
      ) : (
        <AuditTable rows={list.rows} names={names} more={list.more} />
      )}
      {list.error && list.data && <Notice tone="bad">{list.error.message}</Notice>}
    </Section>
  );
}
