import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMay } from '../../api/may';
import { useGet, useList, useWrite } from '../../api/query';
import type { PHPVersion } from '../../api/types';
import { Changed, Editor, useDraft, useSent } from '../../kit/editor';
import { Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import { active, soon } from '../../kit/state';
import { Work } from '../../kit/work';
import { useServer } from '../server/at';
import { useLastLine } from '../server/line';
import { one, ReadOnlyPHP } from './php';

/** A configuration is of FPM, of the command line, or of the pools of an account; pool:NAME is that of an isolated site. */
const kinds: [string, string, string][] = [
  ['fpm', t`FPM (php.ini for requests)`, 'memory_limit = 256M'],
  ['cli', t`Command line (php.ini for commands)`, 'memory_limit = 1G'],
  ['pool', t`FPM pool of forge (all non-isolated sites)`, 'pm.max_children = 20'],
];

/** PHPVersionPage is what a version of PHP has set in addition to the distribution's files. */
export function PHPVersionPage() {
  const { org, server, version } = useParams({ from: '/orgs/$org/servers/$server/php/$version' });
  const { config = 'fpm' } = useSearch({ from: '/orgs/$org/servers/$server/php/$version' });
  const navigate = useNavigate();
  const doc = useGet(one, { organization: org, server, phpVersion: version }, { every: soon });
  const sites = useList('/orgs/{organization}/servers/{server}/sites', { organization: org, server }, { all: true });
  const row = doc.data?.data;
  if (!row) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  const own = sites.rows
    .filter((s) => s.attributes.isolated)
    .map((s) => [`pool:${s.attributes.user}`, t`FPM pool of ${s.attributes.user} (${s.attributes.name})`] as const);
  const options = [...kinds.map(([k, text]) => [k, text] as const), ...own];
  return (
    <div className="grid gap-6">
      <p className="text-sm text-accent [&_a]:underline-offset-2 [&_a:hover]:underline">
        <Link to="/orgs/$org/servers/$server/php" params={{ org, server }}>
          <Trans>All versions</Trans>
        </Link>
      </p>
      <ReadOnlyPHP />
      {row.attributes.status === 'installed' || row.attributes.status === 'installing' ? (
        <Configuration
          key={version + config}
          row={row}
          config={config}
          choice={
            <div className="max-w-md">
              <Select
                label={t`Configuration`}
                name="which"
                value={config}
                onChange={(e) =>
                  void navigate({
                    to: '/orgs/$org/servers/$server/php/$version',
                    params: { org, server, version },
                    search: { config: e.target.value },
                  })
                }
                options={options.some(([k]) => k === config) ? options : [...options, [config, config]]}
              />
            </div>
          }
        />
      ) : (
        <Notice>
          <Trans>PHP {row.attributes.version} is not installed.</Trans>
        </Notice>
      )}
    </div>
  );
}

function Configuration({ row, config, choice }: { row: PHPVersion; config: string; choice: React.ReactNode }) {
  const { org } = useParams({ from: '/orgs/$org/servers/$server' });
  const server = useServer();
  const at = { organization: org, server: server.id, phpVersion: row.id };
  const [kind, user] = config.split(':') as ['fpm' | 'cli' | 'pool', string?];
  // The paths differ in the query and the body of pools only.
  const path = `${one}/configs/${kind}` as `${typeof one}/configs/pool`;
  const doc = useGet(path, at, { query: { user } });
  const stored = doc.data?.data.attributes.configuration;
  const draft = useDraft(stored);
  const write = useWrite('put', path, at);
  const may = useMay(write.operation);
  const operation = row.meta?.operation;
  const busy = active(operation);
  const last = useLastLine(operation?.event_id);
  const failed = operation?.state === 'failed';
  const sent = useSent(draft, stored, failed && operation.event_id === write.event, () => void doc.refetch());
  const body = () => ({ config: draft.text, ...(user ? { user } : {}) });
  // The API names the first line that it refuses.
  const wrong = write.fields.config?.[0]?.params?.line as number | undefined;
  const v = row.attributes.version;
  return (
    <>
      {operation && (busy || failed) && <Work operation={operation} org={org} server={server.id} line={last} />}
      <Section
        title={t`PHP ${v} configuration`}
        text={t`Added to the distribution's files, which are not changed. Validated by PHP on the server; an invalid configuration is rolled back before it takes effect.`}
      >
        {stored === undefined ? (
          doc.error ? (
            <Failed error={doc.error} again={() => void doc.refetch()} />
          ) : (
            <Waiting />
          )
        ) : (
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
            {choice}
            <Editor
              language="ini"
              label={t`Settings`}
              name="config"
              value={draft.text}
              onChange={draft.set}
              rows={12}
              mark={wrong}
              readOnly={!may}
              hint={
                <Trans>
                  One setting per line, such as <code className="font-mono">{kinds.find(([k]) => k === kind)?.[2]}</code>. Settings that refer to files,
                  programs or accounts are rejected.
                </Trans>
              }
            />
          </Form>
        )}
      </Section>
    </>
  );
}
