import { t } from '@lingui/core/macro';

/** kinds are the server providers that servers can be ordered from. */
export const kinds = [
  ['hetzner', 'Hetzner'],
  ['ocean2', 'DigitalOcean'],
  ['vultr', 'Vultr'],
  ['akamai', 'Akamai'],
  ['aws', t`Amazon Web Services`],
] as const;
export type Kind = (typeof kinds)[number][0];
