package app

import (
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/attention"
	"github.com/hostlerhq/hostler/internal/noun/audit"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/dnsprovider"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/environment"
	"github.com/hostlerhq/hostler/internal/noun/event"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/loadbalancer"
	"github.com/hostlerhq/hostler/internal/noun/log"
	"github.com/hostlerhq/hostler/internal/noun/metric"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/nginx"
	"github.com/hostlerhq/hostler/internal/noun/notification"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/packages"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/provider"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/role"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/service"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/sourcecontrol"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/internal/noun/team"
)

// fields describe the fields whose declarations do not: those of each noun, and under "" those that all of them have.
func fields() map[string]map[string]string {
	return map[string]map[string]string{
		"":              common(),
		"account":       account.Fields(),
		"attention":     attention.Fields(),
		"audit":         audit.Fields(),
		"backup":        backup.Fields(),
		"certificate":   certificate.Fields(),
		"command":       command.Fields(),
		"credential":    credential.Fields(),
		"database":      database.Fields(),
		"deployment":    deployment.Fields(),
		"dnsprovider":   dnsprovider.Fields(),
		"domain":        domain.Fields(),
		"environment":   environment.Fields(),
		"event":         event.Fields(),
		"firewall":      firewall.Fields(),
		"heartbeat":     heartbeat.Fields(),
		"integration":   integration.Fields(),
		"loadbalancer":  loadbalancer.Fields(),
		"log":           log.Fields(),
		"metric":        metric.Fields(),
		"monitor":       monitor.Fields(),
		"nginx":         nginx.Fields(),
		"notification":  notification.Fields(),
		"oauth":         oauth.Fields(),
		"organization":  organization.Fields(),
		"packages":      packages.Fields(),
		"php":           php.Fields(),
		"process":       process.Fields(),
		"project":       project.Fields(),
		"provider":      provider.Fields(),
		"recipe":        recipe.Fields(),
		"redirect":      redirect.Fields(),
		"role":          role.Fields(),
		"schedule":      schedule.Fields(),
		"security":      security.Fields(),
		"server":        server.Fields(),
		"service":       service.Fields(),
		"site":          site.Fields(),
		"sourcecontrol": sourcecontrol.Fields(),
		"sshkey":        sshkey.Fields(),
		"storage":       storage.Fields(),
		"team":          team.Fields(),
	}
}

// parameters describe what is in paths.
func parameters() map[string]string {
	return map[string]string{
		"{organization}":          "The slug of the organization.",
		"{server}":                "The id of the server.",
		"{site}":                  "The id of the site.",
		"{team}":                  "The id of the team.",
		"{forgeRecipe}":           "The id of the recipe that comes with Hostler.",
		"{log}":                   "The id of the run.",
		"{dnsProvider}":           "The id of the DNS provider.",
		"{invitation}":            "The id of the invitation.",
		"{user}":                  "The id of the person.",
		"{notificationChannel}":   "The id of the notification channel.",
		"{delivery}":              "The id of the delivery.",
		"{client}":                "The id of the OAuth client.",
		"{recipe}":                "The id of the recipe.",
		"{role}":                  "The id of the role.",
		"{credential}":            "The id of the server credential.",
		"{region}":                "The code of the region.",
		"{vpcId}":                 "The id of the network at the cloud provider.",
		"{backgroundProcess}":     "The id of the background process.",
		"{backupConfiguration}":   "The id of the backup configuration.",
		"{backup}":                "The id of the backup.",
		"{database}":              "The id of the database.",
		"{databaseUser}":          "The id of the database user.",
		"{event}":                 "The id of the event.",
		"{rule}":                  "The id of the firewall rule.",
		"{key}":                   "The id of the SSH key.",
		"logs/{key}":              "The name of the log, such as nginx-error.",
		"{monitor}":               "The id of the monitor.",
		"{nginxTemplate}":         "The id of the nginx template.",
		"{phpVersion}":            "The id of the installed version of PHP.",
		"{job}":                   "The id of the scheduled job.",
		"{command}":               "The id of the command.",
		"{repository}":            "The host of the credential, as in its id.",
		"{registry}":              "The registry of the credential, as in its id.",
		"{deployment}":            "The id of the deployment.",
		"{domainRecord}":          "The id of the domain.",
		"{certificate}":           "The id of the certificate.",
		"{version}":               "The id of the version of the environment.",
		"{heartbeat}":             "The id of the heartbeat.",
		"{redirectRule}":          "The id of the redirect rule.",
		"{securityRule}":          "The id of the security rule.",
		"{deploymentWebhook}":     "The id of the webhook.",
		"{sourceControlProvider}": "The id of the source control provider.",
		"{storageConfiguration}":  "The id of the storage provider.",
		"{permission}":            "The id of the permission.",
		"{provider}":              "The id of the cloud provider.",
		"{providerRegion}":        "The id of the region.",
		"{providerSize}":          "The code of the size.",
		"{grant}":                 "The id of the granted access.",
		"{session}":               "The id of the session.",
		"{token}":                 "The id of the token.",
	}
}

