// Every address of the dashboard. Screens come when they are first opened.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, type RouteComponent } from '@tanstack/react-router';
import { Empty } from './kit/page';
import { Compass } from 'lucide-react';
import { ButtonLink } from './kit/button';
import { Account, Organization } from './shell/shell';

const NotFound = () => <main className="mx-auto max-w-xl p-10"><Empty icon={Compass} title="There is nothing here" text="The address may be mistyped, or what stood here is gone." action={<ButtonLink to="/">To the start</ButtonLink>} /></main>;

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const sign = () => import('./pages/sign');
const start = createRoute({ getParentRoute: () => root, path: '/', component: lazyRouteComponent(() => import('./pages/start'), 'Start') });
const signIn = createRoute({ getParentRoute: () => root, path: '/sign-in', validateSearch: (s: Record<string, unknown>): { next?: string } => (typeof s.next === 'string' ? { next: s.next } : {}), component: lazyRouteComponent(sign, 'SignIn') });
const signUp = createRoute({ getParentRoute: () => root, path: '/sign-up', component: lazyRouteComponent(sign, 'SignUp') });
const forgot = createRoute({ getParentRoute: () => root, path: '/forgot-password', component: lazyRouteComponent(sign, 'Forgot') });
const reset = createRoute({ getParentRoute: () => root, path: '/reset-password', component: lazyRouteComponent(sign, 'Reset') });
const verify = createRoute({ getParentRoute: () => root, path: '/verify-email', component: lazyRouteComponent(sign, 'Verify') });
const invitation = createRoute({ getParentRoute: () => root, path: '/invitation', component: lazyRouteComponent(sign, 'Invitation') });

const org = createRoute({ getParentRoute: () => root, path: '/orgs/$org', component: Organization });
const inOrg = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => org, path, component });
const newSite = createRoute({ getParentRoute: () => org, path: '/sites/new', validateSearch: (s: Record<string, unknown>): { server?: string } => (s.server ? { server: String(s.server) } : {}), component: lazyRouteComponent(() => import('./pages/sites'), 'NewSite') });

const server = createRoute({ getParentRoute: () => org, path: '/servers/$server', component: lazyRouteComponent(() => import('./pages/server'), 'ServerFrame') });
const inServer = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => server, path, component });
const site = createRoute({ getParentRoute: () => org, path: '/sites/$site', component: lazyRouteComponent(() => import('./pages/site'), 'SiteFrame') });
const inSite = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => site, path, component });

const account = createRoute({ getParentRoute: () => root, path: '/account', component: Account });
const inAccount = <P extends string>(path: P, component: RouteComponent) => createRoute({ getParentRoute: () => account, path, component });

const tree = root.addChildren([
  start, signIn, signUp, forgot, reset, verify, invitation,
  org.addChildren([
    inOrg('/', lazyRouteComponent(() => import('./pages/home'), 'Home')),
    inOrg('/activity', lazyRouteComponent(() => import('./pages/events'), 'Activity')),
    inOrg('/servers', lazyRouteComponent(() => import('./pages/servers'), 'Servers')),
    inOrg('/servers/new', lazyRouteComponent(() => import('./pages/server-new'), 'NewServer')),
    server.addChildren([
      inServer('/', lazyRouteComponent(() => import('./pages/server'), 'ServerOverview')),
      inServer('/sites', lazyRouteComponent(() => import('./pages/sites'), 'ServerSites')),
      inServer('/firewall', lazyRouteComponent(() => import('./pages/firewall'), 'Firewall')),
      inServer('/events', lazyRouteComponent(() => import('./pages/events'), 'ServerEvents')),
      inServer('/events/$event', lazyRouteComponent(() => import('./pages/events'), 'EventPage')),
      inServer('/settings', lazyRouteComponent(() => import('./pages/server'), 'ServerSettings')),
    ]),
    inOrg('/sites', lazyRouteComponent(() => import('./pages/sites'), 'Sites')),
    newSite,
    site.addChildren([
      inSite('/', lazyRouteComponent(() => import('./pages/site'), 'SiteOverview')),
      inSite('/balancing', lazyRouteComponent(() => import('./pages/site'), 'SiteBalancing')),
      inSite('/settings', lazyRouteComponent(() => import('./pages/site'), 'SiteSettings')),
    ]),
    inOrg('/team', lazyRouteComponent(() => import('./pages/team'), 'Team')),
    inOrg('/settings', lazyRouteComponent(() => import('./pages/settings'), 'Settings')),
  ]),
  account.addChildren([
    inAccount('/', lazyRouteComponent(() => import('./pages/account'), 'Profile')),
    inAccount('/tokens', lazyRouteComponent(() => import('./pages/tokens'), 'Tokens')),
  ]),
]);

export const router = createRouter({ routeTree: tree, defaultPreload: 'intent', scrollRestoration: false, defaultNotFoundComponent: NotFound });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
