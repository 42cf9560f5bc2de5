import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { useList, useWrite } from '../../api/query';
import { Button, ButtonLink } from '../../kit/button';
import { Code } from '../../kit/copy';
import { Check, Choice, Input, Select } from '../../kit/field';
import { Form } from '../../kit/form';
import { Empty, Notice, Page, Waiting } from '../../kit/page';
import { TagsField } from '../../kit/tags';
import { methods, version as programVersion, texts } from '../../kit/words';
import { type NodeRow, Nodes, toBody } from '../loadbalancer/nodes';
import { templates } from '../nginx/templates';
import { useGitSources } from '../sourcecontrol/source';
import { Ahead } from './card';
import { SiteDatabase, useSiteDatabase } from './database';
import { PresetField, RuntimeField, runtimeBody, StartCommand } from './node';

const kinds = [
  { value: 'php', title: 'PHP', text: t`Any PHP application, run with PHP-FPM.` },
  { value: 'laravel', title: 'Laravel', text: t`Includes a deploy script. Requires a repository.` },
  { value: 'symfony', title: 'Symfony', text: t`Includes a deploy script. Requires a repository.` },
  { value: 'statamic', title: 'Statamic', text: t`Includes a deploy script. Requires a repository.` },
  { value: 'wordpress', title: 'WordPress', text: t`Installed with a database on the server, or from a repository.` },
  { value: 'phpmyadmin', title: 'phpMyAdmin', text: t`Manages the server's databases.` },
  { value: 'nextjs', title: 'Next.js', text: t`Runs as a Node.js server or is exported to static files. Requires a repository.` },
  { value: 'nuxtjs', title: 'Nuxt', text: t`Runs as a Node.js server or is exported to static files. Requires a repository.` },
  { value: 'static-html', title: t`Static files`, text: t`HTML, images or a built front end.` },
  { value: 'custom', title: t`Program`, text: t`A program in Python, Ruby, Go, Node.js or another language, behind nginx. Requires a repository.` },
  { value: 'other', title: t`Other`, text: t`nginx only. You configure the backend.` },
] as const;

/** coded are the types that serve nothing before something is deployed. */
const coded = new Set<string>(['laravel', 'symfony', 'statamic', 'nextjs', 'nuxtjs', 'custom']);

export function NewSite() {
  const { org } = useParams({ from: '/orgs/$org' });
  const search = useSearch({ from: '/orgs/$org/sites/new' });
  const servers = useList('/orgs/{organization}/servers', { organization: org }, { query: { sort: 'name' }, all: true });
  const fit = servers.rows.filter((s) => ['app', 'web', 'loadbalancer'].includes(s.attributes.type));
  const [chosen, setChosen] = useState(search.server ?? '');
  // a site's files are on a web server, rather one that is set up; what is balanced comes later
  const plain = fit.filter((s) => s.attributes.type !== 'loadbalancer');
  const server = fit.find((s) => s.id === chosen) ?? plain.find((s) => s.attributes.is_ready) ?? plain[0] ?? fit[0];
  return (
    <Page title={t`New site`} narrow>
      {servers.isPending ? (
        <Waiting />
      ) : !server ? (
        <Empty
          icon={Globe}
          title={t`A site needs a server`}
          text={t`Add a web server, an app server or a load balancer first.`}
          action={
            <ButtonLink look="primary" icon={Plus} does="post /orgs/{organization}/servers" to="/orgs/$org/servers/new" params={{ org }}>
              <Trans>Add server</Trans>
            </ButtonLink>
          }
        />
      ) : (
        <div className="panel grid gap-5 p-6">
          <Select
            label={t`Server`}
            name="server"
            value={server.id}
            onChange={(e) => setChosen(e.target.value)}
            options={fit.map((s) => [s.id, s.attributes.type === 'loadbalancer' ? t`${s.attributes.name} (load balancer)` : s.attributes.name!] as const)}
          />
          {!server.attributes.is_ready && (
            <Notice tone="info">
              <Trans>{server.attributes.name} is not set up yet. The site is installed as soon as it is ready.</Trans>
            </Notice>
          )}
          {server.attributes.type === 'loadbalancer' ? (
            <NewBalanced key={server.id} org={org} server={server.id} />
          ) : (
            <NewPlain
              key={server.id}
              org={org}
              server={server.id}
              name={server.attributes.name}
              engine={server.attributes.database_type ?? ''}
              usual={server.attributes.php_version ?? ''}
            />
          )}
        </div>
      )}
    </Page>
  );
}

