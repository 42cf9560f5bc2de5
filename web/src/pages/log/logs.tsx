import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Eraser } from 'lucide-react';
import { useState } from 'react';
import { address } from '../../api/client';
import { useLacked } from '../../api/may';
import { asks, useWrite } from '../../api/query';
import { Button } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { LogFile } from '../../kit/log-file';
import { Notice, Section } from '../../kit/page';
import { SubTabs } from '../../kit/tabs';
import { permissionNamed } from '../../kit/words';
import { isBalanced } from '../../shell/places';
import { EventWork } from '../event/work';
import { useAt } from '../site/at';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/logs';

const logs = {
  access: {
    path: 'nginx-access',
    title: t`Access log`,
    clear: t`Clear the access log?`,
    text: t`Requests served by nginx for this site.`,
    empty: t`No requests yet.`,
  },
  error: { path: 'nginx-error', title: t`Error log`, clear: t`Clear the error log?`, text: t`Errors reported by nginx for this site.`, empty: t`No errors.` },
  application: {
    path: 'application',
    title: t`Application log`,
    clear: t`Clear the application log?`,
    text: t`The most recently written log file in the site's directory.`,
    empty: t`No log file found. Hostler looks in storage/logs, var/log, logs and wp-content/debug.log.`,
  },
} as const;
type Kind = keyof typeof logs;

export function LogsFrame() {
  const { site, to } = useAt();
  const lacks = useLacked(`get ${many}/nginx-access`);
  if (lacks)
    return (
      <Notice>
        <Trans>Logs may contain visitors' data. You need the permission {permissionNamed(lacks)} to read them.</Trans>
      </Notice>
    );
  return (
    <div className="grid min-w-0 gap-6">
      <SubTabs
        label={t`Logs`}
        params={to}
        tabs={[
          { to: '/orgs/$org/sites/$site/logs', text: t`Access`, exact: true },
          { to: '/orgs/$org/sites/$site/logs/error', text: t`Errors` },
          ...(isBalanced(site) ? [] : [{ to: '/orgs/$org/sites/$site/logs/application', text: t`Application` }]),
        ]}
      />
      <Outlet />
    </div>
  );
}

export function AccessLog() {
  return <OneLog kind="access" />;
}
export function OtherLog() {
  const { log } = useParams({ from: '/orgs/$org/sites/$site/logs/$log' });
  const navigate = useNavigate();
  const { to } = useAt();
  return log === 'error' || log === 'application' ? (
    <OneLog key={log} kind={log} />
  ) : (
    <Notice
      action={
        <Button onClick={() => void navigate({ to: '/orgs/$org/sites/$site/logs', params: to })}>
          <Trans>Go to access log</Trans>
        </Button>
      }
    >
      <Trans>Log not found.</Trans>
    </Notice>
  );
}

function OneLog({ kind }: { kind: Kind }) {
  const { org, site, params } = useAt();
  const l = logs[kind];
  const cache = useQueryClient();
  const path = `${many}/${l.path}` as `${typeof many}/nginx-access`;
  const [asked, setAsked] = useState(false);
  const clear = useWrite('delete', path, params, () => setAsked(false));
  const url = address(path, params);
  return (
    <Section title={l.title} plain text={l.text}>
      {clear.event && (
        <EventWork
          org={org}
          server={params.server}
          event={clear.event}
          done={t`Log cleared.`}
          ended={() => void cache.invalidateQueries({ queryKey: [asks + url] })}
        />
      )}
      <LogFile
        url={url}
        stream={url + '/stream'}
        name={`${site.attributes.name}-${l.path}`}
        empty={l.empty}
        actions={
          <Button look="quiet" only icon={Eraser} does={clear.operation} title={t`Clear log`} onClick={() => setAsked(true)}>
            <Trans>Clear log</Trans>
          </Button>
        }
      />
      {asked && (
        <ConfirmName
          open
          easy
          onClose={() => setAsked(false)}
          title={l.clear}
          name={l.path}
          submit={t`Clear log`}
          what={t`The current log file is permanently cleared on the server. Rotated files are kept.`}
          removal={{ ...clear, submit: () => clear.submit(), tryOut: () => clear.tryOut() }}
          call={() => clear.call()}
        />
      )}
    </Section>
  );
}
