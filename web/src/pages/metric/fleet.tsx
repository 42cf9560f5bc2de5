import { plural, t } from '@lingui/core/macro';
import { useState } from 'react';
import { useGet } from '../../api/query';
import { Failed, Section } from '../../kit/page';
import { fitting, isMeasured, Plot, plotsOf, type Range, Ranges } from './metrics';

/** Fleet is what all servers measured, averaged over them; since is when the oldest was added. */
export default function Fleet({ org, since }: { org: string; since: string | null }) {
  const [range, setRange] = useState<Range>(() => fitting(since));
  const [step, setStep] = useState<number | null>(null);
  const doc = useGet('/orgs/{organization}/servers/metrics', { organization: org }, { query: { range }, every: 60_000 });
  const m = doc.data?.data.attributes;
  return (
    <Section
      title={t`All servers`}
      text={m ? t`Average of ${plural(m.servers.length, { one: '# server', other: '# servers' })}; network is the total.` : undefined}
      plain
      actions={<Ranges range={range} onChange={setRange} />}
    >
      {!m ? (
        doc.error ? (
          <Failed error={doc.error} again={() => void doc.refetch()} />
        ) : (
          <div role="status" aria-label={t`Loading`} className="panel beating h-44" />
        )
      ) : !isMeasured(plotsOf(m)) ? (
        <p className="text-muted">{t`No measurements during this time. The first ones of a new server arrive within a few minutes.`}</p>
      ) : (
        <div className="grid grid-cols-2 gap-3 max-md:[&_figure]:p-3 max-md:[&_svg]:h-12 xl:grid-cols-4">
          {plotsOf(m)
            .filter((p) => p.title !== t`Load per CPU`)
            .map((p) => (
              <Plot key={p.title} metrics={m} {...p} step={step} onStep={setStep} />
            ))}
        </div>
      )}
    </Section>
  );
}
