import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Copy as CopyIcon, Terminal } from 'lucide-react';
import { useState } from 'react';
import { commandLine, hasCommand } from '../api/command';
import { type Call, curl } from '../api/query';
import { Button } from './button';

async function put(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages of plain http on a private network have no clipboard of their own: the old way still works there.
    const area = document.createElement('textarea');
    area.value = text;
    area.setAttribute('readonly', '');
    area.className = 'fixed top-0 opacity-0';
    const before = document.activeElement;
    document.body.append(area);
    area.focus({ preventScroll: true }); // select alone scrolls to it
    area.select();
    const ok = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return ok;
  }
}

/** useCopied copies a text, also one that is still to come, and is true for a moment after. */
export function useCopied(): [boolean, (text: string | Promise<string>) => void] {
  const [copied, setCopied] = useState(false);
  return [
    copied,
    (text) =>
      void Promise.resolve(text)
        .then(put)
        .then((ok) => {
          setCopied(ok);
          setTimeout(() => setCopied(false), 1600);
        }),
  ];
}

export function CopyButton({ text, label = t`Copy` }: { text: string; label?: string }) {
  const [copied, copy] = useCopied();
  return (
    <Button look="quiet" only icon={copied ? Check : CopyIcon} onClick={() => copy(text)} title={copied ? t`Copied` : label}>
      <span aria-live="polite">{copied ? t`Copied` : label}</span>
    </Button>
  );
}

/** Code is a line to paste somewhere else. */
export function Code({ text, label, wrap }: { text: string; label: string; wrap?: boolean }) {
  const [copied, copy] = useCopied();
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <pre
        tabIndex={0}
        role="group"
        aria-label={label}
        className={`max-h-60 overflow-auto p-3 font-mono text-sm leading-relaxed ${wrap ? 'break-all whitespace-pre-wrap' : ''}`}
      >
        {text}
      </pre>
      <div className="flex justify-end border-t border-line bg-surface p-1.5">
        <Button look={copied ? 'quiet' : 'plain'} icon={copied ? Check : CopyIcon} onClick={() => copy(text)}>
          <span aria-live="polite">{copied ? t`Copied` : t`Copy`}</span>
        </Button>
      </div>
    </div>
  );
}

/** CopyAs gives what a form would do as a line for a terminal: with our own command line where a token can do it, and with curl. */
export function CopyAs({ call }: { call: () => Call }) {
  const [copied, copy] = useCopied();
  if (copied)
    return (
      <Button look="quiet" icon={Check}>
        <span aria-live="polite">
          <Trans>Copied</Trans>
        </span>
      </Button>
    );
  const cli = hasCommand(call().url);
  return (
    <span className="inline-flex flex-wrap">
      {cli && (
        <Button look="quiet" icon={Terminal} onClick={() => copy(commandLine(call()))} title={t`Copy as a command for the Hostler CLI`}>
          <Trans>Copy as CLI</Trans>
        </Button>
      )}
      <Button look="quiet" icon={cli ? undefined : Terminal} onClick={() => copy(curl(call()))} title={t`Copy this request as a curl command`}>
        <Trans>Copy as curl</Trans>
      </Button>
    </span>
  );
}
