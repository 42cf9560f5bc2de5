// The line to paste on a new machine, and how far the machine is. The API shows the line once, as it holds a secret; it stays here while the page does.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Circle, LoaderCircle, RefreshCw, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLive } from '../../api/live';
import { useWrite } from '../../api/query';
import type { Server } from '../../api/types';
import { Action } from '../../kit/action';
import { Code } from '../../kit/copy';
import { plain } from '../../kit/output';
import { Notice } from '../../kit/page';
import { active, Left, Time } from '../../kit/state';
import { Work } from '../../kit/work';

interface Line {
  command: string;
  expires_at: string;
  warning?: string;
}
const lines = new Map<string, Line>();
/** keepLine keeps a line as long as the page is open, and nowhere else. */
export const keepLine = (server: string, line: Line) => void lines.set(server, line);

type Step = 'done' | 'now' | 'later' | 'failed';

/** useLastLine is the last line that an event printed while this page is open. */
export function useLastLine(event?: string | null): string {
  const live = useLive();
  const [line, setLine] = useState('');
  useEffect(
    () =>
      live.subscribe((p) => {
        if (p.event_id !== event) return;
        const last = plain(p.content).trimEnd().split('\n').pop();
        if (last) setLine(last);
      }),
    [live, event],
  );
  return line;
}

/** orderSteps are the steps of an operation that orders a server, in words. */
const orderSteps: Record<string, string> = {
  order: t`Ordering the server from the provider`,
  'wait for its address': t`Waiting for an IP address`,
  'wait for its first call': t`Waiting for the server to boot and connect`,
};

export function Connecting({ server, org }: { server: Server; org: string }) {
  const [, shown] = useState(0);
  const line = lines.get(server.id);
  const p = server.meta?.provisioning;
  const operation = server.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const ordered = server.attributes.provider !== 'custom';
  const called = p !== 'connecting' && p !== 'creating';
  const failed = p === 'failed' || (!server.attributes.is_ready && operation?.state === 'failed');
  const connected = server.attributes.connection_status === 'connected';
  const ordering = orderSteps[operation?.step ?? 'order'];
  const lost = ordered && failed && !!ordering;
  const setup: Step = server.attributes.is_ready ? 'done' : !connected ? 'later' : failed ? 'failed' : 'now';
  const steps: [string, string, Step][] = [
    ordered
      ? [
          t`Order the server`,
          p === 'creating' ? `${ordering ?? operation?.step}…` : lost ? t`Failed: ${ordering}.` : t`The server connected and its host keys are pinned.`,
          p === 'creating' ? 'now' : lost ? 'failed' : 'done',
        ]
      : [
          t`Run the setup command`,
          called ? t`The server connected and its host keys are pinned.` : t`Waiting for the server. Run the command to continue.`,
          called ? 'done' : 'now',
        ],
    [
      t`Hostler connects over SSH`,
      connected ? t`As root on port ${server.attributes.ssh_port}.` : t`With a dedicated key, and only if the host key matches.`,
      connected ? 'done' : lost || !called ? 'later' : failed ? 'failed' : 'now',
    ],
    [
      t`Packages, users, SSH, firewall`,
      (setup === 'now' || setup === 'failed') && operation?.step
        ? setup === 'now'
          ? t`Current step: ${operation.step}`
          : t`Failed step: ${operation.step}`
        : t`Each step is checked and rolled back if it fails.`,
      setup,
    ],
    [
      t`Ready`,
      server.attributes.is_ready ? t`The server is ready to use.` : t`Sites and rules you add now are installed once setup finishes.`,
      server.attributes.is_ready ? 'done' : 'later',
    ],
  ];
  return (
    <div className="grid gap-5">
      {p === 'connecting' &&
        (line ? (
          <div className="grid gap-2">
            <p>
              {server.attributes.ip_address ? (
                <Trans>
                  Run this command on <strong className="font-medium">{server.attributes.name}</strong> ({server.attributes.ip_address}) as root.
                </Trans>
              ) : (
                <Trans>
                  Run this command on <strong className="font-medium">{server.attributes.name}</strong> as root.
                </Trans>
              )}{' '}
              <Trans>
                It expires <Time at={line.expires_at} />.
              </Trans>
            </p>
            {line.warning && <Notice tone="warn">{line.warning}</Notice>}
            <Code text={line.command} label={t`Setup command`} wrap />
          </div>
        ) : (
          <NewLine server={server} org={org} made={() => shown((n) => n + 1)} />
        ))}
      <ol aria-label={t`Progress`} className="panel divide-y divide-line">
        {steps.map(([title, text, step]) => (
          <li key={title} className="flex gap-3.5 px-5 py-3.5" aria-current={step === 'now' ? 'step' : undefined}>
            <Mark step={step} />
            <div className="min-w-0">
              <p className={`font-medium ${step === 'later' ? 'text-muted' : ''}`}>
                {title}
                <span className="sr-only">: {{ done: t`done`, now: t`in progress`, later: t`not started`, failed: t`failed` }[step]}</span>
              </p>
              <p className="text-sm text-muted [overflow-wrap:anywhere]">{text}</p>
            </div>
          </li>
        ))}
      </ol>
      {p !== 'connecting' && operation && operation.state !== 'succeeded' && <Work operation={operation} org={org} server={server.id} line={last} />}
      {p === 'connecting' && !line && operation && active(operation) && (
        <p className="text-sm text-muted">
          <Trans>
            The server has to connect within <Left until={operation.deadline} />.
          </Trans>
        </p>
      )}
    </div>
  );
}

/** NewLine makes another line: the one that was shown is not kept, as it holds a secret. */
function NewLine({ server, org, made }: { server: Server; org: string; made: () => void }) {
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/line', { organization: org, server: server.id }, (a) => {
    if (!a.data.meta?.bootstrap) return;
    keepLine(server.id, a.data.meta.bootstrap);
    made();
  });
  return (
    <div className="grid gap-2">
      <Notice tone="warn" action={<Action write={write} icon={RefreshCw}>{t`Generate a new command`}</Action>}>
        <Trans>The setup command contains a secret and is shown once. Generating a new one invalidates the old one.</Trans>
      </Notice>
      {write.error && (
        <Notice tone="bad" role="alert">
          {write.error.message}
        </Notice>
      )}
    </div>
  );
}

function Mark({ step }: { step: Step }) {
  const base = 'mt-0.5 size-5 shrink-0';
  if (step === 'done') return <Check aria-hidden className={`${base} rounded-full bg-strong p-0.5 text-white`} />;
  if (step === 'failed') return <X aria-hidden className={`${base} rounded-full bg-danger-strong p-0.5 text-white`} />;
  if (step === 'now') return <LoaderCircle aria-hidden className={`${base} animate-spin text-info`} />;
  return <Circle aria-hidden className={`${base} text-edge`} />;
}
