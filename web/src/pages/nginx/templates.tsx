import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { FileCode, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useGet, useList, useWrite } from '../../api/query';
import type { NginxTemplate } from '../../api/types';
import { Button, ButtonLink } from '../../kit/button';
import { ConfirmName } from '../../kit/dialog';
import { Changed, Editor, useDraft } from '../../kit/editor';
import { Input } from '../../kit/field';
import { Form, Saved } from '../../kit/form';
import { Empty, Failed, Section, Waiting } from '../../kit/page';
import { Time } from '../../kit/state';
import { rowLink, Table } from '../../kit/table';

export const templates = '/orgs/{organization}/servers/{server}/nginx/templates';
const one = `${templates}/{nginxTemplate}` as const;

// What a template may name in double braces, as a site fills it in.
const variables: readonly [string, string][] = [
  ['SITE', t`the domain`],
  ['DOMAINS', t`all domain names of the site`],
  ['PATH', t`the site's directory`],
  ['ROOT_PATH', t`the web root`],
  ['DIRECTORY', t`the web directory as entered`],
  ['PROXY_PASS', t`the PHP or application upstream`],
  ['PORT', '80'],
  ['PORT_V6', '[::]:80'],
  ['USER', t`the site's user`],
  ['SITE_ID', t`the site's ID`],
  ['SERVER_PUBLIC_IP', t`the server's IP address`],
  ['SERVER_PRIVATE_IP', t`the server's private IP address`],
];

const begin = `server {
    listen {{ PORT }};
    listen {{ PORT_V6 }};
    server_name {{ DOMAINS }};
    root {{ ROOT_PATH }};

    index index.html;

    location / {
        try_files $uri $uri/ =404;
    }
}
`;

/** NginxTemplates are configurations that new sites of this server can start from. */
export function NginxTemplates() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const list = useList(templates, { organization: org, server }, { query: { sort: 'name' } });
  const add = (
    <ButtonLink look="primary" icon={Plus} does={`post ${templates}`} to="/orgs/$org/servers/$server/templates/new" params={{ org, server }}>
      <Trans>New template</Trans>
    </ButtonLink>
  );
  return (
    <Section
      title={t`Nginx templates`}
      plain
      text={t`Used instead of Hostler's configuration when a site is created. Existing sites are not affected.`}
      actions={list.rows.length > 0 ? add : undefined}
    >
      {list.isPending ? (
        <Waiting />
      ) : list.error && !list.data ? (
        <Failed error={list.error} again={() => void list.refetch()} />
      ) : list.rows.length === 0 ? (
        <Empty
          icon={FileCode}
          title={t`No templates`}
          text={t`Create one when several sites on this server need the same custom configuration.`}
          action={add}
        />
      ) : (
        <Table
          label={t`Nginx templates`}
          rows={list.rows}
          id={(t) => t.id}
          more={list.more}
          columns={[
            {
              name: t`Name`,
              width: 'minmax(0,3fr)',
              cell: (t) => (
                <Link to="/orgs/$org/servers/$server/templates/$template" params={{ org, server, template: t.id }} className={rowLink + ' block truncate'}>
                  {t.attributes.name}
                </Link>
              ),
            },
            {
              name: t`Updated`,
              width: '8rem',
              cell: (t) => (
                <span className="text-muted">
                  <Time at={t.attributes.updated_at} ago />
                </span>
              ),
            },
          ]}
        />
      )}
    </Section>
  );
}

