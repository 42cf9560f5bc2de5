import { t } from '@lingui/core/macro';
import { useWrite } from '../../api/query';
import { Form, Saved } from '../../kit/form';
import { Section } from '../../kit/page';
import { useAt } from './at';
import { useLimits } from './limit-fields';

const path = '/orgs/{organization}/servers/{server}/sites/{site}';

/** Limits is how much of its server all that runs for a site may use. */
export function Limits() {
  const { site, params } = useAt();
  const limits = useLimits('limits', site.meta?.limits);
  const write = useWrite('put', path, params);
  const body = () => ({ limits: limits.asked() });
  return (
    <Section
      title={t`Limits`}
      text={t`How much of the server the site may use, all of its programs together. A deployment has the same limits for itself, so that a build does not take from the live site. An empty field is no limit. The first time, background processes are restarted; PHP and the site's program are replaced without a lost request. Once a site has a limit, its overview shows what it uses.`}
    >
      <Form
        write={write}
        submit={t`Save limits`}
        does={[write.operation, `put ${path} limits`]}
        onSubmit={() => write.submit(body())}
        onPlan={() => write.tryOut(body())}
        call={() => write.call(body())}
        extra={<Saved shown={write.saved} />}
      >
        {limits.fields}
      </Form>
    </Section>
  );
}