// common are the fields that mean the same in all nouns, and those of the frame that documents have.
func common() map[string]string {
	return map[string]string{
		"Commit.author":                      "The author of the commit.",
		"Commit.branch":                      "The branch that was deployed.",
		"Commit.hash":                        "The hash of the commit.",
		"Commit.message":                     "The message of the commit.",
		"DeliveryAttributes.attempts":        "How often delivery was attempted.",
		"DeliveryAttributes.ended_at":        "When the delivery succeeded or was given up; null until then.",
		"DeliveryAttributes.next_attempt_at": "When delivery is attempted again; null if it is not.",
		"DeliveryAttributes.state":           "Whether it was delivered.",
		"DriftDifference.path":               "The file that differs; empty if the difference is no file.",
		"DriftDifference.step":               "The step of the setup whose result differs.",
		"DryRun.servers":                     "The changes of each server.",
		"FileDiff.diff":                      "The difference, in the unified format.",
		"FileDiff.path":                      "The path of the file on the server.",
		"Link.describedby":                   "The address of a description of what is linked.",
		"Link.href":                          "The address.",
		"Link.hreflang":                      "The languages of what is linked.",
		"Link.meta":                          "More about the link.",
		"Link.rel":                           "How the address relates to the resource.",
		"Link.title":                         "A name of the link for people.",
		"Link.type":                          "The media type of what is linked.",
		"Meta.backup":                        "About the backup's objects and proofs.",
		"Meta.backups":                       "About the newest backup of the configuration and its proof.",
		"Meta.balancer":                      "How a site on a load balancer chooses its nodes.",
		"Meta.bootstrap":                     "The command that connects a server of your own.",
		"Meta.deployment":                    "Why the deployment failed.",
		"Meta.runtime":                       "What runs the site's programs, and why.",
		"Meta.limits":                        "How much of its server all that runs for the site may use.",
		"Meta.certificate":                   "About the certificate's names and renewal.",
		"Meta.database_user":                 "The databases that the user can open.",
		"Meta.delivery":                      "How the installation delivers its emails: by mail, or, without a mail server, into its log.",
		"Meta.heartbeat":                     "When the heartbeat was called, and when the next call is due.",
		"Meta.included":                      "The counts that include=…Count and …Exists requested, by name.",
		"Meta.job":                           "What the scheduled job belongs to.",
		"Meta.log":                           "Where in the log the returned lines are.",
		"Meta.monitor":                       "The newest value of the monitor.",
		"Meta.nginx":                         "About the nginx configuration.",
		"Meta.operation":                     "The newest work on the resource.",
		"Meta.os":                            "The system found on the server.",
		"Meta.permissions":                   "What the caller may do in the organization. On what is shared with a team, the role in the team decides.",
		"Meta.process":                       "The process's name, owner and limits.",
		"Meta.provisioning":                  "How far the setup of the server is.",
		"Meta.record":                        "What DNS shows at the name of the record.",
		"Meta.secret_shown":                  "Set if an answer is repeated whose secret was shown the first time.",
		"Meta.server_name":                   "The name of the event's server.",
		"Meta.shown_once":                    "Secrets that were just generated and are in no other answer.",
		"Meta.snapshot":                      "About the data of the provider that the answer was made from.",
		"Meta.ssh_key":                       "The options of the key.",
		"Meta.storage":                       "About the storage provider's server.",
		"Meta.tags":                          "The names of the tags, in alphabetical order.",
		"Meta.updates":                       "The pending updates of the server's packages.",
		"NumberedLinks.first":                "The first page.",
		"NumberedLinks.last":                 "The last page.",
		"NumberedLinks.next":                 "The next page; absent on the last one.",
		"NumberedLinks.prev":                 "The previous page; absent on the first one.",
		"NumberedMeta.current_page":          "The number of this page, from 1.",
		"NumberedMeta.from":                  "The position of the page's first entry, from 1; null if the page is empty.",
		"NumberedMeta.path":                  "The address of the list.",
		"NumberedMeta.per_page":              "The page size.",
		"NumberedMeta.to":                    "The position of the page's last entry, from 1; null if the page is empty.",
		"OperationMeta.action":               "What the work does, such as create, update or delete.",
		"OperationMeta.attempt":              "How often the work was begun.",
		"OperationMeta.deadline":             "When the work fails if it has not ended.",
		"OperationMeta.ended_at":             "When the work ended; absent until then.",
		"OperationMeta.event_id":             "The id of the event that shows the work and its output.",
		"OperationMeta.id":                   "The id of the work.",
		"OperationMeta.reason":               "Why the work failed, was cancelled or has not begun; null if there is nothing to say.",
		"OperationMeta.reversible":           "Whether the server is rolled back if the work ends early.",
		"OperationMeta.state":                "Where the work is: waiting, in progress, or ended in one of three ways.",
		"OperationMeta.step":                 "The step that the work is at, or ended at; null before the first one.",
		"PaginationLinks.first":              "The first page.",
		"PaginationLinks.last":               "Always null: pages are reached from one another.",
		"PaginationLinks.next":               "The next page; null on the last one.",
		"PaginationLinks.prev":               "The previous page; null on the first one.",
		"PaginationMeta.next_cursor":         "The page[cursor] of the next page; null on the last one.",
		"PaginationMeta.path":                "The address of the list.",
		"PaginationMeta.per_page":            "The page size.",
		"PaginationMeta.prev_cursor":         "The page[cursor] of the previous page; null on the first one.",
		"PlanDocument.dry_run":               "Always true: nothing was changed.",
		"PlanDocument.meta":                  "The plan, and the mark of a dry run.",
		"PlanDocument.plan":                  "What the request would change.",
		"PlanDocumentMetaStruct.dry_run":     "Always true: nothing was changed.",
		"PlanDocumentMetaStruct.plan":        "What the request would change.",
		"SelfLinks.self":                     "The address of the resource.",
		"ServerDryRun.actions":               "What would be run, in order.",
		"ServerDryRun.files":                 "The files that would change, with their differences.",
		"ServerDryRun.packages":              "The packages that would be installed.",
		"ServerDryRun.server_id":             "The id of the server.",
		"ShownInvitation.email":              "The address of the invited person.",
		"ShownInvitation.url":                "The link that accepts the invitation.",
		"ShownOnce.invitations":              "The links of invitations, where no email reaches the invited people.",
		"ShownOnce.password":                 "The new password.",
		"ShownOnce.recovery_codes":           "The codes that replace the second factor, each once.",
		"ShownOnce.secret":                   "The new secret.",
		"ShownOnce.token":                    "The new token.",
		"ShownOnce.url":                      "The new address, which contains a secret.",
		"ShownOnce.username":                 "The account that the password is for, if its name was generated.",
		"created_at":                         "When it was created.",
		"updated_at":                         "When it was last changed.",
	}
}
