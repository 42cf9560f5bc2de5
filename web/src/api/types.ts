// The names of the API's resources, as the pages use them.
import type { components } from './schema';

type S = components['schemas'];
export type Server = S['ServerResource'];
export type Site = S['SiteResource'];
export type Rule = S['RuleResource'];
export type Event = S['EventResource'];
export type Operation = S['OperationMeta'];
export type User = S['UserResource'];
export type Organization = S['OrganizationResource'];
export type Membership = S['MembershipResource'];
export type Team = S['TeamResource'];
export type Invitation = S['TeamInvitationResource'];
export type PredefinedRole = S['PredefinedRoleResource'];
export type CustomRole = S['CustomRoleResource'];
export type Role = S['RoleResource'];
export type Token = S['TokenResource'];
export type Session = S['SessionResource'];
export type Client = S['OAuthClientResource'];
export type Grant = S['OAuthGrantResource'];
export type AuditEntry = S['AuditEntryResource'];
export type Node = S['Node'];
export type Plan = S['Plan'];
export type Permission = S['Permission'];
export type ShownOnce = S['ShownOnce'];
