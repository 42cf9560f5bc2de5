// The page of all components, for maintainers: npm run dev and /components.html. It is no part of the dashboard, and asks nothing of a server.
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router';
import { Archive, Plus, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api/client';
import { Permissions } from './api/may';
import { needed } from './api/permissions';
import { client, useWrite } from './api/query';
import type { Operation } from './api/types';
import { Action } from './kit/action';
import { Button, ButtonLink, type Look } from './kit/button';
import { Code, CopyButton } from './kit/copy';
import { Diff, PlanView } from './kit/diff';
import { Changed, Editor } from './kit/editor';
import { Check, Choice, FieldErrors, Input, Select, Textarea } from './kit/field';
import { Log } from './kit/log';
import { bytes } from './kit/numbers';
import { Empty, Facts, Failed, Notice, Page, Section, Waiting } from './kit/page';
import { SelectionBar, useSelection } from './kit/selection';
import { Pill, State, Time } from './kit/state';
import { Filter, rowLink, Table } from './kit/table';
import { SubTabs, Tabs } from './kit/tabs';
import { TagsField } from './kit/tags';
import { tones } from './kit/words';
import { Work } from './kit/work';
import './style.css';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

function Buttons() {
  const write = useWrite('post', '/orgs/{organization}/servers', { organization: 'main' });
  const looks: Look[] = ['primary', 'plain', 'quiet', 'danger'];
  return (
    <div className="grid gap-3">
      {looks.map((look) => (
        <div key={look} className="flex flex-wrap items-center gap-2">
          <Button look={look}>Save</Button>
          <Button look={look} icon={Plus}>
            Add rule
          </Button>
          <Button look={look} icon={Trash2} only>
            Delete
          </Button>
          <Button look={look} pending>
            Saving
          </Button>
          <Button look={look} disabled why="Save first.">
            Disabled
          </Button>
          <Button look={look} does="delete /orgs/{organization}/servers/{server}">
            Not permitted
          </Button>
          <ButtonLink look={look} to="/">
            Link
          </ButtonLink>
          <Action look={look} write={write as never} icon={RotateCw} plans>
            Reboot
          </Action>
        </div>
      ))}
    </div>
  );
}

function Fields() {
  return (
    <FieldErrors value={{ fields: { address: [{ code: 'invalid', text: 'Enter an IP address.' }] }, claim: () => undefined }}>
      <div className="grid gap-5 sm:grid-cols-2">
        <Input label="Name" name="name" defaultValue="web-1" hint="Up to 30 characters." />
        <Input label="IP address" name="address" defaultValue="203.0.113" className="font-mono" />
        <Input label="Port" name="port" placeholder="443" />
        <Select
          label="Database"
          name="database"
          options={[
            ['mariadb', 'MariaDB 10.11'],
            ['none', 'None'],
          ]}
        />
        <TagsField name="tags" value={['production', 'a, b']} onChange={() => undefined} hint="Press Enter or comma to add a tag." />
        <Textarea label="Paths" name="paths" rows={2} defaultValue={'storage\npublic/uploads'} />
        <div className="grid content-start gap-3">
          <Check label="Include all subdomains" defaultChecked />
          <Check label="Isolated user" hint="The site runs as its own user and can't read other sites on this server." />
        </div>
        <Choice
          legend="Action"
          name="action"
          value="allow"
          onChange={() => undefined}
          options={[
            { value: 'allow', title: 'Allow' },
            { value: 'deny', title: 'Deny', text: 'Takes precedence over allow rules.' },
          ]}
        />
      </div>
    </FieldErrors>
  );
}

interface Row {
  id: string;
  name: string;
  state: string;
  size: number;
}
const rows: Row[] = [
  { id: '1', name: 'web-1', state: 'ready', size: 71_000_000 },
  { id: '2', name: 'db-1', state: 'provisioning', size: 4_300_000_000 },
  { id: '3', name: 'a-server-with-a-long-name-that-has-to-be-cut', state: 'failed', size: 912 },
];

function Lists() {
  const selection = useSelection<Row>((r) => r.name);
  const chosen = { ...selection, chosen: new Map([['1', rows[0]!]]) };
  return (
    <div className="grid gap-3">
      <Filter label="Filter by name" onChange={() => undefined} />
      <Table
        label="Servers"
        rows={rows}
        more={undefined}
        id={(r) => r.id}
        selection={chosen}
        columns={[
          { name: 'Name', width: 'minmax(0,2fr)', cell: (r) => <span className={rowLink + ' truncate'}>{r.name}</span> },
          { name: 'Status', width: '10rem', cell: (r) => <State state={r.state} /> },
          { name: 'Size', width: '6rem', cell: (r) => bytes(r.size) },
          { name: 'Added', width: '8rem', cell: () => <Time at={ago(90)} ago /> },
          { name: 'Delete', width: '2.5rem', end: true, cell: (r) => <Button look="quiet" only icon={Trash2}>{`Delete ${r.name}`}</Button> },
        ]}
      />
      <SelectionBar of={chosen} rows={rows} one="server">
        <Button icon={RotateCw}>Reboot</Button>
      </SelectionBar>
    </div>
  );
}

const operation = (of: Partial<Operation>): Operation =>
  ({
    event_id: 7,
    state: 'running',
    action: 'deploy',
    step: 'script',
    attempt: 1,
    reversible: true,
    reason: '',
    deadline: new Date(Date.now() + 600_000).toISOString(),
    ...of,
  }) as unknown as Operation;

const diff = '@@ -1,3 +1,3 @@\n server {\n-    listen 80;\n+    listen 443 ssl;\n }\n';
const plan = {
  servers: [
    {
      server_id: '2',
      files: [{ path: '/etc/nginx/sites-enabled/shop.example.com', diff }],
      packages: [],
      actions: ['systemctl reload nginx'],
      kept: ['/etc/nginx/nginx.conf'],
    },
  ],
};
const output = 'From git.example.com:shop\nfetch: changed (1.2 s)\nbuilding assets\n\u001b[31mnpm: command not found\u001b[0m\nscript: failed (0.4 s)\n';

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Section title={title} plain>
      <div className="min-w-0">{children}</div>
    </Section>
  );
}