function useDone(org: string) {
  const navigate = useNavigate();
  return (a: { data: { id: string } }) => void navigate({ to: '/orgs/$org/sites/$site', params: { org, site: a.data.id } });
}

// What a WordPress and its like are made with: only these speak its SQL.
const speaks = (engine: string) => engine.startsWith('mysql') || engine.startsWith('mariadb');

function NewPlain({ org, server, name, engine, usual }: { org: string; server: string; name: string; engine: string; usual: string }) {
  const [type, setType] = useState<(typeof kinds)[number]['value']>('php');
  const [domain, setDomain] = useState('');
  const [directory, setDirectory] = useState('');
  const [www, setWWW] = useState('none');
  const [isolated, setIsolated] = useState(false);
  const [user, setUser] = useState('');
  const [wildcard, setWildcard] = useState(false);
  const [provider, setProvider] = useState('custom');
  const [repository, setRepository] = useState('');
  const [branch, setBranch] = useState('main');
  const [template, setTemplate] = useState('');
  const [mode, setMode] = useState('server');
  const [runtime, setRuntime] = useState('system');
  const [start, setStart] = useState('');
  const [preset, setPreset] = useState({ name: '', node: false });
  const [tags, setTags] = useState<string[]>([]);
  const [title, setTitle] = useState('');
  const [admin, setAdmin] = useState('');
  const [email, setEmail] = useState('');
  const [shown, setShown] = useState<{ id: string; user: string; password: string } | null>(null);
  const done = useDone(org);
  const runs = type === 'nextjs' || type === 'nuxtjs';
  const php = ['php', 'laravel', 'symfony', 'statamic', 'wordpress', 'phpmyadmin'].includes(type);
  const connects = engine !== '' && php && type !== 'phpmyadmin';
  const [version, setVersion] = useState('');
  const installed = useList(
    '/orgs/{organization}/servers/{server}/php/versions',
    { organization: org, server },
    { query: { sort: '-version', 'filter[status]': 'installed' }, enabled: !!usual },
  );
  const versions = installed.rows.map((v) => 'php' + v.attributes.version.replace('.', ''));
  const git = useGitSources(org);
  const own = useList(templates, { organization: org, server }, { query: { sort: 'name' }, all: true });
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/sites', { organization: org, server }, (a) => {
    const once = a.data.meta?.shown_once;
    if (once?.password) setShown({ id: a.data.id, user: once.username ?? '', password: once.password });
    else done(a);
  });
  const installs = type === 'wordpress' && !repository.trim();
  const data = useSiteDatabase({ org, server, domain, enabled: connects, needed: installs, made: (id) => write.submit(body(id)) });
  const body = (made?: string) => ({
    type,
    name: domain.trim(),
    web_directory: directory.trim() || undefined,
    www_redirect_type: www as 'none',
    is_isolated: isolated || undefined,
    isolated_user: isolated ? user.trim() : undefined,
    allow_wildcard_subdomains: wildcard || undefined,
    nginx_template_id: template ? Number(template) : undefined,
    ...data.body(made),
    php_version: php && version && version !== usual ? (version as 'php84') : undefined,
    nuxt_next_mode: runs ? mode : undefined,
    start_command: type === 'custom' ? start.trim() : undefined,
    frontend_package_manager: type === 'custom' && preset.node ? 'npm' : undefined,
    ...(runtime !== 'system' && type !== 'phpmyadmin' && runtimeBody(runtime)),
    tags: tags.length > 0 ? tags : undefined,
    wordpress_title: installs && title.trim() ? title.trim() : undefined,
    wordpress_user: installs && admin.trim() ? admin.trim() : undefined,
    wordpress_email: installs && email.trim() ? email.trim() : undefined,
    ...(repository.trim() ? { ...git.asked(provider), repository: repository.trim(), branch: branch.trim() } : {}),
    // without their packages none of them runs
    install_composer_dependencies: (repository.trim() && ['laravel', 'symfony', 'statamic'].includes(type)) || undefined,
  });
  if (shown)
    return (
      <div className="grid gap-4">
        <p>
          <Trans>
            WordPress is being installed. The password of its administrator <span className="font-mono">{shown.user}</span> is shown only once.
          </Trans>
        </p>
        <Code text={shown.password} label={t`Password`} wrap />
        <div>
          <Button look="primary" onClick={() => done({ data: { id: shown.id } })}>
            <Trans>I've saved it</Trans>
          </Button>
        </div>
      </div>
    );
  return (
    <Form
      write={{ ...write, pending: write.pending || data.create.pending }}
      submit={t`Create site`}
      onSubmit={() => (data.creates ? data.begin() : write.submit(body()))}
      onPlan={() => write.tryOut(body())}
      call={() => write.call(body())}
    >
      <Input label={t`Domain`} name="name" autoFocus value={domain} onChange={(e) => setDomain(e.target.value)} placeholder="shop.example.com" code />
      <Choice legend={t`Site type`} name="type" value={type} onChange={setType} options={kinds} />
      <div className="grid gap-5 sm:grid-cols-[11rem_minmax(0,1fr)_8rem]">
        <Select label={t`Git server`} name="source_control_provider" value={provider} onChange={(e) => setProvider(e.target.value)} options={git.options} />
        <Input
          label={t`Repository`}
          name="repository"
          value={repository}
          onChange={(e) => setRepository(e.target.value)}
          code
          placeholder={git.short(provider) ? 'team/app' : 'git@git.example.com:team/app.git'}
          hint={
            coded.has(type)
              ? t`This type is deployed from a repository. You can also connect it later.`
              : t`Optional. Leave blank to create the site without a repository.`
          }
        />
        <Input label={t`Branch`} name="branch" value={branch} onChange={(e) => setBranch(e.target.value)} code />
      </div>
      {repository.trim() && <Ahead />}
      {(type === 'wordpress' || type === 'phpmyadmin') && !speaks(engine) && (
        <Notice tone="warn">
          <Trans>{name} has no MySQL or MariaDB. This site type requires one.</Trans>
        </Notice>
      )}
      <SiteDatabase of={data} />
      {data.create.error && (
        <Notice tone="bad" role="alert">
          <Trans>The database was not created: {texts(data.create.fields) || data.create.error.message}</Trans>
        </Notice>
      )}
      {installs && (
        <div className="grid gap-5 sm:grid-cols-3">
          <Input label={t`Title`} name="wordpress_title" value={title} onChange={(e) => setTitle(e.target.value)} placeholder={domain.trim()} />
          <Input label={t`Administrator`} name="wordpress_user" value={admin} onChange={(e) => setAdmin(e.target.value)} hint={t`Generated if blank.`} code />
          <Input label={t`Email`} name="wordpress_email" type="email" value={email} onChange={(e) => setEmail(e.target.value)} hint={t`Yours if blank.`} />
        </div>
      )}
      {php && usual && (
        <Select
          label="PHP"
          name="php_version"
          value={version || usual}
          onChange={(e) => setVersion(e.target.value)}
          options={(versions.includes(usual) ? versions : [usual, ...versions]).map((v) => [v, programVersion(v)] as const)}
          hint={t`Versions installed on the server. You can change it later in the site's settings.`}
        />
      )}
      {type === 'custom' && (
        <PresetField
          value={preset.name}
          onChange={(name, fits) => {
            setPreset({ name, node: fits.node });
            setRuntime(fits.runtime);
            setStart(fits.start);
          }}
        />
      )}
      {!php && type !== 'static-html' && type !== 'other' && <RuntimeField value={runtime} onChange={setRuntime} />}
      {type === 'custom' && <StartCommand value={start} onChange={setStart} required />}
      {runs && (
        <Select
          label={t`Rendering`}
          name="nuxt_next_mode"
          value={mode}
          onChange={(e) => setMode(e.target.value)}
          options={[
            ['server', t`Node.js server`],
            ['static', t`Static export`],
          ]}
        />
      )}
      <details>
        <summary className="font-medium text-muted">
          <Trans>More options: directory, www, user, runtime, tags</Trans>
        </summary>
        <div className="mt-4 grid gap-5">
          {(type === 'static-html' || type === 'other' || (php && type !== 'phpmyadmin')) && <RuntimeField value={runtime} onChange={setRuntime} beside />}
          <Input
            label={t`Web directory`}
            name="web_directory"
            value={directory}
            onChange={(e) => setDirectory(e.target.value)}
            placeholder="/public"
            className="font-mono"
            hint={t`The public directory, relative to the site's directory. An empty field means the default of the site's type.`}
          />
          <Select
            label="www"
            name="www_redirect_type"
            value={www}
            onChange={(e) => setWWW(e.target.value)}
            options={[
              ['none', t`Don't redirect`],
              ['from-www', t`Redirect www to the domain`],
              ['to-www', t`Redirect the domain to www`],
            ]}
          />
          {own.rows.length > 0 && (
            <Select
              label={t`Nginx configuration`}
              name="nginx_template_id"
              value={template}
              onChange={(e) => setTemplate(e.target.value)}
              options={[['', t`Default`], ...own.rows.map((r) => [r.id, t`From the template ${r.attributes.name}`] as const)]}
            />
          )}
          <Check label={t`Include all subdomains`} checked={wildcard} onChange={(e) => setWildcard(e.target.checked)} />
          <Check
            label={t`Isolated user`}
            hint={
              installs
                ? t`WordPress always gets its own user. Select this to choose its name.`
                : t`The site runs as its own user and can't read other sites on this server.`
            }
            checked={isolated}
            onChange={(e) => setIsolated(e.target.checked)}
          />
          {isolated && (
            <Input label={t`User`} name="isolated_user" value={user} onChange={(e) => setUser(e.target.value)} className="font-mono" placeholder="shop" />
          )}
          <TagsField name="tags" value={tags} onChange={setTags} hint={t`Press Enter or comma to add a tag. Sites can be filtered and grouped by tag.`} />
        </div>
      </details>
    </Form>
  );
}

function NewBalanced({ org, server }: { org: string; server: string }) {
  const [domain, setDomain] = useState('');
  const [method, setMethod] = useState('round_robin');
  const [rows, setRows] = useState<NodeRow[]>([]);
  const write = useWrite('post', '/orgs/{organization}/servers/{server}/sites/balancer', { organization: org, server }, useDone(org));
  const body = () => ({ domain: domain.trim(), balancer_method: method as 'round_robin', balancing: rows.length ? rows.map(toBody) : undefined });
  return (
    <Form write={write} submit={t`Create site`} onSubmit={() => write.submit(body())} onPlan={() => write.tryOut(body())} call={() => write.call(body())}>
      <Input label={t`Domain`} name="domain" autoFocus value={domain} onChange={(e) => setDomain(e.target.value)} placeholder="shop.example.com" code />
      <Nodes org={org} rows={rows} onChange={setRows} />
      <Select label={t`Method`} name="balancer_method" value={method} onChange={(e) => setMethod(e.target.value)} options={Object.entries(methods)} />
      {rows.length === 0 && (
        <p className="text-sm text-muted">
          <Trans>Responds with 503 until you add nodes.</Trans>
        </p>
      )}
    </Form>
  );
}
