import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Button } from '../../kit/button';
import { Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import { methods } from '../../kit/words';
import { serverOf, useSite } from '../site/at';
import { SiteWork } from '../site/site';
import { type NodeRow, Nodes, nodeRow, toBody } from './nodes';

export function SiteBalancing() {
  const { org, site: id } = useParams({ from: '/orgs/$org/sites/$site' });
  const site = useSite();
  const params = { organization: org, server: serverOf(site), site: id };
  const path = '/orgs/{organization}/servers/{server}/sites/{site}/load-balancing-nodes';
  const doc = useGet(path, params, { query: { 'page[size]': 200 } });
  const stored = doc.data?.data;
  const storedMethod = site.meta?.balancer?.method ?? 'round_robin';
  // What was edited stays as it is; what was not follows what is stored.
  const [edited, setEdited] = useState<{ rows: NodeRow[]; method: string } | null>(null);
  const [sent, setSent] = useState(false);
  const base = useMemo(() => stored?.map((n) => nodeRow({ ...n.attributes, server_id: Number(n.attributes.server_id) })), [stored]);
  const write = useWrite('put', path, params, () => setSent(true));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was saved has come back
  useEffect(() => {
    if (!sent) return;
    setSent(false);
    setEdited(null);
  }, [stored]); // only when what is stored arrives anew: until then what was sent is shown
  if (!base) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const rows = edited?.rows ?? base;
  const method = edited?.method ?? storedMethod;
  const edit = (next: { rows: NodeRow[]; method: string }) => {
    setSent(false);
    setEdited(next);
  };
  const setRows = (next: NodeRow[]) => edit({ rows: next, method });
  const setMethod = (next: string) => edit({ rows, method: next });
  const body = () => ({
    balancer_method: method as 'round_robin',
    balancing: rows.map(toBody),
    balancer_keepalive_max_connections: site.meta?.balancer?.keepalive_max_connections,
  });
  const changed = !!edited && !sent;
  return (
    <div className="grid max-w-3xl gap-6">
      <SiteWork />
      {stored?.length === 0 && !changed && (
        <Notice tone="warn">
          <Trans>No nodes. Every request gets a 503 response until you add one.</Trans>
        </Notice>
      )}
      <Section title={t`Load balancing`} text={t`Requests are distributed by weight. Changes do not drop requests.`}>
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => write.submit(body())}
          onPlan={() => write.tryOut(body())}
          call={() => write.call(body())}
          extra={
            changed && (
              <>
                <Button
                  look="quiet"
                  onClick={() => {
                    setEdited(null);
                    write.reset();
                  }}
                >
                  <Trans>Undo changes</Trans>
                </Button>
                <span className="text-sm text-warn">
                  <Trans>Unsaved changes</Trans>
                </span>
              </>
            )
          }
        >
          <Nodes org={org} rows={rows} onChange={setRows} />
          <Select label={t`Method`} name="balancer_method" value={method} onChange={(e) => setMethod(e.target.value)} options={Object.entries(methods)} />
        </Form>
      </Section>
    </div>
  );
}
