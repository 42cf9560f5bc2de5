// How the macros of Lingui become calls, and a catalogue a module, for the build, the development server and the tests. Texts are parsed here, so that
// the browser gets no parser. An English text is its own key: for English, nothing else is in the build.
import lingui from '@lingui/babel-plugin-lingui-macro';
import { formatter } from '@lingui/format-po';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { generateMessageId } from '@lingui/message-utils/generateMessageId';
import babel from '@rolldown/plugin-babel';
import type { Plugin } from 'vite';

type Parsed = string | unknown[];

/** parse is a text in parts, or as it is, where it has nothing to put in. */
export function parse(text: string): Parsed {
  const parts = JSON.parse(JSON.stringify(compileMessage(text))) as unknown[];
  return parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts;
}

/** idOf is what names a text beside its English one: nothing, unless it has a context. */
const idOf = (id: string, text: string) => (id === generateMessageId(text) ? undefined : id);

/** catalogue is a file of translations as the browser needs it: by the English text, as language.ts looks for it. */
export async function catalogue(po: string, locale: string): Promise<Record<string, Parsed>> {
  const entries = Object.entries(await formatter().parse(po, { locale, sourceLocale: 'en', filename: `${locale}.po` }));
  return Object.fromEntries(
    entries
      .filter(([, e]) => e.translation)
      .map(([id, { message = '', translation = '' }]) => {
        const of = parse(message);
        return [idOf(id, message) ?? (typeof of === 'string' ? of : JSON.stringify(of)), parse(translation)];
      }),
  );
}

export const catalogues: Plugin = {
  name: 'catalogues',
  async transform(code, path) {
    if (!path.endsWith('.po')) return;
    const messages = await catalogue(code, path.replace(/^.*\/|\.po$/g, ''));
    return { code: `export const messages = ${JSON.stringify(messages)};`, moduleType: 'js', map: null };
  },
};

// What is needed of Babel, which has no types of its own.
interface Node {
  name?: string | Node;
  key?: Node;
  value?: unknown;
  callee?: Node;
  object?: Node;
  argument?: Node;
  arguments?: Node[];
  attributes?: Node[];
  properties?: Node[];
}
interface Path {
  node: Node;
  traverse(visitor: Record<string, (path: Path) => void>): void;
}
interface Babel {
  types: { valueToNode(value: unknown): Node };
}

const nameOf = (n?: Node) => String(n?.name ?? n?.value);

/** short makes less of what the macros become: i18n._(text, values, id) and <Trans {...{ message: text, … }} />, with the id only where it is needed. */
const short = ({ types }: Babel) => ({
  visitor: {
    Program: {
      exit(program: Path) {
        const partsOf = (of: Node[]) => {
          const part = (name: string) => of.find((p) => nameOf(p.key) === name)?.value as Node | undefined;
          const message = nameOf(part('message'));
          return { text: types.valueToNode(parse(message)), id: idOf(nameOf(part('id')), message), values: part('values') };
        };
        program.traverse({
          CallExpression({ node }) {
            const of = node.arguments?.[0]?.properties;
            if (nameOf(node.callee?.object) !== '_i18n' || !of) return;
            const { text, id, values } = partsOf(of);
            node.arguments = [text];
            if (values || id) node.arguments.push(values ?? types.valueToNode(undefined));
            if (id) node.arguments.push(types.valueToNode(id));
          },
          JSXOpeningElement({ node }) {
            const of = node.attributes?.[0]?.argument;
            if (nameOf(node.name as Node) !== '_Trans' || !of) return;
            const { text, id } = partsOf(of.properties!);
            of.properties = of.properties!.filter((p) => id || nameOf(p.key) !== 'id');
            of.properties.find((p) => nameOf(p.key) === 'message')!.value = text;
          },
        });
      },
    },
  },
});

export const macros = babel({
  include: /\/src\/.*\.tsx?$/,
  exclude: /schema\.ts$/,
  plugins: [[lingui, { stripMessageField: false }], short as never],
});
