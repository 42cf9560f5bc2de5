import { t } from '@lingui/core/macro';
import type { ComponentProps, ReactNode } from 'react';
import type { Writes } from './action';
import { Form, Saved } from './form';
import { Failed, Section, Waiting } from './page';

/** Setting is a section with its own Save, which says that it saved. children are its fields, once it is read. */
export function Setting<B>({
  title,
  text,
  error,
  write,
  body,
  own,
  children,
}: {
  title: string;
  text?: string;
  error?: unknown;
  write: Writes<B> & ComponentProps<typeof Form>['write'] & { saved: boolean };
  body: () => NoInfer<B>;
  /** own is for a setting of the person's own account, which no token may change: there is no command for it. */
  own?: boolean;
  children: ReactNode;
}) {
  return (
    <Section title={title} text={text}>
      {!children ? (
        error ? (
          <Failed error={error} />
        ) : (
          <Waiting rows={1} />
        )
      ) : (
        <Form
          write={write}
          submit={t`Save`}
          onSubmit={() => write.submit(body())}
          call={own ? undefined : () => write.call(body())}
          extra={<Saved shown={write.saved} />}
        >
          {children}
        </Form>
      )}
    </Section>
  );
}
