// What needs attention: how each kind is said, and where it is put right.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Attention } from '../../api/types';
import { Button } from '../../kit/button';
import { Opening } from '../../kit/page';
import { State, Time } from '../../kit/state';
import type { Tone } from '../../kit/words';

const Reboot = lazy(() => import('../server/reboot')); // with the dialog, which the first screen is shown without

const link = 'shrink-0 font-medium text-accent underline-offset-2 hover:underline';

interface Said {
  tone: Tone;
  text: (a: Attention) => ReactNode;
  action: string;
}

// What is said of each kind, and where the way out begins.
export const said: Record<Attention['kind'], Said> = {
  'server-host-key-changed': {
    tone: 'bad',
    text: () => t`Its SSH host keys changed, so Hostler does not log in. Find out why before you confirm the new keys.`,
    action: t`Compare keys`,
  },
  'server-unreachable': { tone: 'bad', text: () => t`Unreachable. Operations are queued until it reconnects.`, action: t`View` },
  'server-failed': { tone: 'bad', text: (a) => (a.text ? <Trans>Setup failed. {a.text}</Trans> : t`Setup failed.`), action: t`Try again` },
  'panel-disk-full': { tone: 'bad', text: (a) => a.text, action: '' },
  'panel-certificate': { tone: 'bad', text: (a) => a.text, action: '' },
  'panel-open': { tone: 'bad', text: (a) => a.text, action: '' },
  'disk-full': { tone: 'bad', text: (a) => a.text, action: t`View` },
  'site-failed': { tone: 'bad', text: (a) => (a.text ? <Trans>The last change failed. {a.text}</Trans> : t`The last change failed.`), action: t`Try again` },
  'deployment-failed': { tone: 'bad', text: (a) => (a.text ? <Trans>The deployment failed. {a.text}</Trans> : t`The deployment failed.`), action: t`View log` },
  'dns-records': { tone: 'bad', text: (a) => a.text || t`The last change of its DNS records failed.`, action: t`View` },
  'certificate-failing': {
    tone: 'bad',
    text: (a) => (
      <>
        {a.ends_at ? (
          <Trans>
            Certificate renewal failed and it expires <Time at={a.ends_at} ago />: {a.text}
          </Trans>
        ) : (
          <Trans>Certificate renewal failed: {a.text}</Trans>
        )}
      </>
    ),
    action: t`Renew`,
  },
  'backup-alarm': { tone: 'bad', text: (a) => a.text, action: t`View` },
  'heartbeat-missing': { tone: 'bad', text: (a) => a.text, action: t`View` },
  'monitor-alert': { tone: 'bad', text: (a) => a.text, action: t`View` },
  'certificate-ending': {
    tone: 'warn',
    text: (a) => (
      <>
        <Trans>
          The certificate expires <Time at={a.ends_at} ago />.
        </Trans>
      </>
    ),
    action: t`Renew`,
  },
  'input-misread': { tone: 'warn', text: (a) => a.text, action: t`View` },
  'job-not-started': { tone: 'bad', text: (a) => a.text, action: t`View` },
  'nothing-served': { tone: 'warn', text: (a) => a.text, action: t`View` },
  'nginx-refused': {
    tone: 'bad',
    text: (a) => (
      <>
        <Trans>Its nginx configuration predates the current restrictions and is still served. {a.text}</Trans>
      </>
    ),
    action: t`Edit`,
  },
  'server-out-of-memory': { tone: 'bad', text: (a) => a.text, action: t`View server` },
  'site-limit-reached': { tone: 'bad', text: (a) => a.text, action: t`View site` },
  'clock-apart': { tone: 'warn', text: (a) => a.text, action: t`View server` },
  'work-stalled': { tone: 'bad', text: (a) => a.text, action: t`View log` },
  'memory-lost': { tone: 'bad', text: (a) => a.text, action: t`Repair` },
  'files-changed': { tone: 'warn', text: (a) => a.text, action: t`Compare` },
  drift: { tone: 'warn', text: () => t`Files were changed outside Hostler.`, action: t`Compare` },
  'site-shares-account': { tone: 'bad', text: (a) => a.text, action: t`View environment` },
  'hook-known': { tone: 'bad', text: (a) => a.text, action: t`Regenerate hook` },
  'restart-needed': { tone: 'warn', text: (a) => a.text, action: t`Restart database` },
  'backup-unproven': { tone: 'warn', text: () => t`Backups have never been test-restored.`, action: t`Verify` },
  'reboot-needed': { tone: 'warn', text: () => t`A reboot is required to finish updates.`, action: t`Reboot` },
  'server-outdated': { tone: 'warn', text: (a) => a.text, action: t`View server` },
  'server-handed-over': { tone: 'warn', text: (a) => a.text, action: t`View server` },
  'server-waiting': { tone: 'warn', text: () => t`Run the setup command to connect this server.`, action: t`Show command` },
  'panel-backup': { tone: 'bad', text: (a) => a.text, action: '' },
  'recipient-waiting': { tone: 'warn', text: (a) => a.text, action: t`Review` },
  'mail-failed': { tone: 'bad', text: (a) => a.text, action: t`View runbook` },
  'panel-update': { tone: 'warn', text: (a) => a.text, action: '' },
};

