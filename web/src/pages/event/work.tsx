import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { useEffect } from 'react';
import { useGet } from '../../api/query';
import { soon } from '../../kit/state';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';

/** EventWork follows work that belongs to no row that is shown, by its event, to the end. */
export function EventWork({ org, server, event, done, ended }: { org: string; server: string; event: string; done: string; ended?: () => void }) {
  const doc = useGet('/orgs/{organization}/servers/{server}/events/{event}', { organization: org, server, event }, { every: soon });
  const operation = doc.data?.data.meta?.operation;
  const last = useLastLine(event);
  const well = operation?.state === 'succeeded';
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it ends
  useEffect(() => {
    if (well) ended?.();
  }, [well]);
  if (!operation) return null;
  if (well) {
    return (
      <div role="status" className="flex flex-wrap items-center gap-3 rounded-xl border border-line bg-soft px-4 py-3 text-accent">
        <CircleCheck className="size-5 shrink-0" aria-hidden />
        <p className="min-w-0 flex-1 font-medium">{done}</p>
        <Link to="/orgs/$org/servers/$server/events/$event" params={{ org, server, event }} className="font-medium underline-offset-2 hover:underline">
          <Trans>Output</Trans>
        </Link>
      </div>
    );
  }
  return <Work operation={operation} org={org} server={server} line={last} />;
}
