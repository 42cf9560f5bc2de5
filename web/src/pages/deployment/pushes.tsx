import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useGet } from '../../api/query';
import { Pill, Time } from '../../kit/state';
import { useAt } from '../site/at';

const words = {
  deployed: { tone: 'good', text: t`Deployed` },
  ignored: { tone: 'idle', text: t`Not deployed` },
  refused: { tone: 'bad', text: t`Refused` },
} as const;

/** LatestPushes is what Git servers sent lately, and what came of it. */
export function LatestPushes() {
  const { params } = useAt();
  const list = useGet('/orgs/{organization}/servers/{server}/sites/{site}/deployments/pushes', params, { query: { sort: '-created_at' } });
  const rows = list.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">
        <Trans>Latest pushes</Trans>
      </h3>
      <ul className="grid gap-2 text-sm">
        {rows.slice(0, 10).map(({ id, attributes: a }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <Pill tone={words[a.verdict].tone}>{words[a.verdict].text}</Pill>
            <span className="min-w-0 flex-1 basis-64">
              {a.branch} {a.commit_hash.slice(0, 7)} {a.reason}
            </span>
            <span className="text-muted">
              {a.sender}, <Time at={a.created_at} ago />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
