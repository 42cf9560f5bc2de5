import { t } from '@lingui/core/macro';
import { Dialog } from '../kit/dialog';
import { going } from './keys';

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const rows: [string, string][] = [
    ['Ctrl K', t`Search or run a command`],
    ['/', t`Filter this list`],
    ['?', t`Show this help`],
    ...Object.entries(going).map(([k, v]) => [`g ${k}`, t`Go to ${v.text}`] as [string, string]),
  ];
  return (
    <Dialog open onClose={onClose} title={t`Keyboard shortcuts`}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2.5">
        {rows.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(' ').map((k) => (
                <kbd key={k} className="min-w-7 rounded-md border border-edge bg-sunken px-1.5 py-0.5 text-center font-mono text-sm">
                  {k}
                </kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
