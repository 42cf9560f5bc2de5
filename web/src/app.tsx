// Every address of the dashboard. Screens come when they are first opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, type RouteComponent } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { ButtonLink } from './kit/button';
import { Empty } from './kit/page';
import { Account, Organization } from './shell/shell';

const NotFound = () => (
  <main className="mx-auto max-w-xl p-10">
    <h1 className="sr-only">Not found</h1>
    <Empty
      icon={Compass}
      title="Page not found"
      text="The address may be mistyped, or the page was removed."
      action={<ButtonLink to="/">Go to Home</ButtonLink>}
    />
  </main>
);

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const sign = () => import('./pages/sign');
const start = createRoute({ getParentRoute: () => root, path: '/', component: lazyRouteComponent(() => import('./pages/start'), 'Start') });
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
const verify = createRoute({ getParentRoute: () => root, path: '/verify-email', component: lazyRouteComponent(sign, 'Verify') });
const invitation = createRoute({ getParentRoute: () => root, path: '/invitation', component: lazyRouteComponent(sign, 'Invitation') });

const org = createRoute({ getParentRoute: () => root, path: '/orgs/$org', component: Organization });
const inOrg = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => org, path, component });
const newSite = createRoute({
  getParentRoute: () => org,
  path: '/sites/new',
  validateSearch: (s: Record<string, unknown>): { server?: string } => (s.server ? { server: String(s.server) } : {}),
  component: lazyRouteComponent(() => import('./pages/site-new'), 'NewSite'),
});

const server = createRoute({
  getParentRoute: () => org,
  path: '/servers/$server',
  component: lazyRouteComponent(() => import('./pages/server'), 'ServerFrame'),
});
const inServer = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => server, path, component });
const phpVersion = createRoute({
  getParentRoute: () => server,
  path: '/php/$version',
  validateSearch: (s: Record<string, unknown>): { config?: string } => (s.config ? { config: String(s.config) } : {}),
  component: lazyRouteComponent(() => import('./pages/php-version'), 'PHPVersionPage'),
});
const site = createRoute({ getParentRoute: () => org, path: '/sites/$site', component: lazyRouteComponent(() => import('./pages/site'), 'SiteFrame') });
const inSite = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => site, path, component });

const deployments = createRoute({
  getParentRoute: () => site,
  path: '/deployments',
  component: lazyRouteComponent(() => import('./pages/deployments'), 'DeploymentsFrame'),
});
const inDeployments = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => deployments, path, component });
const processes = createRoute({
  getParentRoute: () => site,
  path: '/processes',
  component: lazyRouteComponent(() => import('./pages/processes'), 'ProcessesFrame'),
});
const inProcesses = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => processes, path, component });
const logs = createRoute({ getParentRoute: () => site, path: '/logs', component: lazyRouteComponent(() => import('./pages/logs'), 'LogsFrame') });
const inLogs = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => logs, path, component });
const nginx = createRoute({
  getParentRoute: () => site,
  path: '/nginx',
  validateSearch: (s: Record<string, unknown>): { domain?: string } => (s.domain ? { domain: String(s.domain) } : {}),
  component: lazyRouteComponent(() => import('./pages/nginx'), 'Nginx'),
});

const team = createRoute({ getParentRoute: () => org, path: '/team', component: lazyRouteComponent(() => import('./pages/team'), 'TeamFrame') });
const inTeam = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => team, path, component });
const settings = createRoute({
  getParentRoute: () => org,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings'), 'SettingsFrame'),
});
const inSettings = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => settings, path, component });

const account = createRoute({ getParentRoute: () => root, path: '/account', component: Account });
const accountFrame = createRoute({
  getParentRoute: () => account,
  id: 'frame',
  component: lazyRouteComponent(() => import('./pages/account'), 'AccountFrame'),
});
const inAccount = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => accountFrame, path, component });

