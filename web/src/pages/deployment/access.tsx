import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { RefreshCw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/may';
import { useGet, useWrite } from '../../api/query';
import { Action } from '../../kit/action';
import { Button } from '../../kit/button';
import { Code } from '../../kit/copy';
import { ConfirmName } from '../../kit/dialog';
import { Notice } from '../../kit/page';
import { State, Time } from '../../kit/state';
import { useAt } from '../site/at';
import { Application } from './application';
import { WhyFailed } from './cause';

const check = '/orgs/{organization}/servers/{server}/sites/{site}/git/check';

/**
 * useAccess is whether the site's server can read the repository, as that was last checked. It is checked by itself the first time, and again when somebody whose
 * key was refused comes back to the page, from the Git server as a rule.
 */
export function useAccess() {
  const { site, params } = useAt();
  const may = useMay([`get ${check}`, `post ${check}`]); // asking without the permission would be in the audit log
  const installed = site.attributes.status !== 'installing';
  const open = may && !!site.attributes.repository?.url;
  const doc = useGet(check, params, {
    enabled: open,
    every: (d: { data: { attributes: { state: string | null } } }) => (d.data.attributes.state === 'pending' ? 1_500 : 15_000),
  });
  const write = useWrite('post', check, params);
  const now = doc.data?.data.attributes;
  const fresh = open && installed && !!now && now.state === null && !write.error;
  const refused = open && installed && now?.state === 'failed' && !write.pending;
  const { submit } = write;
  const asked = useRef(false);
  useEffect(() => {
    if (fresh && !asked.current) submit();
    asked.current = fresh;
  }, [fresh, submit]);
  useEffect(() => {
    if (!refused) return;
    const back = () => {
      if (document.visibilityState === 'visible') submit();
    };
    document.addEventListener('visibilitychange', back);
    return () => document.removeEventListener('visibilitychange', back);
  }, [refused, submit]);
  return { now, write, installed, open };
}

/** printed is the command that prints a server's own fingerprints. */
const printed = 'for f in /etc/ssh/ssh_host_*.pub; do ssh-keygen -lf $f; done';

/** NewHostKey shows the host key that the Git server has now, and confirms it once a person has compared it with the server's own. */
function NewHostKey({ fingerprint, of }: { fingerprint: string; of: ReturnType<typeof useAccess> }) {
  const { site } = useAt();
  const [asked, setAsked] = useState(false);
  const { write } = of;
  const body = { host_key: fingerprint };
  const name = site.attributes.name;
  return (
    <Notice
      tone="bad"
      action={
        <Button does={write.operation} onClick={() => setAsked(true)}>
          <Trans>Confirm the new key</Trans>
        </Button>
      }
    >
      <Trans>
        The Git server now shows the host key <span className="break-all font-mono text-sm">{fingerprint}</span>. It was reinstalled or moved, or the connection
        is intercepted.
      </Trans>
      {asked && (
        <ConfirmName
          open
          onClose={() => setAsked(false)}
          title={t`Confirm the Git server's new host key?`}
          name={name}
          submit={t`Confirm`}
          what={
            <Trans>
              Compare the fingerprint with those of the Git server: its operator publishes them, or the command below prints them there. From then on, this site
              deploys what a server with that key sends.
            </Trans>
          }
          removal={{
            ...write,
            submit: () => {
              write.submit(body);
              setAsked(false);
            },
            tryOut: undefined,
          }}
          call={() => write.call(body)}
        >
          <Code text={fingerprint} label={t`New host key`} wrap />
          <Code text={printed} label={t`Command for the Git server`} wrap />
        </ConfirmName>
      )}
    </Notice>
  );
}

/** Access says whether the server can read the repository, and checks it again. keyed is that the deploy key is shown beside it. */
export function Access({ of, keyed }: { of: ReturnType<typeof useAccess>; keyed?: boolean }) {
  const { now, write, installed, open } = of;
  if (!open || !now) return null;
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-64" role="status">
          {now.state === 'passed' ? (
            <>
              <State state="succeeded" text={t`The server can read the repository`} />
              <br />
              <span className="text-sm text-muted">
                <Trans>
                  The branch was at <span className="font-mono">{now.commit?.slice(0, 10)}</span>, checked <Time at={now.checked_at!} ago />.
                </Trans>
              </span>
            </>
          ) : now.state === 'failed' ? (
            <>
              <State state="failed" text={t`The server can't read the repository`} />
              <br />
              <span className="text-sm text-muted">
                <Trans>
                  Checked <Time at={now.checked_at!} ago />.
                </Trans>
              </span>
            </>
          ) : now.state === 'pending' ? (
            <State state="running" text={t`Checking the repository`} />
          ) : installed ? (
            t`Not checked yet.`
          ) : (
            t`Checked once the site is installed.`
          )}
        </p>
        <Action
          write={write}
          icon={RefreshCw}
          pending={write.pending || now.state === 'pending'}
          disabled={!installed}
          why={t`The site is being installed.`}
        >{t`Check access`}</Action>
      </div>
      {now.state === 'passed' && <Application now={now} />}
      {now.state === 'failed' && now.host_key && <NewHostKey fingerprint={now.host_key} of={of} />}
      {now.state === 'failed' &&
        now.cause &&
        !(now.host_key && now.cause.line) && ( // what ssh says of a new key is what the notice says
          <WhyFailed cause={now.cause} here={!!now.host_key || (keyed && now.cause.remedy === 'deploy-key')} />
        )}
      {write.error && (
        <Notice tone="bad" role="alert">
          {write.error.message}
        </Notice>
      )}
    </div>
  );
}
