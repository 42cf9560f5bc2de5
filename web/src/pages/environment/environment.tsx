import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Eye, FileKey } from 'lucide-react';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Button } from '../../kit/button';
import { useDeed } from '../../kit/deed';
import { Changed, Editor, useDraft } from '../../kit/editor';
import { Check } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { active, soon } from '../../kit/state';
import { Work } from '../../kit/work';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';
import { History } from './history';

const path = '/orgs/{organization}/servers/{server}/sites/{site}/environment';

/** Environment shows the names of variables; their values only when somebody asks: screens are shared. */
export function Environment() {
  const { org, site, params } = useAt();
  const doc = useGet(path, params, { every: soon });
  const stored = doc.data?.data.attributes.content;
  const draft = useDraft(stored);
  const [open, setOpen] = useState(false);
  useDeed('edit', () => setOpen(true));
  const [cache, setCache] = useState(false);
  const [queues, setQueues] = useState(false);
  const write = useWrite('put', path, params);
  const operation = doc.data?.data.meta?.operation;
  const last = useLastLine(operation?.event_id);
  const saved = !!write.event && operation?.event_id === write.event && operation.state === 'succeeded'; // on the server
  if (stored === undefined) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const names = stored
    .split('\n')
    .map((l) => /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=/.exec(l)?.[1])
    .filter((n): n is string => !!n);
  const body = () => ({ environment: draft.text, cache: cache || undefined, queues: queues || undefined });
  const laravel = site.attributes.app_type === 'Laravel' || site.attributes.app_type === 'Statamic';
  return (
    <div className="grid gap-6">
      {operation && (active(operation) || operation.state === 'failed') && <Work operation={operation} org={org} server={params.server} line={last} />}
      {!open && stored === '' ? (
        <Empty
          icon={FileKey}
          title={t`No environment yet`}
          text={t`The site's .env file, for passwords, keys and settings that don't belong in the repository. Stored encrypted and readable on the server only by the site's user.`}
          action={
            <Button look="primary" does={`put ${path}`} onClick={() => setOpen(true)}>
              <Trans>Create environment</Trans>
            </Button>
          }
        />
      ) : !open ? (
        <Section
          title={t`Environment`}
          plain
          text={t`${plural(names.length, { one: '# variable', other: '# variables' })}. Values are hidden until you show them.`}
          actions={
            <Button icon={Eye} onClick={() => setOpen(true)}>
              <Trans>Show and edit</Trans>
            </Button>
          }
        >
          <ul className="panel grid gap-x-6 gap-y-2 p-5 sm:grid-cols-2 lg:grid-cols-3">
            {names.map((n, i) => (
              <li key={i} className="truncate font-mono text-sm">
                {n}
                <span className="text-muted">=••••••</span>
              </li>
            ))}
          </ul>
        </Section>
      ) : (
        <Section
          title={t`Environment`}
          text={t`The .env file, readable only by the site's user. Every version is stored encrypted.`}
          actions={
            stored !== '' && !draft.dirty ? (
              <Button onClick={() => setOpen(false)}>
                <Trans>Hide</Trans>
              </Button>
            ) : undefined
          }
        >
          <Form
            write={write}
            submit={t`Save`}
            onSubmit={() => write.submit(body())}
            call={() => write.call({ ...body(), environment: '…' })}
            extra={
              draft.dirty ? (
                <Changed
                  before={stored}
                  after={draft.text}
                  undo={() => {
                    draft.undo();
                    write.reset();
                  }}
                />
              ) : (
                <Saved shown={saved} />
              )
            }
          >
            <Editor language="env" label={t`.env`} name="environment" value={draft.text} onChange={draft.set} rows={14} />
            {laravel && (
              <div className="grid gap-2">
                <Check label={t`Rebuild the configuration cache`} checked={cache} onChange={(e) => setCache(e.target.checked)} />
                <Check label={t`Restart queue workers`} checked={queues} onChange={(e) => setQueues(e.target.checked)} />
              </div>
            )}
          </Form>
        </Section>
      )}
      {open && <History back={draft.set} />}
    </div>
  );
}
