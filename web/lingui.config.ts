import { defineConfig } from '@lingui/conf';
import { formatter } from '@lingui/format-po';

// The catalogues of the dashboard's texts, one file a language. The sources are in English, so its file is only the list of what there is to translate.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en'],
  catalogs: [{ path: '<rootDir>/src/locales/{locale}', include: ['src'], exclude: ['**/*.test.*', 'src/api/schema.ts'] }],
  format: formatter({ lineNumbers: false }),
  runtimeConfigModule: { i18n: ['#language', 'i18n'], Trans: ['#language', 'Trans'] },
});
