// The page of the documentation for each address of the dashboard. The first entry that fits an address is its guide.
import { t } from '@lingui/core/macro';

const entries: [RegExp, string, string][] = [
  [/^\/servers\/archives/, t`Archives`, 'servers#archives'],
  [/^\/servers\/new/, t`Adding a server`, 'servers#adding-a-server'],
  [/^\/servers\/\d+\/sites/, t`Sites`, 'sites'],
  [/^\/servers\/\d+\/databases/, t`Databases`, 'databases'],
  [/^\/servers\/\d+\/backups\/.*\/restore/, t`Restoring`, 'backups#restoring'],
  [/^\/servers\/\d+\/backups/, t`Backups`, 'backups'],
  [/^\/servers\/\d+\/php/, 'PHP', 'servers#php'],
  [/^\/servers\/\d+\/jobs/, t`Scheduled jobs`, 'processes#scheduled-jobs'],
  [/^\/servers\/\d+\/services/, t`Services`, 'servers#services'],
  [/^\/servers\/\d+\/monitors/, t`Monitors`, 'servers#monitors'],
  [/^\/servers\/\d+\/firewall/, t`Firewall`, 'servers#an-existing-firewall'],
  [/^\/servers\/\d+\/network/, t`Private networks`, 'servers#private-networks'],
  [/^\/servers\/\d+\/ssh-keys/, t`SSH keys`, 'servers#ssh-keys'],
  [/^\/servers\/\d+\/logs/, t`Logs`, 'processes#logs'],
  [/^\/servers\/\d+\/templates/, 'Nginx', 'sites#nginx'],
  [/^\/servers\/\d+\/settings/, t`Servers`, 'servers'],
  [/^\/servers/, t`Servers`, 'servers'],
  [/^\/sites\/\d+\/deployments\/webhooks/, t`Webhooks`, 'deployments#webhooks'],
  [/^\/sites\/\d+\/deployments\/script/, t`Deploy script`, 'deployments#the-deploy-script'],
  [/^\/sites\/\d+\/deployments\/source/, t`Repositories`, 'deployments#a-site-with-a-repository'],
  [/^\/sites\/\d+\/deployments\/packages/, t`Composer and npm`, 'processes#composer-and-npm-credentials'],
  [/^\/sites\/\d+\/deployments/, t`Deployments`, 'deployments'],
  [/^\/sites\/\d+\/(environment|commands)/, t`Environment and commands`, 'deployments#environment-and-commands'],
  [/^\/sites\/\d+\/domains\/\d+/, t`Certificates`, 'sites#certificates'],
  [/^\/sites\/\d+\/domains/, t`Domains`, 'sites#domains'],
  [/^\/sites\/\d+\/redirects/, t`Redirects`, 'sites#redirects'],
  [/^\/sites\/\d+\/security/, t`Security rules`, 'sites#security-rules'],
  [/^\/sites\/\d+\/sftp/, t`SFTP users`, 'sftp'],
  [/^\/sites\/\d+\/processes\/jobs/, t`Scheduled jobs`, 'processes#scheduled-jobs'],
  [/^\/sites\/\d+\/processes\/heartbeats/, t`Heartbeats`, 'processes#heartbeats'],
  [/^\/sites\/\d+\/processes\/integrations/, t`Integrations`, 'processes#integrations'],
  [/^\/sites\/\d+\/processes/, t`Processes`, 'processes#background-processes'],
  [/^\/sites\/\d+\/logs/, t`Logs`, 'processes#logs'],
  [/^\/sites\/\d+\/nginx/, 'Nginx', 'sites#nginx'],
  [/^\/sites\/\d+\/settings/, t`Settings of a site`, 'sites#settings-of-a-site'],
  [/^\/sites\/\d+\/activity/, t`Activity`, 'dashboard#for-users'],
  [/^\/sites\/\d+$/, t`Requests and errors`, 'sites#requests-and-errors'],
  [/^\/sites/, t`Sites`, 'sites'],
  [/^\/recipes/, t`Recipes`, 'servers#recipes'],
  [/^\/team\/(teams|roles)/, t`Roles and teams`, 'access#roles-and-teams'],
  [/^\/team/, t`People`, 'access#people'],
  [/^\/settings\/storage/, t`Storage`, 'backups#storage'],
  [/^\/settings\/git/, t`Git providers`, 'deployments#git-providers'],
  [/^\/settings\/dns/, t`DNS providers`, 'sites#dns-01'],
  [/^\/settings\/accounts/, t`Server providers`, 'servers#server-providers'],
  [/^\/settings\/notifications/, t`Notifications`, 'deployments#notifications'],
  [/^\/settings\/programs/, t`OAuth`, 'access#oauth-20'],
  [/^\/settings\/audit/, t`Audit log`, 'access#the-audit-log'],
  [/^\/settings/, t`Limits`, 'access#limits'],
  [/^\/orgs$/, t`Several organizations`, 'agencies'],
  [/^\/account\/tokens/, 'API', 'api#first-steps'],
  [/^\/account/, t`Signing in`, 'access#signing-in'],
];

/** guide is what the documentation calls the subject of an address, and where it is. */
export function guide(path: string): { text: string; to: string } {
  const inside = path.replace(/^\/orgs\/[^/]+/, '').replace(/\/$/, '');
  const [, text, to] = entries.find(([fits]) => fits.test(inside)) ?? [null, t`Dashboard`, 'dashboard#for-users'];
  return { text, to: '/docs/' + to };
}