const tree = root.addChildren([
  start,
  signIn,
  setUp,
  signUp,
  forgot,
  reset,
  verify,
  invitation,
  org.addChildren([
    inOrg(
      '/',
      lazyRouteComponent(() => import('./pages/home'), 'Home'),
    ),
    inOrg(
      '/activity',
      lazyRouteComponent(() => import('./pages/events'), 'Activity'),
    ),
    inOrg(
      '/servers',
      lazyRouteComponent(() => import('./pages/servers'), 'Servers'),
    ),
    inOrg(
      '/servers/archives',
      lazyRouteComponent(() => import('./pages/archives'), 'Archives'),
    ),
    inOrg(
      '/servers/new',
      lazyRouteComponent(() => import('./pages/server-new'), 'NewServer'),
    ),
    server.addChildren([
      inServer(
        '/',
        lazyRouteComponent(() => import('./pages/server-overview'), 'ServerOverview'),
      ),
      inServer(
        '/sites',
        lazyRouteComponent(() => import('./pages/sites'), 'ServerSites'),
      ),
      inServer(
        '/databases',
        lazyRouteComponent(() => import('./pages/databases'), 'Databases'),
      ),
      inServer(
        '/backups',
        lazyRouteComponent(() => import('./pages/backups'), 'Backups'),
      ),
      inServer(
        '/backups/new',
        lazyRouteComponent(() => import('./pages/backup-form'), 'BackupForm'),
      ),
      inServer(
        '/backups/$configuration',
        lazyRouteComponent(() => import('./pages/backup'), 'BackupPage'),
      ),
      inServer(
        '/backups/$configuration/change',
        lazyRouteComponent(() => import('./pages/backup-form'), 'BackupForm'),
      ),
      inServer(
        '/backups/$configuration/$backup/restore',
        lazyRouteComponent(() => import('./pages/restore'), 'Restore'),
      ),
      inServer(
        '/jobs',
        lazyRouteComponent(() => import('./pages/jobs'), 'ServerJobs'),
      ),
      inServer(
        '/services',
        lazyRouteComponent(() => import('./pages/services'), 'Services'),
      ),
      inServer(
        '/monitors',
        lazyRouteComponent(() => import('./pages/monitors'), 'Monitors'),
      ),
      inServer(
        '/firewall',
        lazyRouteComponent(() => import('./pages/firewall'), 'Firewall'),
      ),
      inServer(
        '/network',
        lazyRouteComponent(() => import('./pages/network'), 'Network'),
      ),
      inServer(
        '/ssh-keys',
        lazyRouteComponent(() => import('./pages/ssh-keys'), 'SSHKeys'),
      ),
      inServer(
        '/php',
        lazyRouteComponent(() => import('./pages/php'), 'PHP'),
      ),
      phpVersion,
      inServer(
        '/events',
        lazyRouteComponent(() => import('./pages/events'), 'ServerEvents'),
      ),
      inServer(
        '/events/$event',
        lazyRouteComponent(() => import('./pages/events'), 'EventPage'),
      ),
      inServer(
        '/logs',
        lazyRouteComponent(() => import('./pages/server-logs'), 'ServerLogs'),
      ),
      inServer(
        '/templates',
        lazyRouteComponent(() => import('./pages/nginx-templates'), 'NginxTemplates'),
      ),
      inServer(
        '/templates/new',
        lazyRouteComponent(() => import('./pages/nginx-templates'), 'NewNginxTemplate'),
      ),
      inServer(
        '/templates/$template',
        lazyRouteComponent(() => import('./pages/nginx-templates'), 'NginxTemplatePage'),
      ),
      inServer(
        '/settings',
        lazyRouteComponent(() => import('./pages/server'), 'ServerSettings'),
      ),
    ]),
    inOrg(
      '/sites',
      lazyRouteComponent(() => import('./pages/sites'), 'Sites'),
    ),
    newSite,
    site.addChildren([
      inSite(
        '/',
        lazyRouteComponent(() => import('./pages/site'), 'SiteOverview'),
      ),
      inSite(
        '/balancing',
        lazyRouteComponent(() => import('./pages/balancing'), 'SiteBalancing'),
      ),
      deployments.addChildren([
        inDeployments(
          '/',
          lazyRouteComponent(() => import('./pages/deployments'), 'Deployments'),
        ),
        inDeployments(
          '/script',
          lazyRouteComponent(() => import('./pages/deploy-script'), 'DeployScript'),
        ),
        inDeployments(
          '/source',
          lazyRouteComponent(() => import('./pages/deploy-source'), 'Source'),
        ),
        inDeployments(
          '/packages',
          lazyRouteComponent(() => import('./pages/packages'), 'Packages'),
        ),
        inDeployments(
          '/webhooks',
          lazyRouteComponent(() => import('./pages/webhooks'), 'Webhooks'),
        ),
        inDeployments(
          '/webhooks/$webhook',
          lazyRouteComponent(() => import('./pages/webhooks'), 'WebhookPage'),
        ),
        inDeployments(
          '/$deployment',
          lazyRouteComponent(() => import('./pages/deployments'), 'DeploymentPage'),
        ),
      ]),
      inSite(
        '/environment',
        lazyRouteComponent(() => import('./pages/environment'), 'Environment'),
      ),
      inSite(
        '/domains',
        lazyRouteComponent(() => import('./pages/domains'), 'Domains'),
      ),
      inSite(
        '/domains/$domain',
        lazyRouteComponent(() => import('./pages/domain'), 'DomainPage'),
      ),
      inSite(
        '/redirects',
        lazyRouteComponent(() => import('./pages/redirects'), 'Redirects'),
      ),
      inSite(
        '/security',
        lazyRouteComponent(() => import('./pages/security'), 'Security'),
      ),
      inSite(
        '/commands',
        lazyRouteComponent(() => import('./pages/commands'), 'Commands'),
      ),
      inSite(
        '/commands/$command',
        lazyRouteComponent(() => import('./pages/commands'), 'CommandPage'),
      ),
      processes.addChildren([
        inProcesses(
          '/',
          lazyRouteComponent(() => import('./pages/processes'), 'Processes'),
        ),
        inProcesses(
          '/jobs',
          lazyRouteComponent(() => import('./pages/jobs'), 'Jobs'),
        ),
        inProcesses(
          '/heartbeats',
          lazyRouteComponent(() => import('./pages/heartbeats'), 'Heartbeats'),
        ),
        inProcesses(
          '/integrations',
          lazyRouteComponent(() => import('./pages/integrations'), 'Integrations'),
        ),
        inProcesses(
          '/$process',
          lazyRouteComponent(() => import('./pages/processes'), 'ProcessPage'),
        ),
      ]),
      logs.addChildren([
        inLogs(
          '/',
          lazyRouteComponent(() => import('./pages/logs'), 'AccessLog'),
        ),
        inLogs(
          '/$log',
          lazyRouteComponent(() => import('./pages/logs'), 'OtherLog'),
        ),
      ]),
      nginx,
      inSite(
        '/settings',
        lazyRouteComponent(() => import('./pages/site-settings'), 'SiteSettings'),
      ),
    ]),
    inOrg(
      '/recipes',
      lazyRouteComponent(() => import('./pages/recipes'), 'Recipes'),
    ),
    inOrg(
      '/recipes/new',
      lazyRouteComponent(() => import('./pages/recipes'), 'NewRecipe'),
    ),
    inOrg(
      '/recipes/shipped/$shipped',
      lazyRouteComponent(() => import('./pages/recipes'), 'ShippedPage'),
    ),
    inOrg(
      '/recipes/shipped/$shipped/runs/$run',
      lazyRouteComponent(() => import('./pages/recipe-runs'), 'ShippedRunPage'),
    ),
    inOrg(
      '/recipes/$recipe',
      lazyRouteComponent(() => import('./pages/recipes'), 'RecipePage'),
    ),
    inOrg(
      '/recipes/$recipe/runs/$run',
      lazyRouteComponent(() => import('./pages/recipe-runs'), 'RecipeRunPage'),
    ),
    team.addChildren([
      inTeam(
        '/',
        lazyRouteComponent(() => import('./pages/team'), 'People'),
      ),
      inTeam(
        '/teams',
        lazyRouteComponent(() => import('./pages/team'), 'Teams'),
      ),
      inTeam(
        '/teams/$team',
        lazyRouteComponent(() => import('./pages/team'), 'TeamPage'),
      ),
      inTeam(
        '/roles',
        lazyRouteComponent(() => import('./pages/roles-page'), 'Roles'),
      ),
    ]),
    settings.addChildren([
      inSettings(
        '/',
        lazyRouteComponent(() => import('./pages/settings'), 'OrganizationSettings'),
      ),
      inSettings(
        '/storage',
        lazyRouteComponent(() => import('./pages/storage'), 'Storage'),
      ),
      inSettings(
        '/git',
        lazyRouteComponent(() => import('./pages/git-providers'), 'GitProviders'),
      ),
      inSettings(
        '/accounts',
        lazyRouteComponent(() => import('./pages/credentials'), 'Credentials'),
      ),
      inSettings(
        '/dns',
        lazyRouteComponent(() => import('./pages/dns-providers'), 'DNSProviders'),
      ),
      inSettings(
        '/notifications',
        lazyRouteComponent(() => import('./pages/notifications'), 'Notifications'),
      ),
      inSettings(
        '/notifications/$channel',
        lazyRouteComponent(() => import('./pages/notifications'), 'ChannelPage'),
      ),
      inSettings(
        '/programs',
        lazyRouteComponent(() => import('./pages/settings'), 'Programs'),
      ),
      inSettings(
        '/audit',
        lazyRouteComponent(() => import('./pages/settings'), 'Audit'),
      ),
    ]),
  ]),
  account.addChildren([
    accountFrame.addChildren([
      inAccount(
        '/',
        lazyRouteComponent(() => import('./pages/account'), 'Security'),
      ),
      inAccount(
        '/sessions',
        lazyRouteComponent(() => import('./pages/account'), 'Sessions'),
      ),
      inAccount(
        '/tokens',
        lazyRouteComponent(() => import('./pages/tokens'), 'Tokens'),
      ),
      inAccount(
        '/log',
        lazyRouteComponent(() => import('./pages/account'), 'Log'),
      ),
    ]),
  ]),
]);

export const router = createRouter({ routeTree: tree, defaultPreload: 'intent', scrollRestoration: false, defaultNotFoundComponent: NotFound });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