function Components() {
  const [text, setText] = useState('APP_NAME=Shop\nAPP_ENV=production\n');
  const tabs = [
    { to: '/', text: 'Overview', exact: true },
    { to: '/deployments', text: 'Deployments' },
    { to: '/settings', text: 'Settings' },
  ];
  return (
    <main className="mx-auto max-w-4xl px-4 py-8">
      <Page title="Components" sub="All of kit, as the screens use it." state={<State state="ready" />} actions={<Button look="primary">Action</Button>}>
        <Tabs label="Tabs" tabs={tabs} params={{}} />
        <SubTabs label="Tabs below" tabs={tabs} params={{}} />
        <Part title="Buttons">
          <Buttons />
        </Part>
        <Part title="States">
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-6">
            {Object.keys(tones).map((s) => (
              <State key={s} state={s} />
            ))}
          </div>
          <p className="mt-3 flex gap-2">
            <Pill>Primary</Pill> <Pill tone="good">Active</Pill> <Pill tone="warn">Incomplete</Pill> <Pill tone="bad">Failed</Pill>{' '}
            <Pill tone="busy">Running</Pill>
          </p>
        </Part>
        <Part title="Notices">
          <div className="grid gap-2">
            <Notice>Hostler signs in as root with this key.</Notice>
            <Notice tone="warn">This backup has not been verified.</Notice>
            <Notice tone="bad" action={<Button>Try again</Button>}>
              Hostler is not responding.
            </Notice>
            <Failed error={new ApiError(404, 'Not Found', {}, '')} />
            <Failed error={new ApiError(500, 'Something broke.', {}, '')} again={() => undefined} />
          </div>
        </Part>
        <Part title="Fields">
          <Fields />
        </Part>
        <Part title="Lists">
          <Lists />
        </Part>
        <Part title="Facts">
          <Facts
            rows={[
              ['Address', '203.0.113.10'],
              ['Time zone', 'Europe/Berlin'],
              ['Database', null],
            ]}
          />
        </Part>
        <Part title="Empty and loading">
          <div className="grid gap-3">
            <Empty icon={Archive} title="No backups yet" text="The first one runs tonight." action={<Button look="primary">Back up now</Button>} />
            <Waiting rows={2} />
          </div>
        </Part>
        <Part title="Work">
          <div className="grid gap-2">
            <Work operation={operation({})} org="main" server="2" line="building assets" />
            <Work operation={operation({ state: 'failed', reason: 'Deploy script exited with 1: npm: command not found', attempt: 2 })} org="main" server="2" />
            <Work operation={operation({ state: 'succeeded', step: 'The new release is live' })} org="main" server="2" />
          </div>
        </Part>
        <Part title="Log">
          <Log text={output} live={false} name="deployment-7" />
        </Part>
        <Part title="Plan and difference">
          <div className="grid gap-3">
            <PlanView plan={plan as never} onClose={() => undefined} />
            <Diff text={diff} />
          </div>
        </Part>
        <Part title="Editor and code">
          <div className="grid gap-3">
            <Editor language="env" label=".env" name="environment" rows={4} value={text} onChange={setText} mark={2} />
            <div className="flex flex-wrap items-center gap-2">
              <Changed before={'APP_NAME=Shop\n'} after={text} undo={() => undefined} />
            </div>
            <Code label="Setup command" text="curl -fsS https://panel.example.com/bootstrap/2 | sh" />
            <span>
              203.0.113.10 <CopyButton text="203.0.113.10" />
            </span>
          </div>
        </Part>
      </Page>
    </main>
  );
}

const held = new Set(needed(['post /orgs/{organization}/servers', 'post /orgs/{organization}/servers/{server}/actions', 'get /orgs/{organization}/servers']));
const router = createRouter({
  routeTree: createRootRoute({
    component: () => (
      <Permissions value={held}>
        <Components />
      </Permissions>
    ),
    notFoundComponent: () => null,
  }),
  history: createMemoryHistory({ initialEntries: ['/'] }),
});

createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={client}>
    <RouterProvider router={router as never} />
  </QueryClientProvider>,
);
