import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { LogOut, Mail, Plus, Trash2, UserPlus, Users } from 'lucide-react';
import { useState } from 'react';
import { fill } from '../../api/client';
import { useMay } from '../../api/may';
import { useList, useWrite } from '../../api/query';
import type { Invitation, Membership, Team } from '../../api/types';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { useDeed } from '../../kit/deed';
import { ConfirmName, Dialog } from '../../kit/dialog';
import { Input, Select, Textarea } from '../../kit/field';
import { Form } from '../../kit/form';
import { NoMail } from '../../kit/mail';
import { Empty, Failed, Notice, Page, Section, Waiting } from '../../kit/page';
import { Pill, State, Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';
import { Tabs } from '../../kit/tabs';
import { capital, texts } from '../../kit/words';
import { teamPlaces } from '../../shell/places';
import { useUser } from '../../shell/session';
import { InWords } from '../role/allowed';
import { useRoles } from '../role/roles';
import { SharedAccounts, SharedRecipes, SharedServers } from './shares';

export function TeamFrame() {
  const { org } = useParams({ from: '/orgs/$org' });
  return (
    <Page title={t`Team`} sub={t`Members, teams and their roles.`}>
      <Tabs label={t`Team`} params={{ org }} tabs={teamPlaces} />
      <Outlet />
    </Page>
  );
}

export function People() {
  const { org } = useParams({ from: '/orgs/$org' });
  const params = { organization: org };
  const members = useList('/orgs/{organization}/members', params);
  const invites = useList('/orgs/{organization}/invites', params, { every: untilMailed });
  const [inviting, setInviting] = useState(false);
  useDeed('add', () => setInviting(true));
  const roles = useRoles(org);
  return (
    <div className="grid gap-8">
      <NoMail instead={t`After you invite a person, copy the link and share it.`} />
      <Section
        title={t`People`}
        plain
        actions={
          <Button look="primary" icon={UserPlus} does="post /orgs/{organization}/invites" onClick={() => setInviting(true)}>
            <Trans>Invite</Trans>
          </Button>
        }
      >
        {members.isPending ? (
          <Waiting />
        ) : members.error && !members.data ? (
          <Failed error={members.error} again={() => void members.refetch()} />
        ) : (
          <Members org={org} rows={members.rows} more={members.more} path="/orgs/{organization}/members" params={params} />
        )}
      </Section>
      <Invites rows={invites.rows} more={invites.more} path="/orgs/{organization}/invites" params={params} role={roles.name} />
      {inviting && <Invite path="/orgs/{organization}/invites" params={params} org={org} onClose={() => setInviting(false)} />}
    </div>
  );
}

type MembersPath = '/orgs/{organization}/members' | '/orgs/{organization}/teams/{team}/members';
type InvitesPath = '/orgs/{organization}/invites' | '/orgs/{organization}/teams/{team}/invites';
type P = Record<string, string>;
/** withRole is a member with another role. */
const withRole = (m: Membership, role: number | undefined): Membership =>
  m.relationships && role ? { ...m, relationships: { ...m.relationships, role: { data: { id: String(role), type: 'predefinedRoles' } } } } : m;

function Members({ org, rows, more, path, params, team }: { org: string; rows: Membership[]; more?: () => void; path: MembersPath; params: P; team?: string }) {
  const roles = useRoles(org);
  const me = useUser();
  const may = useMay(`put ${path}/{user}`);
  const [leaving, setLeaving] = useState<Membership | null>(null);
  const change = useWrite('put', `${path}/{user}` as '/orgs/{organization}/members/{user}', params, undefined, {
    guess: (body, at) => ({ list: fill(path, at), id: String(at.user), to: (m) => withRole(m as Membership, body?.role_id) }),
  });
  return (
    <>
      {change.error && (
        <Notice tone="bad" role="alert">
          {texts(change.fields) || change.error.message}
        </Notice>
      )}
      <Table
        label={t`People`}
        rows={rows}
        more={more}
        id={(m) => m.id}
        columns={[
          {
            name: t`Name`,
            width: 'minmax(0,2fr)',
            cell: (m) => (
              <span className="grid">
                <span className="flex items-center gap-2 font-medium">
                  <span className="truncate">{m.attributes.name || m.attributes.email}</span>
                  {m.id === me.id && (
                    <Pill>
                      <Trans>You</Trans>
                    </Pill>
                  )}
                </span>
                <span className="truncate text-sm text-muted">{m.attributes.email}</span>
              </span>
            ),
          },
          {
            name: t`Role`,
            width: '13rem',
            cell: (m) =>
              may ? (
                <Select
                  label={t`Role of ${m.attributes.name || m.attributes.email}`}
                  hidden
                  name="role_id"
                  value={m.relationships?.role.data?.id ?? ''}
                  options={m.relationships?.role.data ? roles.options : [['', t`Through teams only`], ...roles.options]}
                  onChange={(e) => change.submit({ role_id: Number(e.target.value) }, { user: m.id })}
                />
              ) : (
                <span>{roles.name(m.relationships?.role.data?.id)}</span>
              ),
          },
          {
            name: t`Joined`,
            width: '8rem',
            minor: true,
            cell: (m) => (
              <span className="text-muted">
                <Time at={m.attributes.created_at} ago />
              </span>
            ),
          },
          {
            name: t`Remove`,
            width: '2.5rem',
            end: true,
            cell: (m) => (
              <Button
                look="quiet"
                only
                icon={m.id === me.id ? LogOut : Trash2}
                does={m.id === me.id ? 'delete /orgs/{organization}/membership' : `delete ${path}/{user}`}
                onClick={() => setLeaving(m)}
              >
                {m.id === me.id ? t`Leave` : t`Remove ${m.attributes.name || m.attributes.email}`}
              </Button>
            ),
          },
        ]}
      />
      {leaving && (
        <RemoveMember
          path={path}
          params={params}
          member={leaving}
          self={leaving.id === me.id && path === '/orgs/{organization}/members'}
          team={team}
          onClose={() => setLeaving(null)}
        />
      )}
    </>
  );
}

function RemoveMember({
  path,
  params,
  member,
  self,
  team,
  onClose,
}: {
  path: MembersPath;
  params: P;
  member: Membership;
  self: boolean;
  team?: string;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const remove = useWrite('delete', `${path}/{user}` as '/orgs/{organization}/members/{user}', { ...params, user: member.id }, onClose);
  const leave = useWrite('delete', '/orgs/{organization}/membership', params, () => void navigate({ to: '/' }));
  const write = self ? leave : remove;
  const name = member.attributes.name || member.attributes.email;
  return (
    <ConfirmName
      open
      onClose={onClose}
      title={self ? t`Leave this organization?` : t`Remove ${name}?`}
      name={name}
      submit={self ? t`Leave` : t`Remove`}
      call={() => write.call()}
      what={
        <>
          {self ? (
            <Trans>You lose access to this organization immediately.</Trans>
          ) : team ? (
            <Trans>
              {name} loses access to the team {team} immediately.
            </Trans>
          ) : (
            <Trans>{name} loses access to this organization immediately.</Trans>
          )}{' '}
          <Trans>Access tokens stop working for it. Nothing that was created is deleted.</Trans>
        </>
      }
      removal={{ ...write, submit: () => write.submit() }}
    />
  );
}

interface InvitesProps {
  rows: Invitation[];
  more?: () => void;
  path: InvitesPath;
  params: P;
  role: (id?: string) => string;
}

/** untilMailed is how often invitations are asked for again: often until the mail server has said something of each. */
const untilMailed = (rows: Invitation[]) => (rows.some(({ meta: m }) => m?.delivery === 'mail' && !m.mailed_at && !m.mail_failure) ? 2_000 : 60_000);

/** Mailed is what became of an invitation's email. */
function Mailed({ of }: { of: Invitation }) {
  const { delivery, mailed_at: at, mail_failure: failure } = of.meta ?? {};
  if (failure) {
    return (
      <span className="grid">
        <State state="failed" text={t`Not sent`} />
        <span className="line-clamp-2 text-sm text-danger wrap-anywhere" title={failure}>
          {capital(failure)}
        </span>
      </span>
    );
  }
  if (at) {
    return (
      <span className="flex flex-wrap items-center gap-x-2">
        <State state="succeeded" text={t`Sent`} />
        <span className="text-sm text-muted">
          <Time at={at} ago />
        </span>
      </span>
    );
  }
  return delivery === 'log' ? <State state="warn" tone="warn" text={t`Share the link yourself`} /> : <State state="pending" text={t`Being sent`} />;
}

/** Invites are the open invitations, where there are any. */
function Invites({ rows, more, path, params, role }: InvitesProps) {
  const take = useWrite('delete', `${path}/{invitation}` as '/orgs/{organization}/invites/{invitation}', params, undefined, {
    guess: (_, at) => ({ list: fill(path, at), id: String(at.invitation) }),
  });
  const [again, setAgain] = useState<{ email: string; url: string } | null>(null);
  const send = useWrite('post', path as '/orgs/{organization}/invites', params, (a) => {
    const url = a.data.meta?.shown_once?.url;
    if (url) setAgain({ email: a.data.attributes.email, url });
  });
  if (rows.length === 0) return null;
  const error = take.error ?? send.error;
  const mails = rows.some((i) => i.meta?.delivery !== 'log');
  return (
    <Section
      title={t`Pending invitations`}
      plain
      text={
        mails
          ? t`A link works once and for 7 days. Sending it again makes a new one, and the old one stops working.`
          : t`The link was shown when you invited them. It works once and for 7 days. A new one replaces it.`
      }
    >
      {error && (
        <Notice tone="bad" role="alert">
          {error.message}
        </Notice>
      )}
      <Table
        label={t`Invitations`}
        rows={rows}
        more={more}
        id={(i) => i.id}
        columns={[
          {
            name: t`Address`,
            width: 'minmax(0,2fr)',
            cell: (i) => (
              <span className="flex items-center gap-2">
                <Mail className="size-4 shrink-0 text-muted" aria-hidden />
                <span className="truncate">{i.attributes.email}</span>
              </span>
            ),
          },
          { name: t`Role`, width: '7rem', cell: (i) => role(i.relationships?.role.data?.id) },
          { name: t`Email`, width: 'minmax(0,1.4fr)', named: true, cell: (i) => <Mailed of={i} /> },
          {
            name: t`Invited`,
            width: '7rem',
            minor: true,
            cell: (i) => (
              <span className="text-muted">
                <Time at={i.attributes.created_at} ago />
              </span>
            ),
          },
          {
            name: t`Actions`,
            width: '13rem',
            end: true,
            cell: (i) => (
              <span className="flex gap-1">
                <Button
                  look="quiet"
                  does={send.operation}
                  pending={send.pending}
                  onClick={() => send.submit({ email: i.attributes.email, role_id: Number(i.relationships?.role.data?.id) })}
                >
                  {i.meta?.delivery === 'log' ? t`New link` : t`Send again`}
                  <span className="sr-only"> {i.attributes.email}</span>
                </Button>
                <Action write={take} at={{ invitation: i.id }} look="quiet" pending={false}>{t`Revoke`}</Action>
              </span>
            ),
          },
        ]}
      />
      {again && (
        <Dialog open onClose={() => setAgain(null)} title={t`Share the invitation`}>
          <Links links={[again]} onDone={() => setAgain(null)} />
        </Dialog>
      )}
    </Section>
  );
}

/** Links are the links of invitations for their sender, where no mail server can send them. */
function Links({ links, onDone }: { links: { email: string; url: string }[]; onDone: () => void }) {
  return (
    <div className="grid gap-4">
      {links.map((l) => (
        <div key={l.email} className="grid gap-2">
          <p role="status">
            <Trans>No mail server is configured. Copy the link now and send it to {l.email}: it is shown only here, and it works once, for 7 days.</Trans>
          </p>
          <Code text={l.url} label={links.length > 1 ? t`Invitation link for ${l.email}` : t`Invitation link`} wrap />
        </div>
      ))}
      <div>
        <Button look="primary" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
      </div>
    </div>
  );
}

/** Allows is what the role allows that was chosen for an invitation. */
function Allows({ role }: { role?: { name: string; permissions: string[] } }) {
  if (!role) return null;
  return (
    <div className="max-h-56 overflow-y-auto rounded-lg border border-line p-4" tabIndex={0} role="group" aria-label={t`Permissions`}>
      <InWords title={t`${role.name} allows`} names={role.permissions} />
    </div>
  );
}

interface InviteProps {
  path: InvitesPath;
  params: P;
  org: string;
  /** team is the name of the team, of those of the organization none. */
  team?: string;
  onClose: () => void;
}

function Invite({ path, params, org, team, onClose }: InviteProps) {
  const roles = useRoles(org);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('4');
  const [link, setLink] = useState('');
  const write = useWrite('post', path as '/orgs/{organization}/invites', params, (a) => {
    const shown = a.data.meta?.shown_once?.url;
    if (shown) setLink(shown);
    else onClose();
  });
  const body = () => ({ email: email.trim(), role_id: Number(role) });
  return (
    <Dialog open onClose={onClose} title={link ? t`Share the invitation` : team ? t`Invite to the team ${team}` : t`Invite to this organization`}>
      {link ? (
        <Links links={[{ email: email.trim(), url: link }]} onDone={onClose} />
      ) : (
        <Form write={write} submit={t`Invite`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
          <NoMail instead={t`Copy the link in the next step and share it.`} />
          <Input label={t`Email`} name="email" type="email" autoFocus autoComplete="off" value={email} onChange={(e) => setEmail(e.target.value)} />
          <Select
            label={t`Role`}
            name="role_id"
            value={role}
            onChange={(e) => setRole(e.target.value)}
            options={roles.options}
            hint={t`You can only grant permissions that you have.`}
          />
          <Allows role={roles.all.find((r) => r.id === role)} />
        </Form>
      )}
    </Dialog>
  );
}

export function Teams() {
  const { org } = useParams({ from: '/orgs/$org' });
  const list = useList('/orgs/{organization}/teams', { organization: org });
  const [making, setMaking] = useState(false);
  const add = (
    <Button look="primary" icon={Plus} does="post /orgs/{organization}/teams" onClick={() => setMaking(true)}>
      <Trans>New team</Trans>
    </Button>
  );
  return (
    <Section
      title={t`Teams`}
      plain
      text={t`Servers not shared with a team are visible to the whole organization. Shared servers are visible to team members only, with their team role.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty icon={Users} title={t`No teams`} text={t`Create a team to share servers with selected people.`} action={add} />
      ) : (
        <Table
          label={t`Teams`}
          rows={list.rows}
          more={list.more}
          id={(t) => t.id}
          columns={[
            {
              name: t`Name`,
              cell: (t) => (
                <Link to="/orgs/$org/team/teams/$team" params={{ org, team: t.id }} className={rowLink}>
                  {t.attributes.name}
                </Link>
              ),
            },
            {
              name: t`Created`,
              width: '8rem',
              cell: (t) => (
                <span className="text-muted">
                  <Time at={t.attributes.created_at} ago />
                </span>
              ),
            },
          ]}
        />
      )}
      {making && <NameTeam org={org} onClose={() => setMaking(false)} />}
    </Section>
  );
}

const renamed = (t: Team, name = t.attributes.name): Team => ({ ...t, attributes: { ...t.attributes, name } });

/** NameTeam makes a team, or gives one another name. */
function NameTeam({ org, team, was = '', onClose }: { org: string; team?: string; was?: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState(was);
  const [emails, setEmails] = useState('');
  const [role, setRole] = useState('4');
  const [made, setMade] = useState<{ team: string; links: { email: string; url: string }[] } | null>(null);
  const roles = useRoles(org);
  const open = (id: string) => void navigate({ to: '/orgs/$org/team/teams/$team', params: { org, team: id } });
  const make = useWrite('post', '/orgs/{organization}/teams', { organization: org }, (a) => {
    const links = a.data.meta?.shown_once?.invitations;
    if (links?.length) setMade({ team: a.data.id, links });
    else open(a.data.id);
  });
  const rename = useWrite('put', '/orgs/{organization}/teams/{team}', { organization: org, team: team ?? '' }, onClose, {
    guess: (body, at) => ({ list: fill('/orgs/{organization}/teams', at), id: String(at.team), to: (t) => renamed(t as Team, body?.name) }),
  });
  const write = team ? rename : make;
  const invited = emails.split(/[\s,;]+/).filter(Boolean);
  const body = () => ({ name: name.trim(), ...(invited.length > 0 && { invites: invited.map((email) => ({ email, role: { id: Number(role) } })) }) });
  if (made)
    return (
      <Dialog open onClose={() => open(made.team)} title={t`Share the invitations`}>
        <Links links={made.links} onDone={() => open(made.team)} />
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title={team ? t`Rename the team ${was}` : t`New team`}>
      <Form write={write} submit={team ? t`Rename` : t`Create team`} onSubmit={() => write.submit(body())} call={() => write.call(body())}>
        <Input label={t`Name`} name="name" autoFocus value={name} onChange={(e) => setName(e.target.value)} />
        {!team && (
          <Textarea
            label={t`Invite`}
            name="invites"
            rows={2}
            value={emails}
            hint={t`Email addresses of new members, one per line. Optional.`}
            onChange={(e) => setEmails(e.target.value)}
          />
        )}
        {invited.length > 0 && (
          <>
            <NoMail instead={t`Copy the links in the next step and share them.`} />
            <Select label={t`Role`} name="role_id" value={role} onChange={(e) => setRole(e.target.value)} options={roles.options} />
            <Allows role={roles.all.find((r) => r.id === role)} />
          </>
        )}
      </Form>
    </Dialog>
  );
}

export function TeamPage() {
  const { org, team } = useParams({ from: '/orgs/$org/team/teams/$team' });
  const params = { organization: org, team };
  const list = useList('/orgs/{organization}/teams', { organization: org });
  const members = useList('/orgs/{organization}/teams/{team}/members', params);
  const invites = useList('/orgs/{organization}/teams/{team}/invites', params, { every: untilMailed });
  const roles = useRoles(org);
  const navigate = useNavigate();
  const [inviting, setInviting] = useState(false);
  const [removing, setRemoving] = useState(false);
  const [naming, setNaming] = useState(false);
  const remove = useWrite('delete', '/orgs/{organization}/teams/{team}', params, () => void navigate({ to: '/orgs/$org/team/teams', params: { org } }));
  const name = list.rows.find((t) => t.id === team)?.attributes.name;
  if (members.error && !members.data) return <Failed error={members.error} />;
  return (
    <div className="grid gap-8">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="text-xl font-semibold">{name ?? ''}</h2>
        <span className="ml-auto flex gap-2">
          <Button look="primary" icon={UserPlus} does="post /orgs/{organization}/teams/{team}/invites" onClick={() => setInviting(true)}>
            <Trans>Invite</Trans>
          </Button>
          <Button does="put /orgs/{organization}/teams/{team}" disabled={!name} onClick={() => setNaming(true)}>
            <Trans>Rename</Trans>
          </Button>
          <Button look="remove" does={remove.operation} onClick={() => setRemoving(true)}>
            <Trans>Delete team</Trans>
          </Button>
        </span>
      </div>
      <Section title={t`Members`} plain>
        <Members org={org} rows={members.rows} more={members.more} path="/orgs/{organization}/teams/{team}/members" params={params} team={name} />
      </Section>
      <Invites rows={invites.rows} more={invites.more} path="/orgs/{organization}/teams/{team}/invites" params={params} role={roles.name} />
      <SharedServers org={org} team={team} />
      <SharedRecipes org={org} team={team} />
      <SharedAccounts org={org} team={team} />
      {inviting && <Invite path="/orgs/{organization}/teams/{team}/invites" params={params} org={org} team={name} onClose={() => setInviting(false)} />}
      {naming && name && <NameTeam org={org} team={team} was={name} onClose={() => setNaming(false)} />}
      {name && (
        <ConfirmName
          open={removing}
          onClose={() => setRemoving(false)}
          title={t`Delete the team ${name}?`}
          name={name}
          submit={t`Delete team`}
          what={t`Members lose the access they have through it. Servers not shared with another team become visible to the whole organization.`}
          removal={{ ...remove, submit: () => remove.submit() }}
          call={() => remove.call()}
        />
      )}
    </div>
  );
}
