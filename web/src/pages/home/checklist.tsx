import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleDashed, X } from 'lucide-react';
import { useEffect } from 'react';
import { useGet } from '../../api/query';
import type { Checklist } from '../../api/types';
import { Button } from '../../kit/button';
import { AllDone, useOnce } from '../../kit/once';
import { Section } from '../../kit/page';

const link = 'font-medium text-accent underline-offset-2 hover:underline';

type Name = 'server' | 'site' | 'repository' | 'https' | 'backup' | 'invite';

/** Screen is where a step is done; one of a server or a site is there once there is one. */
interface Screen {
  to: string;
  text: string;
  of?: 'server' | 'site';
}

interface Step {
  name: Name;
  title: string;
  text: string;
  /** guide is the page of the documentation. */
  guide: string;
  /** screens are the places where the step is done: the first that is there leads on, and none while an earlier step has to be done first. */
  screens: Screen[];
}

const org = '/orgs/$org';
const steps: Step[] = [
  {
    name: 'server',
    title: t`Add your first server`,
    text: t`Any Debian or Ubuntu machine with root access. Run one command on it; Hostler does the rest while you watch.`,
    guide: 'servers',
    screens: [
      { to: `${org}/servers/$server`, text: t`View server`, of: 'server' },
      { to: `${org}/servers/new`, text: t`Add server` },
    ],
  },
  {
    name: 'site',
    title: t`Create a site`,
    text: t`A domain on one of your servers: an application, WordPress or static files.`,
    guide: 'sites',
    screens: [{ to: `${org}/sites/new`, text: t`New site`, of: 'server' }],
  },
  {
    name: 'repository',
    title: t`Connect a repository`,
    text: t`Deploy from Git with one click or on each push.`,
    guide: 'deployments',
    screens: [{ to: `${org}/sites/$site/deployments/source`, text: t`Connect repository`, of: 'site' }],
  },
  {
    name: 'https',
    title: t`Turn on HTTPS`,
    text: t`Point the domain at the server, then request a certificate from Let's Encrypt. It renews automatically.`,
    guide: 'sites',
    screens: [{ to: `${org}/sites/$site/domains`, text: t`View domains`, of: 'site' }],
  },
  {
    name: 'backup',
    title: t`Schedule backups`,
    text: t`Encrypted, stored elsewhere, and test-restored on a schedule.`,
    guide: 'backups',
    screens: [{ to: `${org}/servers/$server/backups`, text: t`View backups`, of: 'server' }],
  },
  {
    name: 'invite',
    title: t`Invite a colleague`,
    text: t`Roles and teams limit what each person can do.`,
    guide: 'access',
    screens: [{ to: `${org}/team`, text: t`Invite` }],
  },
];

/** screenOf is where a step is done now, with the ids of its address; undefined while nothing leads there. */
function screenOf(step: Step, org: string, list: Checklist) {
  const ids = { server: list.server_id, site: list.site_id };
  const screen = step.screens.find((s) => !s.of || ids[s.of]);
  return screen && { ...screen, params: { org, server: String(ids.server ?? ''), site: String(ids.site ?? '') } };
}

/** useChecklist reads the first steps of an organization, for those who manage it, until they are dismissed, or were done before this browser saw them. */
export function useChecklist(org: string) {
  const { gone, seen, see, leave } = useOnce(`hostler.started.${org}`);
  const doc = useGet('/orgs/{organization}/checklist', { organization: org }, { enabled: !gone });
  const list = doc.data?.data.attributes;
  const open = !!list && !gone && steps.some((s) => !list[s.name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once they are shown
  useEffect(() => {
    if (open) see();
  }, [open]);
  return { list: open || (list && !gone && seen) ? list : null, pending: !gone && doc.isPending, dismiss: leave };
}

/** GetStarted are the steps to a first site in production: what is done, and where each is done. */
export function GetStarted({ org, list, dismiss }: { org: string; list: Checklist; dismiss: () => void }) {
  const done = steps.filter((s) => list[s.name]).length;
  if (done === steps.length)
    return (
      <AllDone onClose={dismiss} title={t`All first steps are done`}>
        <Trans>A site is served over HTTPS from your server, it is backed up, and a colleague is invited. What needs attention appears here.</Trans>
      </AllDone>
    );
  return (
    <Section
      title={t`Get started`}
      text={t`${done} of ${steps.length} steps done`}
      plain
      actions={
        <Button look="quiet" icon={X} onClick={dismiss}>
          <Trans>Dismiss</Trans>
        </Button>
      }
    >
      <ol className="panel divide-y divide-line">
        {steps.map((s) => {
          const Icon = list[s.name] ? CircleCheck : CircleDashed;
          const screen = list[s.name] ? undefined : screenOf(s, org, list);
          return (
            <li key={s.name} className={`grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 px-5 ${list[s.name] ? 'py-2' : 'py-3.5'}`}>
              <Icon className={`mt-0.5 size-5 ${list[s.name] ? 'text-accent' : 'text-muted'}`} aria-hidden />
              <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
                <div className="min-w-0 flex-1 basis-72">
                  <strong className="font-medium">{s.title}</strong>
                  {list[s.name] ? <span className="sr-only"> {t`Done`}</span> : <p className="text-muted">{s.text}</p>}
                </div>
                {screen && (
                  <Link to={screen.to} params={screen.params} className={link}>
                    {screen.text}
                  </Link>
                )}
                {!list[s.name] && (
                  <a href={`/docs/${s.guide}`} target="_blank" rel="noreferrer" className={link}>
                    <Trans>
                      Documentation<span className="sr-only">: {s.title}</span>
                    </Trans>
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