function Variables() {
  return (
    <details>
      <summary className="font-medium text-muted">
        <Trans>Variables</Trans>
      </summary>
      <dl className="mt-3 grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
        {variables.map(([name, text]) => (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt className="font-mono text-sm">{`{{ ${name} }}`}</dt>
            <dd className="text-muted">{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const back = 'text-sm text-muted [&>a]:hover:text-text [&>a]:hover:underline';

export function NewNginxTemplate() {
  const { org, server } = useParams({ from: '/orgs/$org/servers/$server' });
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const draft = useDraft(begin);
  const write = useWrite('post', templates, { organization: org, server }, (a) => {
    // what was typed is saved
    void navigate({ to: '/orgs/$org/servers/$server/templates/$template', params: { org, server, template: a.data.id }, ignoreBlocker: true });
  });
  const body = () => ({ name: name.trim(), content: draft.text });
  return (
    <div className="grid gap-2">
      <p className={back}>
        <Link to="/orgs/$org/servers/$server/templates" params={{ org, server }}>
          <Trans>All templates</Trans>
        </Link>
      </p>
      <Section title={t`New template`} text={t`Validated with nginx when a site is created from it.`}>
        <Form
          write={write}
          submit={t`Create template`}
          onSubmit={() => write.submit(body())}
          call={() => write.call(body())}
          extra={draft.dirty ? <Changed before={begin} after={draft.text} undo={draft.undo} /> : undefined}
        >
          <div className="max-w-md">
            <Input
              label={t`Name`}
              name="name"
              autoFocus
              autoComplete="off"
              value={name}
              onChange={(e) => setName(e.target.value)}
              placeholder={t`Static, with long caching`}
            />
          </div>
          <Editor language="nginx" label={t`Configuration`} name="content" value={draft.text} onChange={draft.set} rows={16} />
          <Variables />
        </Form>
      </Section>
    </div>
  );
}

export function NginxTemplatePage() {
  const { org, server, template } = useParams({ from: '/orgs/$org/servers/$server/templates/$template' });
  const doc = useGet(one, { organization: org, server, nginxTemplate: template });
  const row = doc.data?.data;
  if (!row) return doc.error ? <Failed error={doc.error} again={() => void doc.refetch()} /> : <Waiting />;
  return <Edit key={row.id} org={org} server={server} row={row} />;
}

function Edit({ org, server, row }: { org: string; server: string; row: NginxTemplate }) {
  const navigate = useNavigate();
  const at = { organization: org, server, nginxTemplate: row.id };
  const [name, setName] = useState(row.attributes.name);
  const [removing, setRemoving] = useState(false);
  const draft = useDraft(row.attributes.content);
  const write = useWrite('put', one, at);
  const remove = useWrite('delete', one, at, () => void navigate({ to: '/orgs/$org/servers/$server/templates', params: { org, server } }));
  const body = () => ({ name: name.trim(), content: draft.text });
  return (
    <div className="grid gap-2">
      <p className={back}>
        <Link to="/orgs/$org/servers/$server/templates" params={{ org, server }}>
          <Trans>All templates</Trans>
        </Link>
      </p>
      <Section
        title={row.attributes.name}
        text={t`Existing sites are not affected.`}
        actions={
          <Button look="remove" icon={Trash2} does={remove.operation} onClick={() => setRemoving(true)}>
            <Trans>Delete</Trans>
          </Button>
        }
      >
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => write.submit(body())}
          call={() => write.call(body())}
          extra={
            draft.dirty ? (
              <Changed
                before={row.attributes.content}
                after={draft.text}
                undo={() => {
                  draft.undo();
                  write.reset();
                }}
              />
            ) : (
              <Saved shown={write.saved} />
            )
          }
        >
          <div className="max-w-md">
            <Input label={t`Name`} name="name" autoComplete="off" value={name} onChange={(e) => setName(e.target.value)} />
          </div>
          <Editor language="nginx" label={t`Configuration`} name="content" value={draft.text} onChange={draft.set} rows={16} />
          <Variables />
        </Form>
      </Section>
      {removing && (
        <ConfirmName
          open
          easy
          onClose={() => setRemoving(false)}
          title={t`Delete ${row.attributes.name}?`}
          name={row.attributes.name}
          submit={t`Delete template`}
          what={t`Existing sites are not affected.`}
          removal={{ ...remove, submit: () => remove.submit() }}
          call={() => remove.call()}
        />
      )}
    </div>
  );
}
