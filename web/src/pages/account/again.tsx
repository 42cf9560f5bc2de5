import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Dialog } from '../../kit/dialog';
import { useSignIn } from './sign';

/** SignInAgain is a sign-in dialog for an expired session. The page below keeps its state. */
export default function SignInAgain({ email, done }: { email: string; done: (signedIn: boolean) => void }) {
  const { form } = useSignIn(() => done(true), email);
  return (
    <Dialog
      open
      over
      onClose={() => done(false)}
      title={t`Sign in again`}
      text={<Trans>Your session has ended. What you entered is still here, and is sent once you are signed in as {email}.</Trans>}
    >
      {form}
    </Dialog>
  );
}
