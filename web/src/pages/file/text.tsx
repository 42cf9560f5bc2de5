import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useGet, useWrite } from '../../api/query';
import { Button } from '../../kit/button';
import { Changed, Editor } from '../../kit/editor';
import { Form, Saved } from '../../kit/form';
import { bytes } from '../../kit/numbers';
import { Failed, Notice, Section, Waiting } from '../../kit/page';
import type { Language } from '../../kit/paint';
import { useAt } from '../site/at';
import { content, downloadOf, nameOf } from './at';
import { fromField, toField } from './endings';
import { Fate } from './fate';

function languageOf(path: string): Language | undefined {
  const name = nameOf(path);
  if (/^\.env/.test(name)) return 'env';
  if (/\.(ini|conf|toml)$/.test(name)) return 'ini';
  return /\.(sh|bash)$/.test(name) ? 'shell' : undefined;
}

/** Text shows a file and edits it. What was typed is based on the content that was read, and is not lost when that has changed on the server. */
export function Text({ path, fresh, close }: { path: string; fresh: boolean; close: () => void }) {
  const { params } = useAt();
  const doc = useGet(content, params, { query: { path }, enabled: !fresh, quiet: true });
  const [base, setBase] = useState<{ content: string; revision: string | null } | null>(fresh ? { content: '', revision: null } : null);
  const [draft, setDraft] = useState<string | null>(null);
  const read = doc.data?.data.attributes;
  const shown = base ? toField(base.content) : '';
  const dirty = draft !== null && draft !== shown;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was typed is based on what was read, and stays so when that changes
  useEffect(() => {
    if (read?.text && (!dirty || read.content === base?.content)) setBase({ content: read.content ?? '', revision: read.revision });
  }, [read, dirty]);
  const write = useWrite('put', content, params, () => {
    const sent = fromField(base?.content ?? '', draft ?? shown);
    setBase({ content: sent, revision: null });
    setDraft(null);
    if (fresh) close();
    else void doc.refetch();
  });
  const again = () => {
    write.reset();
    setDraft(null);
    void doc.refetch();
  };
  const body = () => ({ path, content: fromField(base?.content ?? '', draft ?? shown), revision: base?.revision ?? undefined });
  const download = (
    <a
      href={downloadOf(params, path)}
      download
      className="inline-flex h-9 items-center gap-1.5 rounded-lg border border-edge bg-surface px-3 font-medium shadow-raised hover:bg-hover max-md:h-11"
    >
      <Download className="size-4" aria-hidden />
      <Trans>Download</Trans>
    </a>
  );
  return (
    <Section
      title={nameOf(path)}
      plain
      text={<span className="font-mono text-sm [overflow-wrap:anywhere]">{path}</span>}
      actions={
        <>
          {!fresh && download}
          <Button onClick={close}>
            <Trans>Back to the directory</Trans>
          </Button>
        </>
      }
    >
      {!fresh && !read ? (
        doc.error ? (
          <Failed error={doc.error} again={() => void doc.refetch()} />
        ) : (
          <Waiting />
        )
      ) : read && !read.text ? (
        <Notice>
          {read.revision === null ? (
            <Trans>This file has {bytes(read.size)}. Files of at most 512 KiB can be edited here; download it to read it.</Trans>
          ) : (
            <Trans>This file is not UTF-8 text. Download it to read it: editing it here would break it.</Trans>
          )}
        </Notice>
      ) : (
        <>
          <Fate meta={doc.data?.data.meta?.file} />
          {write.error?.status === 409 && (
            <Notice
              tone="warn"
              action={
                <Button onClick={again}>
                  <Trans>Discard my text and load the file</Trans>
                </Button>
              }
            >
              <Trans>Your text is still here. Copy what you need before you load the file again.</Trans>
            </Notice>
          )}
          <Form
            write={write}
            submit={fresh ? t`Create file` : t`Save`}
            onSubmit={() => (fresh || base?.revision) && write.submit(body())}
            call={() => write.call({ ...body(), content: '…' })}
            extra={
              dirty ? (
                <Changed
                  before={shown}
                  after={draft}
                  undo={() => {
                    setDraft(null);
                    write.reset();
                  }}
                />
              ) : (
                <Saved shown={write.saved} />
              )
            }
          >
            <Editor language={languageOf(path)} label={t`Content`} name="content" value={draft ?? shown} onChange={setDraft} rows={18} />
          </Form>
        </>
      )}
    </Section>
  );
}
