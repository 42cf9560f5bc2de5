import { Link, useParams } from '@tanstack/react-router';
import { CircleCheck, Plus, Server as ServerIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { useList } from '../api/query';
import type { Server } from '../api/types';
import { ButtonLink } from '../kit/button';
import { Empty, Failed, Page, Section, Waiting } from '../kit/page';
import { active, State, Time } from '../kit/state';
import { EventTable } from './events';
import { serverState } from './servers';

interface Need {
  key: string;
  state: 'failed' | 'running' | 'cancelled';
  title: ReactNode;
  text: ReactNode;
  action: ReactNode;
}

const link = 'shrink-0 font-medium text-accent underline-offset-2 hover:underline';

/** Home answers one question: what needs me now? */
export function Home() {
  const { org } = useParams({ from: '/orgs/$org' });
  const params = { organization: org };
  const servers = useList('/orgs/{organization}/servers', params, { size: 200, every: 10_000 });
  const sites = useList('/orgs/{organization}/sites', params, { size: 200, every: 15_000 });
  const events = useList('/orgs/{organization}/events', params, { size: 12, query: { sort: '-created_at' }, every: 10_000 });
  if (servers.isPending) return <Page title="Home"><Waiting /></Page>;
  if (servers.error && !servers.data) return <Page title="Home"><Failed error={servers.error} again={() => void servers.refetch()} /></Page>;
  if (servers.rows.length === 0) {
    return (
      <Page title="Home">
        <Empty icon={ServerIcon} title="Add your first server" text="Any machine with Debian or Ubuntu that you can log in to as root. You paste one line; Hostler does the rest, and you watch."
          action={<ButtonLink look="primary" icon={Plus} needs="server:create" to="/orgs/$org/servers/new" params={{ org }}>Add a server</ButtonLink>} />
      </Page>
    );
  }
  const needs: Need[] = [];
  const at = (s: Server) => ({ org, server: s.id });
  for (const s of servers.rows) {
    const [text, tone] = serverState(s);
    const go = (t: string) => <Link to="/orgs/$org/servers/$server" params={at(s)} className={link}>{t}</Link>;
    if (s.meta?.provisioning === 'connecting') needs.push({ key: 's' + s.id, state: 'cancelled', title: s.attributes.name, text: 'waits for its line to be pasted', action: go('Show the line') });
    else if (tone === 'bad') needs.push({ key: 's' + s.id, state: 'failed', title: s.attributes.name, text: s.meta?.operation?.state === 'failed' && s.attributes.connection_status !== 'disconnected' ? (s.meta.operation.reason ?? text) : text, action: go('Look at it') });
  }
  for (const s of sites.rows) {
    if (s.meta?.operation?.state === 'failed') needs.push({ key: 'i' + s.id, state: 'failed', title: s.attributes.name, text: s.meta.operation.reason ?? 'The last change failed.', action: <Link to="/orgs/$org/sites/$site" params={{ org, site: s.id }} className={link}>Look at it</Link> });
  }
  const running = events.rows.filter((e) => active(e.meta?.operation));
  return (
    <Page title="Home">
      <Section title={needs.length ? 'Needs you' : 'Nothing needs you'} plain>
        {needs.length === 0 ? (
          <div className="panel flex items-center gap-3 px-5 py-4"><CircleCheck className="size-5 text-accent" aria-hidden /><p>Every server answers, and every change arrived.</p></div>
        ) : (
          <ul className="panel divide-y divide-line">
            {needs.map((n) => (
              <li key={n.key} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3.5">
                <State state={n.state} text="" /><strong className="min-w-0 font-medium [overflow-wrap:anywhere]">{n.title}</strong>
                <span className="min-w-0 flex-1 basis-60 text-muted [overflow-wrap:anywhere]">{n.text}</span>{n.action}
              </li>
            ))}
          </ul>
        )}
      </Section>
      {running.length > 0 && (
        <Section title="Running now" plain>
          <ul className="panel divide-y divide-line">
            {running.map((e) => (
              <li key={e.id} className="flex flex-wrap items-center gap-x-4 px-5 py-3.5">
                <State state={e.meta!.operation!.state} /><strong className="min-w-0 font-medium [overflow-wrap:anywhere]">{e.attributes.description}</strong>
                <span className="min-w-0 flex-1 truncate text-muted">{e.meta!.operation!.step}</span><Time at={e.attributes.created_at} ago />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Activity" plain actions={<Link to="/orgs/$org/activity" params={{ org }} className={link}>All activity</Link>}>
        {events.isPending ? <Waiting /> : <EventTable rows={events.rows.slice(0, 12)} org={org} />}
      </Section>
    </Page>
  );
}