/** Way leads to where the thing is put right. */
function Way({ org, a }: { org: string; a: Attention }) {
  const text = (
    <>
      {said[a.kind].action}
      <span className="sr-only">: {a.subject}</span>
    </>
  );
  const server = String(a.server_id);
  const site = String(a.site_id ?? '');
  const id = String(a.resource_id ?? '');
  switch (a.kind) {
    case 'panel-disk-full':
    case 'panel-certificate':
    case 'panel-open':
    case 'panel-backup':
    case 'panel-update':
      return null;
    case 'mail-failed':
      return (
        <a href="/docs/operations#emails-are-not-delivered" className={link}>
          {text}
        </a>
      );
    case 'deployment-failed':
      return (
        <Link to="/orgs/$org/sites/$site/deployments/$deployment" params={{ org, site, deployment: id }} className={link}>
          {text}
        </Link>
      );
    case 'work-stalled':
      return (
        <Link to="/orgs/$org/servers/$server/events/$event" params={{ org, server, event: String(a.event_id) }} className={link}>
          {text}
        </Link>
      );
    case 'input-misread':
    case 'job-not-started':
      if (a.site_id === null) {
        return (
          <Link to="/orgs/$org/servers/$server" params={{ org, server }} className={link}>
            {text}
          </Link>
        );
      }
      return (
        <Link to="/orgs/$org/sites/$site" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'site-failed':
    case 'site-limit-reached':
    case 'nothing-served':
      return (
        <Link to="/orgs/$org/sites/$site" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'dns-records':
      if (a.site_id === null) {
        return (
          <Link to="/orgs/$org/settings/dns" params={{ org }} className={link}>
            {text}
          </Link>
        );
      }
      return (
        <Link to="/orgs/$org/sites/$site/domains/$domain" params={{ org, site, domain: id }} className={link}>
          {text}
        </Link>
      );
    case 'nginx-refused':
    case 'certificate-failing':
    case 'certificate-ending':
      return (
        <Link to="/orgs/$org/sites/$site/domains/$domain" params={{ org, site, domain: id }} className={link}>
          {text}
        </Link>
      );
    case 'heartbeat-missing':
      return (
        <Link to="/orgs/$org/sites/$site/processes/heartbeats" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'monitor-alert':
      return (
        <Link to="/orgs/$org/servers/$server/monitors" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
    case 'reboot-needed':
      return <RebootNow org={org} server={server} name={a.subject} text={said[a.kind].action} />;
    case 'site-shares-account':
      return (
        <Link to="/orgs/$org/sites/$site/environment" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'hook-known':
      return (
        <Link to="/orgs/$org/sites/$site/deployments/source" params={{ org, site }} className={link}>
          {text}
        </Link>
      );
    case 'restart-needed':
      return (
        <Link to="/orgs/$org/servers/$server/databases" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
    case 'recipient-waiting':
      if (a.server_id === null) {
        return (
          <Link to="/orgs/$org/settings/notifications/$channel" params={{ org, channel: id }} className={link}>
            {text}
          </Link>
        );
      }
      return (
        <Link to="/orgs/$org/servers/$server" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
    case 'backup-alarm':
    case 'backup-unproven':
      return (
        <Link to="/orgs/$org/servers/$server/backups/$configuration" params={{ org, server, configuration: id }} className={link}>
          {text}
        </Link>
      );
    default:
      return (
        <Link to="/orgs/$org/servers/$server" params={{ org, server }} className={link}>
          {text}
        </Link>
      );
  }
}

function RebootNow({ org, server, name, text }: { org: string; server: string; name: string; text: string }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button
        icon={RotateCw}
        does="post /orgs/{organization}/servers/{server}/actions"
        className="-my-2 shrink-0"
        aria-label={`${text} ${name}`}
        onClick={() => setAsked(true)}
      >
        {text}
      </Button>
      {asked && (
        <Suspense fallback={<Opening />}>
          <Reboot org={org} server={server} name={name} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Concern is one thing that needs attention, as a row of a list. org is empty for what is the panel's own. */
export function Concern({ org, a }: { org: string; a: Attention }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-5 py-3.5">
      <State state={a.kind} tone={said[a.kind].tone} text="" />
      <strong className="min-w-0 font-medium [overflow-wrap:anywhere]">{a.subject}</strong>
      <span className="line-clamp-2 min-w-0 flex-1 basis-60 text-muted [overflow-wrap:anywhere]">{said[a.kind].text(a)}</span>
      {a.since && a.kind !== 'backup-unproven' && (
        <span className="text-sm text-muted">
          <Time at={a.since} ago />
        </span>
      )}
      <Way org={org} a={a} />
    </li>
  );
}
