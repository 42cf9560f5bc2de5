import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useParams } from '@tanstack/react-router';
import { CircleCheck, Plus, Server as ServerIcon } from 'lucide-react';
import { useList } from '../../api/query';
import { ButtonLink } from '../../kit/button';
import { Empty, Failed, Page, Section, Waiting } from '../../kit/page';
import { active, State, Time } from '../../kit/state';
import { EventTable, serverOf, withActors } from '../event/table';
import { Concern } from './attention';
import { GetStarted, useChecklist } from './checklist';

const link = 'shrink-0 font-medium text-accent underline-offset-2 hover:underline';

/** Home answers one question: what needs me now? */
export function Home() {
  const { org } = useParams({ from: '/orgs/$org' });
  const params = { organization: org };
  const servers = useList('/orgs/{organization}/servers', params, { size: 1 }); // whether there are any
  const started = useChecklist(org);
  const needs = useList('/orgs/{organization}/attention', params, { every: 10_000 });
  const events = useList('/orgs/{organization}/events', params, { size: 12, query: withActors, every: 10_000 });
  if ((servers.isPending && servers.rows.length === 0) || (needs.isPending && !needs.error) || started.pending)
    return (
      <Page title={t`Home`}>
        <Waiting />
      </Page>
    );
  if (servers.error && !servers.data)
    return (
      <Page title={t`Home`}>
        <Failed error={servers.error} again={() => void servers.refetch()} />
      </Page>
    );
  if (servers.rows.length === 0) {
    return (
      <Page title={t`Home`}>
        {started.list ? (
          <GetStarted org={org} list={started.list} dismiss={started.dismiss} />
        ) : (
          <Empty
            icon={ServerIcon}
            title={t`Add your first server`}
            text={t`Any Debian or Ubuntu machine with root access. Run one command on it; Hostler does the rest while you watch.`}
            action={
              <ButtonLink look="primary" icon={Plus} does="post /orgs/{organization}/servers" to="/orgs/$org/servers/new" params={{ org }}>
                <Trans>Add server</Trans>
              </ButtonLink>
            }
          />
        )}
      </Page>
    );
  }
  const list = needs.rows;
  const firstSteps = started.list && <GetStarted org={org} list={started.list} dismiss={started.dismiss} />;
  const running = events.rows.filter((e) => active(e.meta?.operation));
  return (
    <Page title={t`Home`}>
      {list.length === 0 && firstSteps}
      <Section title={list.length || !needs.data ? t`Needs attention` : t`Nothing needs attention`} plain>
        {!needs.data ? (
          <Failed error={needs.error} again={() => void needs.refetch()} />
        ) : list.length === 0 ? (
          <div className="panel flex items-center gap-3 px-5 py-4">
            <CircleCheck className="size-5 text-accent" aria-hidden />
            <p>
              <Trans>All servers are reachable. Work that failed and is settled since is under Activity.</Trans>
            </p>
          </div>
        ) : (
          <ul className="panel divide-y divide-line">
            {list.slice(0, 50).map(({ id, attributes: a }) => (
              <Concern key={id} org={org} a={a} />
            ))}
            {list.length > 50 && (
              <li className="px-5 py-3 text-muted">
                {needs.hasNextPage ? (
                  <Trans>And {list.length - 50}+ more with lower priority.</Trans>
                ) : (
                  <Trans>And {list.length - 50} more with lower priority.</Trans>
                )}
              </li>
            )}
          </ul>
        )}
      </Section>
      {list.length > 0 && firstSteps}
      {running.length > 0 && (
        <Section title={t`In progress`} plain>
          <ul className="panel divide-y divide-line">
            {running.map((e) => (
              <li key={e.id} className="relative flex flex-wrap items-center gap-x-4 px-5 py-3.5 transition-colors hover:bg-hover">
                <State state={e.meta!.operation!.state} />
                <Link
                  to="/orgs/$org/servers/$server/events/$event"
                  params={{ org, server: serverOf(e), event: e.id }}
                  className="min-w-0 font-medium [overflow-wrap:anywhere] after:absolute after:inset-0 hover:underline"
                >
                  {e.attributes.description}
                </Link>
                <span className="min-w-0 flex-1 truncate text-muted">{e.meta!.operation!.step}</span>
                <Time at={e.attributes.created_at} ago />
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section
        title={t`Activity`}
        plain
        actions={
          <Link to="/orgs/$org/activity" params={{ org }} className={link}>
            <Trans>All activity</Trans>
          </Link>
        }
      >
        {events.isPending ? <Waiting /> : <EventTable rows={events.rows.slice(0, 12)} org={org} pages={events.data?.pages} />}
      </Section>
    </Page>
  );
}
