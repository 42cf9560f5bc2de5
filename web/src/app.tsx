// Every address of the dashboard. Screens come when they are first opened.
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { createRootRoute, createRoute, createRouter, type ErrorComponentProps, lazyRouteComponent, Outlet, type RouteComponent } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { ApiError } from './api/client';
import { ButtonLink } from './kit/button';
import { Empty, Failed } from './kit/page';
import { Account, Organization } from './shell/shell';

const NotFound = () => (
  <main className="mx-auto max-w-xl p-10">
    <h1 className="sr-only">
      <Trans>Not found</Trans>
    </h1>
    <Empty
      icon={Compass}
      title={t`Page not found`}
      text={t`Check the address, or go back to Home.`}
      action={
        <ButtonLink to="/">
          <Trans>Go to Home</Trans>
        </ButtonLink>
      }
    />
  </main>
);

/** Broken is in the place of a page that could not be loaded, as while Hostler restarts, or that failed. The rest of the screen stays. */
const Broken = ({ error }: ErrorComponentProps) => (
  <Failed
    error={/import|module/i.test(String(error)) ? new ApiError(0, t`The page could not be loaded. Hostler may be restarting.`) : error}
    again={() => location.reload()}
  />
);

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const sign = () => import('./pages/account/sign');
const start = createRoute({ getParentRoute: () => root, path: '/', component: lazyRouteComponent(() => import('./pages/account/start'), 'Start') });
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (s: Record<string, unknown>): { next?: string } => (typeof s.next === 'string' ? { next: s.next } : {}),
  component: lazyRouteComponent(sign, 'SignIn'),
});
const setUp = createRoute({ getParentRoute: () => root, path: '/setup', component: lazyRouteComponent(sign, 'SetUp') });
const signUp = createRoute({ getParentRoute: () => root, path: '/sign-up', component: lazyRouteComponent(sign, 'SignUp') });
const forgot = createRoute({ getParentRoute: () => root, path: '/forgot-password', component: lazyRouteComponent(sign, 'Forgot') });
const reset = createRoute({ getParentRoute: () => root, path: '/reset-password', component: lazyRouteComponent(sign, 'Reset') });
const recipient = createRoute({ getParentRoute: () => root, path: '/confirm-recipient', component: lazyRouteComponent(sign, 'Recipient') });
const verify = createRoute({ getParentRoute: () => root, path: '/verify-email', component: lazyRouteComponent(sign, 'Verify') });
const invitation = createRoute({ getParentRoute: () => root, path: '/invitation', component: lazyRouteComponent(sign, 'Invitation') });

const org = createRoute({ getParentRoute: () => root, path: '/orgs/$org', component: Organization });
const inOrg = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => org, path, component });
const newSite = createRoute({
  getParentRoute: () => org,
  path: '/sites/new',
  validateSearch: (s: Record<string, unknown>): { server?: string } => (s.server ? { server: String(s.server) } : {}),
  component: lazyRouteComponent(() => import('./pages/site/new'), 'NewSite'),
});

const server = createRoute({
  getParentRoute: () => org,
  path: '/servers/$server',
  component: lazyRouteComponent(() => import('./pages/server/server'), 'ServerFrame'),
});
const inServer = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => server, path, component });
const phpVersion = createRoute({
  getParentRoute: () => server,
  path: '/php/$version',
  validateSearch: (s: Record<string, unknown>): { config?: string } => (s.config ? { config: String(s.config) } : {}),
  component: lazyRouteComponent(() => import('./pages/php/version'), 'PHPVersionPage'),
});
const site = createRoute({ getParentRoute: () => org, path: '/sites/$site', component: lazyRouteComponent(() => import('./pages/site/site'), 'SiteFrame') });
const inSite = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => site, path, component });

const deployments = createRoute({
  getParentRoute: () => site,
  path: '/deployments',
  component: lazyRouteComponent(() => import('./pages/deployment/deployments'), 'DeploymentsFrame'),
});
const inDeployments = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => deployments, path, component });
const processes = createRoute({
  getParentRoute: () => site,
  path: '/processes',
  component: lazyRouteComponent(() => import('./pages/process/processes'), 'ProcessesFrame'),
});
const inProcesses = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => processes, path, component });
const logs = createRoute({ getParentRoute: () => site, path: '/logs', component: lazyRouteComponent(() => import('./pages/log/logs'), 'LogsFrame') });
const inLogs = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => logs, path, component });
const files = createRoute({
  getParentRoute: () => site,
  path: '/files',
  validateSearch: (s: Record<string, unknown>): { path?: string; open?: string } => ({
    ...(typeof s.path === 'string' ? { path: s.path } : {}),
    ...(typeof s.open === 'string' ? { open: s.open } : {}),
  }),
  component: lazyRouteComponent(() => import('./pages/file/files'), 'Files'),
});

