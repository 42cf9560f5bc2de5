import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Changed, Editor, useDraft } from '../../kit/editor';
import { Check } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { Failed, Section, Waiting } from '../../kit/page';
import { useAt } from '../site/at';

const path = '/orgs/{organization}/servers/{server}/sites/{site}/deployments/script';

const macros: [string, string][] = [
  ['$CREATE_RELEASE()', t`Fetches the branch, creates the release and links shared paths`],
  ['$ACTIVATE_RELEASE()', t`Activates the release`],
  ['$RESTART_QUEUES()', t`Restarts queue workers`],
];

export function DeployScript() {
  const { params } = useAt();
  const doc = useGet(path, params);
  const stored = doc.data?.data.attributes;
  const draft = useDraft(stored ? (stored.content ?? '') : undefined);
  const [source, setSource] = useState<boolean | null>(null);
  const write = useWrite('put', path, params, () => setSource(null));
  if (!stored) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const auto = source ?? stored.auto_source;
  const body = () => ({ content: draft.text, auto_source: auto });
  const dirty = draft.dirty || auto !== stored.auto_source;
  return (
    <Section
      title={t`Deploy script`}
      text={t`Runs with bash as the site's user, for up to ten minutes. It stops at the first command that fails. Changes apply from the next deployment.`}
    >
      <Form
        write={write}
        submit={t`Save`}
        onSubmit={() => write.submit(body())}
        call={() => write.call(body())}
        extra={
          dirty ? (
            <Changed
              before={stored.content ?? ''}
              after={draft.text}
              undo={() => {
                draft.undo();
                setSource(null);
                write.reset();
              }}
            />
          ) : (
            <Saved shown={write.saved}>
              <Trans>Saved. Applies from the next deployment.</Trans>
            </Saved>
          )
        }
      >
        <Editor language="shell" label={t`Script`} name="content" value={draft.text} onChange={draft.set} />
        <Check label={t`Load environment variables before running`} name="auto_source" checked={auto} onChange={(e) => setSource(e.target.checked)} />
        <dl className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[auto_1fr]">
          {macros.map(([name, does]) => (
            <div key={name} className="contents">
              <dt className="font-mono">{name}</dt>
              <dd className="text-muted max-sm:mb-2">{does}</dd>
            </div>
          ))}
        </dl>
        <p className="text-sm text-muted">
          <Trans>The first two run automatically if the script omits them.</Trans>
        </p>
      </Form>
    </Section>
  );
}
