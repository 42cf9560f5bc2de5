import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useCallback, useRef, useState } from 'react';
import type { Params } from '../../api/client';
import { Button } from '../../kit/button';
import { bytes, percent } from '../../kit/numbers';
import { below, largest, type Sending, typed, upload } from './at';

/** Upload is one file on its way. */
interface Upload extends Sending {
  id: number;
  file: File;
  /** taken is set if there is a file of this name already. */
  taken?: boolean;
}

/** useUploads sends files one after the other. What is refused stays in sight, with what can be done about it. */
export function useUploads(params: Params, dir: string, done: () => void) {
  const [all, setAll] = useState<Upload[]>([]);
  const next = useRef(0);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const change = useCallback((id: number, to: Partial<Upload> | null) => {
    setAll((now) => (to ? now.map((u) => (u.id === id ? { ...u, ...to } : u)) : now.filter((u) => u.id !== id)));
  }, []);
  const send = (u: Upload, replace: boolean) => {
    change(u.id, { problem: undefined, taken: undefined, done: 0 });
    queue.current = queue.current.then(async () => {
      const sent = upload(params, below(dir, typed(u.file.name)), u.file, replace, (part) => change(u.id, { done: part }));
      change(u.id, { stop: sent.stop });
      const { status, problem } = await sent.end;
      if (!problem) {
        change(u.id, null);
        done();
      } else if (status === 0) {
        change(u.id, { problem: t`The upload was broken off. Nothing was left on the server.` });
      } else {
        change(u.id, { problem, taken: status === 422 && !replace });
      }
    });
  };
  const add = (files: File[]) => {
    for (const file of files) {
      const u: Upload = { id: next.current++, name: file.name, file, done: 0, stop: () => undefined };
      setAll((now) => [...now, u]);
      if (file.size > largest) change(u.id, { problem: t`Files of at most ${bytes(largest)} can be uploaded. Use SFTP for larger ones.` });
      else send(u, false);
    }
  };
  return { all, add, replace: (u: Upload) => send(u, true), drop: (u: Upload) => change(u.id, null) };
}

/** Sendings shows the uploads that are not done. */
export function Sendings({ of }: { of: ReturnType<typeof useUploads> }) {
  if (of.all.length === 0) return null;
  return (
    <ul className="panel divide-y divide-line" aria-label={t`Uploads`}>
      {of.all.map((u) => (
        <li key={u.id} className="flex flex-wrap items-center gap-3 px-4 py-2.5">
          <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <span className="font-mono text-sm">{u.name}</span>{' '}
            {u.problem && (
              <span role="alert" className="text-danger">
                {u.problem}
              </span>
            )}
          </span>
          {u.problem ? (
            <>
              {u.taken && (
                <Button look="danger" onClick={() => of.replace(u)}>
                  <Trans>Replace</Trans>
                </Button>
              )}
              <Button onClick={() => of.drop(u)}>
                <Trans>Dismiss</Trans>
              </Button>
            </>
          ) : (
            <>
              <progress className="w-32 accent-accent" value={u.done} aria-label={t`Uploading ${u.name}`} />
              <span className="w-12 text-right tabular-nums text-muted">{percent(u.done * 100)}</span>
              <Button onClick={u.stop}>
                <Trans>Stop</Trans>
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
