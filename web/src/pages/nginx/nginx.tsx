import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { GitCompareArrows, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { Domain } from '../../api/types';
import { Button } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Diff } from '../../kit/diff';
import { Changed, Editor, useDraft, useSent } from '../../kit/editor';
import { Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, Pill, soonAny } from '../../kit/state';
import { Work } from '../../kit/work';
import { domains } from '../domain/domains';
import { useLastLine } from '../server/line';
import { useAt } from '../site/at';

const path = `${domains}/{domainRecord}/nginx` as const;

/** Nginx is the virtual host of a domain, as nginx reads it. */
export function Nginx() {
  const { params } = useAt();
  const { domain } = useSearch({ from: '/orgs/$org/sites/$site/nginx' });
  const list = useList(domains, params, { every: soonAny, all: true });
  const chosen = list.rows.find((d) => d.id === domain) ?? list.rows.find((d) => d.attributes.type === 'primary') ?? list.rows[0];
  if (list.isPending) return <Waiting />;
  if (!chosen)
    return list.error ? (
      <Failed error={list.error} />
    ) : (
      <Notice>
        <Trans>This site has no domain and no virtual host.</Trans>
      </Notice>
    );
  return <OfDomain key={chosen.id} d={chosen} all={list.rows} />;
}

function OfDomain({ d, all }: { d: Domain; all: Domain[] }) {
  const { org, params, to } = useAt();
  const navigate = useNavigate();
  const at = { ...params, domainRecord: d.id };
  const doc = useGet(path, at);
  const [asked, setAsked] = useState(false);
  const [resetting, setResetting] = useState(false);
  const drift = useGet(path, at, { query: { drift: true }, enabled: asked });
  const stored = doc.data ? (doc.data.data.attributes.content ?? '') : undefined;
  const draft = useDraft(stored);
  const write = useWrite('put', path, at);
  const reset = useWrite('put', path, at, () => {
    setResetting(false);
    draft.undo();
  });
  const operation = d.meta?.operation;
  const busy = active(operation);
  const last = useLastLine(operation?.event_id);
  const failed = operation?.state === 'failed' && !busy;
  // nginx names the line that it does not understand: it is marked where it was typed
  const wrong = failed ? Number(/:(\d+)\b/.exec(operation.reason ?? '')?.[1]) || undefined : undefined;
  const refused = failed && operation.event_id === write.event;
  const sent = useSent(draft, stored, refused, () => void doc.refetch());
  const body = () => ({ config: draft.text });
  const found = drift.data?.data.meta?.nginx?.drift;
  if (stored === undefined) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const { custom, rule, refused: outside, sizes } = doc.data?.data.meta?.nginx ?? {};
  return (
    <div className="grid gap-6">
      {operation && (busy || failed) && <Work operation={operation} org={org} server={params.server} line={last} />}
      {all.length > 1 && (
        <div className="max-w-sm">
          <Select
            label={t`Domain`}
            name="domain"
            value={d.id}
            onChange={(e) => void navigate({ to: '/orgs/$org/sites/$site/nginx', params: to, search: { domain: e.target.value } })}
            options={all.map((x) => [x.id, x.attributes.name] as const)}
          />
        </div>
      )}
      <Section
        title={t`Nginx configuration`}
        text={
          <>
            <Trans>Changes are limited to this site and validated with nginx on the server. An invalid configuration is rolled back and never served.</Trans>{' '}
            {custom ? t`Changes to the generated configuration are merged into yours.` : t`Hostler generates it from the site's settings until you edit it.`}
          </>
        }
        actions={
          <>
            {custom && <Pill tone={rule === 'root' ? 'bad' : 'warn'}>{rule === 'root' ? t`Unrestricted` : t`Customized`}</Pill>}
            {custom && (
              <Button icon={RotateCcw} does={reset.operation} onClick={() => setResetting(true)}>
                <Trans>Reset to default</Trans>
              </Button>
            )}
            <Button icon={GitCompareArrows} pending={drift.isFetching} onClick={() => (asked ? void drift.refetch() : setAsked(true))}>
              <Trans>Compare with server</Trans>
            </Button>
          </>
        }
      >
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => {
            sent(draft.text);
            write.submit(body());
          }}
          onPlan={() => write.tryOut(body())}
          call={() => write.call(body())}
          extra={
            draft.dirty ? (
              <Changed
                keep={busy}
                before={stored}
                after={draft.text}
                undo={() => {
                  draft.undo();
                  write.reset();
                }}
              />
            ) : busy ? (
              <span role="status" className="text-info">
                <Trans>Validating on the server</Trans>
              </span>
            ) : undefined
          }
        >
          {rule === 'kept' && outside && (
            <Notice tone="warn">
              <Trans>
                <strong className="font-medium">This configuration predates the current restrictions and is still served.</strong> A new version must not
                contain: {outside}
              </Trans>
            </Notice>
          )}
          {sizes && <Notice tone="warn">{sizes}</Notice>}
          {rule === 'root' && (
            <Notice tone="warn">
              <Trans>Saved by someone with root access to the server, without the usual restrictions. Your changes will be restricted to this site.</Trans>
            </Notice>
          )}
          {failed && (
            <Notice tone="bad" role="alert">
              <strong className="font-medium">
                <Trans>nginx rejected the configuration. The previous one is still served.</Trans>
              </strong>{' '}
              <span className="font-mono text-sm whitespace-pre-wrap">{operation.reason}</span>
            </Notice>
          )}
          <Editor language="nginx" label={d.attributes.name} name="config" value={draft.text} onChange={draft.set} rows={20} mark={wrong} />
        </Form>
      </Section>
      {asked &&
        (drift.error ? (
          <Failed error={drift.error} />
        ) : (
          drift.data &&
          (found ? (
            <Section
              title={t`On the server`}
              text={t`The file was edited on the server and won't be overwritten. Copy the edit here, or revert it on the server.`}
            >
              <Diff text={found} />
            </Section>
          ) : (
            <Notice role="status">
              <Trans>The file on the server matches.</Trans>
            </Notice>
          ))
        ))}
      {resetting && (
        <ConfirmName
          open
          easy
          onClose={() => setResetting(false)}
          title={t`Reset to the default configuration?`}
          name={d.attributes.name}
          submit={t`Reset`}
          what={t`Your configuration is deleted. Copy it first if you may need it again.`}
          removal={{ ...reset, submit: () => reset.submit({ config: '' }), tryOut: () => reset.tryOut({ config: '' }) }}
          call={() => reset.call({ config: '' })}
        />
      )}
    </div>
  );
}
