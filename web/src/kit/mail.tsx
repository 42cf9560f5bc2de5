import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { useGet } from '../api/query';
import { Notice } from './page';
import { Pill } from './state';

/** useMails is whether emails are sent; false only where the installation is known to have no mail server. */
export function useMails(): boolean {
  const { org } = useParams({ strict: false });
  const doc = useGet('/orgs/{organization}', { organization: org ?? '' }, { enabled: !!org });
  return doc.data?.data.meta?.delivery !== 'log';
}

/** NoMail stands where something would be sent by email, on an installation without a mail server: then it says what to do instead. */
export function NoMail({ instead }: { instead: string }) {
  if (useMails()) return null;
  return (
    <Notice
      tone="warn"
      action={
        <a href="/docs/access#signing-in" className="font-medium text-accent underline-offset-2 hover:underline">
          <Trans>Set up email</Trans>
        </a>
      }
    >
      <Trans>No mail server is configured, so emails are not sent. {instead}</Trans>
    </Notice>
  );
}

/** Unconfirmed marks an address that gets nothing until its owner confirms it. */
export function Unconfirmed({ of }: { of: { meta?: { recipient?: { confirmed?: boolean } } } }) {
  if (of.meta?.recipient?.confirmed !== false) return null;
  return (
    <span title={t`The owner of this address has to open the link in the email first.`}>
      <Pill tone="warn">
        <Trans>Unconfirmed</Trans>
      </Pill>
    </span>
  );
}
