import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { useWrite } from '../../api/query';
import { Button } from '../../kit/button';
import { Dialog } from '../../kit/dialog';
import { Input } from '../../kit/field';
import { Form } from '../../kit/form';
import { slugOf } from './slug';

/** CreateOrganization creates an organization, of which the person is the owner, and hands on its slug. */
export default function CreateOrganization({ onClose, done, over }: { onClose: () => void; done: (slug: string) => void; over?: boolean }) {
  const [name, setName] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const slug = typed ?? slugOf(name);
  const write = useWrite('post', '/orgs', {}, (answer) => done(answer.data.attributes.slug));
  return (
    <Dialog
      open
      over={over}
      onClose={onClose}
      title={t`Create an organization`}
      text={t`It has its own servers, sites, people, storage and audit log. Nothing in it is visible in your other organizations.`}
    >
      <Form
        write={write}
        submit={t`Create organization`}
        onSubmit={() => write.submit({ name: name.trim(), slug: slug.trim() })}
        extra={
          <Button onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        }
      >
        <Input label={t`Name`} name="name" required autoFocus autoComplete="off" maxLength={255} value={name} onChange={(e) => setName(e.target.value)} />
        <Input
          label={t`Slug`}
          name="slug"
          code
          required
          maxLength={63}
          value={slug}
          onChange={(e) => setTyped(e.target.value === slugOf(name) ? null : e.target.value)}
          hint={t`Part of its address in the dashboard, the API and the command line. Lower-case letters, digits and dashes; it can't be changed later.`}
        />
      </Form>
    </Dialog>
  );
}
