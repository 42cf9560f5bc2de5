import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Check, Copy as CopyIcon, Ellipsis, Terminal } from 'lucide-react';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import { commandLine, hasCommand } from '../api/command';
import { type Call, curl } from '../api/query';
import { Button } from './button';
import { Menu } from './lazy-menu';
import type { MenuItem } from './menu-item';

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

/** useCopies are a call as a line for a terminal, as items of a menu: with our own command line where a token can do it, and with curl. */
export function useCopies() {
  const [copied, copy] = useCopied();
  return {
    copied,
    items: (call: Call): MenuItem[] => [
      ...(hasCommand(call.url) ? [{ text: t`Copy as CLI`, icon: Terminal, onClick: () => copy(commandLine(call)) }] : []),
      { text: t`Copy as curl`, icon: Terminal, onClick: () => copy(curl(call)) },
    ],
    /** said is shown for a moment after, where the menu is no longer. */
    said: (
      <>
        <span role="status" className="sr-only">
          {copied && t`Copied`}
        </span>
        {copied &&
          createPortal(
            <span
              aria-hidden
              className="rising fixed bottom-6 left-1/2 z-50 -translate-x-1/2 rounded-lg border border-line bg-surface px-4 py-2 font-medium shadow-float"
            >
              <Trans>Copied</Trans>
            </span>,
            document.body,
          )}
      </>
    ),
  };
}

/** CopyAs is the menu of a form, with what it would do as a line for a terminal. */
export function CopyAs({ call }: { call: () => Call }) {
  const { copied, items, said } = useCopies();
  return (
    <>
      <Menu label={t`For a terminal`} items={items(call())} trigger={<Button look="quiet" only icon={copied ? Check : Ellipsis} />} />
      {said}
    </>
  );
}