const nginx = createRoute({
  getParentRoute: () => site,
  path: '/nginx',
  validateSearch: (s: Record<string, unknown>): { domain?: string } => (s.domain ? { domain: String(s.domain) } : {}),
  component: lazyRouteComponent(() => import('./pages/nginx/nginx'), 'Nginx'),
});

const team = createRoute({ getParentRoute: () => org, path: '/team', component: lazyRouteComponent(() => import('./pages/team/team'), 'TeamFrame') });
const inTeam = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => team, path, component });
const settings = createRoute({
  getParentRoute: () => org,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/organization/settings'), 'SettingsFrame'),
});
const inSettings = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => settings, path, component });
const storage = createRoute({
  getParentRoute: () => settings,
  path: '/storage',
  validateSearch: (s: Record<string, unknown>): { next?: string } => (typeof s.next === 'string' ? { next: s.next } : {}),
  component: lazyRouteComponent(() => import('./pages/storage/storage'), 'Storage'),
});

const account = createRoute({ getParentRoute: () => root, path: '/account', component: Account });
const orgs = createRoute({ getParentRoute: () => root, path: '/orgs', component: Account });
const allOrgs = createRoute({
  getParentRoute: () => orgs,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/organization/all'), 'Organizations'),
});
const accountFrame = createRoute({
  getParentRoute: () => account,
  id: 'frame',
  component: lazyRouteComponent(() => import('./pages/account/account'), 'AccountFrame'),
});
const inAccount = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => accountFrame, path, component });

