import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, X } from 'lucide-react';
import { type ReactNode, useContext, useState } from 'react';
import { useGet } from '../api/query';
import type { Checklist } from '../api/types';
import { Button, Permissions } from '../kit/button';
import { Section } from '../kit/page';

const link = 'font-medium text-accent underline-offset-2 hover:underline';

interface Step {
  name: 'server' | 'site' | 'repository' | 'https' | 'backup' | 'invite';
  title: string;
  text: string;
  /** guide is the page of the documentation, and its part. */
  guide: string;
  /** screen leads to where the step is done; null while an earlier one has to be done first. */
  screen: (org: string, list: Checklist) => ReactNode;
}

const steps: Step[] = [
  {
    name: 'server',
    title: 'Add your first server',
    text: 'Any Debian or Ubuntu machine with root access. Run one command on it; Hostler does the rest while you watch.',
    guide: 'servers',
    screen: (org, list) =>
      list.server_id ? (
        <Link to="/orgs/$org/servers/$server" params={{ org, server: String(list.server_id) }} className={link}>
          View server
        </Link>
      ) : (
        <Link to="/orgs/$org/servers/new" params={{ org }} className={link}>
          Add server
        </Link>
      ),
  },
  {
    name: 'site',
    title: 'Create a site',
    text: 'A domain on one of your servers: a PHP or Node application, WordPress, or static files.',
    guide: 'sites',
    screen: (org, list) =>
      list.server_id && (
        <Link to="/orgs/$org/sites/new" params={{ org }} search={{}} className={link}>
          New site
        </Link>
      ),
  },
  {
    name: 'repository',
    title: 'Connect a repository',
    text: 'Deploy from Git, by a click or on each push.',
    guide: 'deployments',
    screen: (org, list) =>
      list.site_id && (
        <Link to="/orgs/$org/sites/$site/deployments/source" params={{ org, site: String(list.site_id) }} className={link}>
          Connect repository
        </Link>
      ),
  },
  {
    name: 'https',
    title: 'Turn on HTTPS',
    text: "Point the domain at the server, then request a certificate from Let's Encrypt. It renews automatically.",
    guide: 'sites',
    screen: (org, list) =>
      list.site_id && (
        <Link to="/orgs/$org/sites/$site/domains" params={{ org, site: String(list.site_id) }} className={link}>
          View domains
        </Link>
      ),
  },
  {
    name: 'backup',
    title: 'Schedule backups',
    text: 'Encrypted, stored elsewhere, and test-restored on a schedule.',
    guide: 'backups',
    screen: (org, list) =>
      list.server_id && (
        <Link to="/orgs/$org/servers/$server/backups" params={{ org, server: String(list.server_id) }} className={link}>
          View backups
        </Link>
      ),
  },
  {
    name: 'invite',
    title: 'Invite a colleague',
    text: 'Roles and teams limit what each person can do.',
    guide: 'access',
    screen: (org) => (
      <Link to="/orgs/$org/team" params={{ org }} className={link}>
        Invite
      </Link>
    ),
  },
];

/** dismissed remembers in this browser that the steps of an organization are not to be shown. */
function dismissed(org: string, set?: boolean): boolean {
  try {
    if (set) localStorage.setItem(`hostler.started.${org}`, 'dismissed');
    return localStorage.getItem(`hostler.started.${org}`) !== null;
  } catch {
    return !!set;
  }
}

/** useChecklist reads the first steps of an organization, for those who manage it, until they are done or dismissed. */
export function useChecklist(org: string) {
  const held = useContext(Permissions); // asking without the permission would be in the audit log
  const may = !!held?.has('organization:manage');
  const [gone, setGone] = useState(() => dismissed(org));
  const doc = useGet('/orgs/{organization}/checklist', { organization: org }, { enabled: may && !gone });
  const list = doc.data?.data.attributes;
  const open = !!list && !gone && steps.some((s) => !list[s.name]);
  return { list: open ? list : null, pending: !held || doc.isLoading, dismiss: () => setGone(dismissed(org, true)) };
}

/** GetStarted are the steps to a first site in production: what is done, and where each is done. */
export function GetStarted({ org, list, dismiss }: { org: string; list: Checklist; dismiss: () => void }) {
  const done = steps.filter((s) => list[s.name]).length;
  return (
    <Section
      title="Get started"
      text={`${done} of ${steps.length} steps done`}
      plain
      actions={
        <Button look="quiet" icon={X} onClick={dismiss}>
          Dismiss
        </Button>
      }
    >
      <ol className="panel divide-y divide-line">
        {steps.map((s) => {
          const Icon = list[s.name] ? CircleCheck : CircleDashed;
          const screen = !list[s.name] && s.screen(org, list);
          return (
            <li key={s.name} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-5 py-3.5">
              <Icon className={`mt-0.5 size-5 ${list[s.name] ? 'text-accent' : 'text-muted'}`} aria-hidden />
              <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
                <div className="min-w-0 flex-1 basis-72">
                  <strong className="font-medium">{s.title}</strong>
                  {list[s.name] ? <span className="sr-only">: done</span> : <p className="text-muted">{s.text}</p>}
                </div>
                {screen}
                {!list[s.name] && (
                  <a href={`/docs/${s.guide}`} target="_blank" rel="noreferrer" className={link}>
                    Documentation<span className="sr-only">: {s.title}</span>
                  </a>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
