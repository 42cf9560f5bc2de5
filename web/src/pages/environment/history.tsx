import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useGet, useList } from '../../api/query';
import type { EnvironmentVersion } from '../../api/types';
import { Button } from '../../kit/button';
import { Dialog } from '../../kit/dialog';
import { Diff } from '../../kit/diff';
import { Failed, Section, Waiting } from '../../kit/page';
import { State, Time } from '../../kit/state';
import { Table } from '../../kit/table';
import { useAt } from '../site/at';

const many = '/orgs/{organization}/servers/{server}/sites/{site}/environment/versions';
const words: Record<string, string> = { writing: t`Saving`, written: t`Applied`, failed: t`Not applied` };

/** History is the versions of an environment, each with what it changed. back takes one into the editor. */
export function History({ back }: { back: (content: string) => void }) {
  const { params } = useAt();
  const list = useList(many, params, { query: { sort: '-created_at' }, size: 100 });
  const [open, setOpen] = useState<EnvironmentVersion | null>(null);
  if (list.isSuccess && list.rows.length < 2) return null;
  return (
    <Section title={t`History`} plain text={t`The last 100 versions saved in Hostler.`}>
      {list.isPending ? (
        <Waiting rows={2} />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : (
        <Table
          label={t`Versions`}
          rows={list.rows}
          more={list.more}
          id={(v) => v.id}
          columns={[
            { name: t`Date`, width: 'minmax(0,2fr)', cell: (v) => <Time at={v.attributes.created_at} /> },
            {
              name: t`Status`,
              width: 'minmax(0,2fr)',
              cell: (v) => (
                <State
                  state={v.attributes.status}
                  tone={v.attributes.status === 'written' ? 'good' : v.attributes.status === 'failed' ? 'bad' : 'busy'}
                  text={words[v.attributes.status]}
                />
              ),
            },
            {
              name: t`Open`,
              width: '8rem',
              end: true,
              cell: (v) => (
                <Button look="quiet" onClick={() => setOpen(v)}>
                  <Trans>View changes</Trans>
                </Button>
              ),
            },
          ]}
        />
      )}
      {open && <Version version={open} back={back} onClose={() => setOpen(null)} />}
    </Section>
  );
}

function Version({ version, back, onClose }: { version: EnvironmentVersion; back: (content: string) => void; onClose: () => void }) {
  const { params } = useAt();
  const doc = useGet(`${many}/{version}`, { ...params, version: version.id });
  const a = doc.data?.data.attributes;
  return (
    <Dialog open onClose={onClose} title={t`Changes in this version`} text={<Time at={version.attributes.created_at} />} wide>
      {!a ? (
        doc.error ? (
          <Failed error={doc.error} />
        ) : (
          <Waiting rows={2} />
        )
      ) : (
        <div className="grid gap-4">
          {a.diff ? (
            <div className="overflow-hidden rounded-lg border border-line">
              <Diff text={a.diff} />
            </div>
          ) : (
            <p className="text-muted">
              <Trans>Identical to the previous version.</Trans>
            </p>
          )}
          <div>
            <Button
              look="primary"
              does="put /orgs/{organization}/servers/{server}/sites/{site}/environment"
              onClick={() => {
                back(a.content ?? '');
                onClose();
              }}
            >
              <Trans>Open in editor</Trans>
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