const tree = root.addChildren([
  start,
  signIn,
  setUp,
  signUp,
  forgot,
  reset,
  recipient,
  verify,
  invitation,
  orgs.addChildren([allOrgs]),
  org.addChildren([
    inOrg(
      '/',
      lazyRouteComponent(() => import('./pages/home/home'), 'Home'),
    ),
    inOrg(
      '/activity',
      lazyRouteComponent(() => import('./pages/event/events'), 'Activity'),
    ),
    inOrg(
      '/servers',
      lazyRouteComponent(() => import('./pages/server/servers'), 'Servers'),
    ),
    inOrg(
      '/servers/archives',
      lazyRouteComponent(() => import('./pages/server/archives'), 'Archives'),
    ),
    inOrg(
      '/servers/new',
      lazyRouteComponent(() => import('./pages/server/new'), 'NewServer'),
    ),
    server.addChildren([
      inServer(
        '/',
        lazyRouteComponent(() => import('./pages/server/overview'), 'ServerOverview'),
      ),
      inServer(
        '/sites',
        lazyRouteComponent(() => import('./pages/site/sites'), 'ServerSites'),
      ),
      inServer(
        '/databases',
        lazyRouteComponent(() => import('./pages/database/databases'), 'Databases'),
      ),
      inServer(
        '/databases/$database',
        lazyRouteComponent(() => import('./pages/database/database'), 'DatabasePage'),
      ),
      inServer(
        '/backups',
        lazyRouteComponent(() => import('./pages/backup/backups'), 'Backups'),
      ),
      inServer(
        '/backups/new',
        lazyRouteComponent(() => import('./pages/backup/form'), 'BackupForm'),
      ),
      inServer(
        '/backups/$configuration',
        lazyRouteComponent(() => import('./pages/backup/backup'), 'BackupPage'),
      ),
      inServer(
        '/backups/$configuration/change',
        lazyRouteComponent(() => import('./pages/backup/form'), 'BackupForm'),
      ),
      inServer(
        '/backups/$configuration/$backup/restore',
        lazyRouteComponent(() => import('./pages/backup/restore'), 'Restore'),
      ),
      inServer(
        '/jobs',
        lazyRouteComponent(() => import('./pages/schedule/jobs'), 'ServerJobs'),
      ),
      inServer(
        '/services',
        lazyRouteComponent(() => import('./pages/service/services'), 'Services'),
      ),
      inServer(
        '/monitors',
        lazyRouteComponent(() => import('./pages/monitor/monitors'), 'Monitors'),
      ),
      inServer(
        '/firewall',
        lazyRouteComponent(() => import('./pages/firewall/firewall'), 'Firewall'),
      ),
      inServer(
        '/network',
        lazyRouteComponent(() => import('./pages/server/network'), 'Network'),
      ),
      inServer(
        '/ssh-keys',
        lazyRouteComponent(() => import('./pages/sshkey/keys'), 'SSHKeys'),
      ),
      inServer(
        '/php',
        lazyRouteComponent(() => import('./pages/php/php'), 'PHP'),
      ),
      phpVersion,
      inServer(
        '/events',
        lazyRouteComponent(() => import('./pages/event/events'), 'ServerEvents'),
      ),
      inServer(
        '/events/$event',
        lazyRouteComponent(() => import('./pages/event/events'), 'EventPage'),
      ),
      inServer(
        '/logs',
        lazyRouteComponent(() => import('./pages/log/server-logs'), 'ServerLogs'),
      ),
      inServer(
        '/templates',
        lazyRouteComponent(() => import('./pages/nginx/templates'), 'NginxTemplates'),
      ),
      inServer(
        '/templates/new',
        lazyRouteComponent(() => import('./pages/nginx/templates'), 'NewNginxTemplate'),
      ),
      inServer(
        '/templates/$template',
        lazyRouteComponent(() => import('./pages/nginx/templates'), 'NginxTemplatePage'),
      ),
      inServer(
        '/settings',
        lazyRouteComponent(() => import('./pages/server/server'), 'ServerSettings'),
      ),
    ]),
    inOrg(
      '/sites',
      lazyRouteComponent(() => import('./pages/site/sites'), 'Sites'),
    ),
    newSite,
    site.addChildren([
      inSite(
        '/',
        lazyRouteComponent(() => import('./pages/site/site'), 'SiteOverview'),
      ),
      inSite(
        '/activity',
        lazyRouteComponent(() => import('./pages/event/events'), 'SiteEvents'),
      ),
      inSite(
        '/balancing',
        lazyRouteComponent(() => import('./pages/loadbalancer/balancing'), 'SiteBalancing'),
      ),
      deployments.addChildren([
        inDeployments(
          '/',
          lazyRouteComponent(() => import('./pages/deployment/deployments'), 'Deployments'),
        ),
        inDeployments(
          '/script',
          lazyRouteComponent(() => import('./pages/deployment/script'), 'DeployScript'),
        ),
        inDeployments(
          '/source',
          lazyRouteComponent(() => import('./pages/deployment/source'), 'Source'),
        ),
        inDeployments(
          '/packages',
          lazyRouteComponent(() => import('./pages/packages/packages'), 'Packages'),
        ),
        inDeployments(
          '/webhooks',
          lazyRouteComponent(() => import('./pages/webhook/webhooks'), 'Webhooks'),
        ),
        inDeployments(
          '/webhooks/$webhook',
          lazyRouteComponent(() => import('./pages/webhook/webhooks'), 'WebhookPage'),
        ),
        inDeployments(
          '/$deployment',
          lazyRouteComponent(() => import('./pages/deployment/deployments'), 'DeploymentPage'),
        ),
      ]),
      inSite(
        '/environment',
        lazyRouteComponent(() => import('./pages/environment/environment'), 'Environment'),
      ),
      files,
      inSite(
        '/domains',
        lazyRouteComponent(() => import('./pages/domain/domains'), 'Domains'),
      ),
      inSite(
        '/domains/$domain',
        lazyRouteComponent(() => import('./pages/domain/domain'), 'DomainPage'),
      ),
      inSite(
        '/redirects',
        lazyRouteComponent(() => import('./pages/redirect/redirects'), 'Redirects'),
      ),
      inSite(
        '/security',
        lazyRouteComponent(() => import('./pages/security/security'), 'Security'),
      ),
      inSite(
        '/sftp',
        lazyRouteComponent(() => import('./pages/sftp/sftp'), 'SFTP'),
      ),
      inSite(
        '/commands',
        lazyRouteComponent(() => import('./pages/command/commands'), 'Commands'),
      ),
      inSite(
        '/commands/$command',
        lazyRouteComponent(() => import('./pages/command/commands'), 'CommandPage'),
      ),
      processes.addChildren([
        inProcesses(
          '/',
          lazyRouteComponent(() => import('./pages/process/processes'), 'Processes'),
        ),
        inProcesses(
          '/jobs',
          lazyRouteComponent(() => import('./pages/schedule/jobs'), 'Jobs'),
        ),
        inProcesses(
          '/heartbeats',
          lazyRouteComponent(() => import('./pages/heartbeat/heartbeats'), 'Heartbeats'),
        ),
        inProcesses(
          '/integrations',
          lazyRouteComponent(() => import('./pages/integration/integrations'), 'Integrations'),
        ),
        inProcesses(
          '/$process',
          lazyRouteComponent(() => import('./pages/process/processes'), 'ProcessPage'),
        ),
      ]),
      logs.addChildren([
        inLogs(
          '/',
          lazyRouteComponent(() => import('./pages/log/logs'), 'AccessLog'),
        ),
        inLogs(
          '/$log',
          lazyRouteComponent(() => import('./pages/log/logs'), 'OtherLog'),
        ),
      ]),
      nginx,
      inSite(
        '/settings',
        lazyRouteComponent(() => import('./pages/site/settings'), 'SiteSettings'),
      ),
    ]),
    inOrg(
      '/recipes',
      lazyRouteComponent(() => import('./pages/recipe/recipes'), 'Recipes'),
    ),
    inOrg(
      '/recipes/new',
      lazyRouteComponent(() => import('./pages/recipe/recipes'), 'NewRecipe'),
    ),
    inOrg(
      '/recipes/shipped/$shipped',
      lazyRouteComponent(() => import('./pages/recipe/recipes'), 'ShippedPage'),
    ),
    inOrg(
      '/recipes/shipped/$shipped/runs/$run',
      lazyRouteComponent(() => import('./pages/recipe/runs'), 'ShippedRunPage'),
    ),
    inOrg(
      '/recipes/$recipe',
      lazyRouteComponent(() => import('./pages/recipe/recipes'), 'RecipePage'),
    ),
    inOrg(
      '/recipes/$recipe/runs/$run',
      lazyRouteComponent(() => import('./pages/recipe/runs'), 'RecipeRunPage'),
    ),
    team.addChildren([
      inTeam(
        '/',
        lazyRouteComponent(() => import('./pages/team/team'), 'People'),
      ),
      inTeam(
        '/teams',
        lazyRouteComponent(() => import('./pages/team/team'), 'Teams'),
      ),
      inTeam(
        '/teams/$team',
        lazyRouteComponent(() => import('./pages/team/team'), 'TeamPage'),
      ),
      inTeam(
        '/roles',
        lazyRouteComponent(() => import('./pages/role/page'), 'Roles'),
      ),
      inTeam(
        '/ssh-access',
        lazyRouteComponent(() => import('./pages/sshkey/access'), 'SSHAccess'),
      ),
    ]),
    settings.addChildren([
      inSettings(
        '/',
        lazyRouteComponent(() => import('./pages/organization/settings'), 'OrganizationSettings'),
      ),
      storage,
      inSettings(
        '/git',
        lazyRouteComponent(() => import('./pages/sourcecontrol/providers'), 'GitProviders'),
      ),
      inSettings(
        '/accounts',
        lazyRouteComponent(() => import('./pages/provider/credentials'), 'Credentials'),
      ),
      inSettings(
        '/dns',
        lazyRouteComponent(() => import('./pages/dnsprovider/providers'), 'DNSProviders'),
      ),
      inSettings(
        '/notifications',
        lazyRouteComponent(() => import('./pages/notification/notifications'), 'Notifications'),
      ),
      inSettings(
        '/notifications/$channel',
        lazyRouteComponent(() => import('./pages/notification/notifications'), 'ChannelPage'),
      ),
      inSettings(
        '/programs',
        lazyRouteComponent(() => import('./pages/organization/settings'), 'Programs'),
      ),
      inSettings(
        '/audit',
        lazyRouteComponent(() => import('./pages/organization/settings'), 'Audit'),
      ),
    ]),
  ]),
  account.addChildren([
    accountFrame.addChildren([
      inAccount(
        '/',
        lazyRouteComponent(() => import('./pages/account/account'), 'Security'),
      ),
      inAccount(
        '/sessions',
        lazyRouteComponent(() => import('./pages/account/account'), 'Sessions'),
      ),
      inAccount(
        '/tokens',
        lazyRouteComponent(() => import('./pages/account/tokens'), 'Tokens'),
      ),
      inAccount(
        '/log',
        lazyRouteComponent(() => import('./pages/account/account'), 'Log'),
      ),
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  scrollRestoration: false,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
