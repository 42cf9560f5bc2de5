// The check that each text of the sources that people read is in a macro of Lingui.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** read are the attributes and properties whose texts people read, whatever these look like. */
const read = new Set(
  'alt aria-label done empty footer hint instead label legend made missing none placeholder sub submit summary text title way what why'.split(' '),
);
/** code are the attributes and properties that have no texts, whatever they look like. */
const code = new Set('autoComplete className cli d defaultValue href key language path search sort to type value viewBox width'.split(' '));
/** codeTags are the elements whose contents and texts are code. */
const codeTags = new Set(['Code', 'code', 'kbd', 'pre', 'samp']);
/** calls are the functions whose arguments are names in code. */
const calls = /(^|\.)(addEventListener|get|has|includes|join|lazyRouteComponent|quote|replace|replaceAll|split|startsWith|test)$/;
/** names are the same in each language. */
const names = new Set(
  `Akamai, Android, Bitbucket, Bun, Chrome, Cloudflare, Composer, Ctrl K, Debian, DigitalOcean, Discord, Edge, Firefox, FrankenPHP, Gandi, GitHub, GitLab,
  Hetzner, Horizon, Hostler, Laravel, Let's Encrypt, Linux, MariaDB, Meilisearch, Microsoft Teams, MySQL, Next.js, Nginx, Nuxt, Octane, OpenClaw, PHP,
  PostgreSQL, Pulse, Redis, Reverb, RoadRunner, Safari, Scaleway, Slack, Statamic, Swoole, Symfony, Telegram, Ubuntu, Vultr, Windows, WordPress, www`.split(
    /,\s+/,
  ),
);
const letters = /\p{L}{2}/u;
/** capital is how a text begins that is not a name in code: with a capital letter, and no other inside of the word. */
const capital = /^[“(]?\p{Lu}\p{Ll}*([\s,.:;?!’'…]|$)/u;
/** example is a value that shows the form of one: numbers, addresses, paths, a command. */
const example = /^((\d[\d*/-]*|\*|\S*[./:@_$^<=-]\S*)[,\s]*)+$|^([a-z]+|[A-Z]{2})$|^(php|ssh-|hostler|--|-----|\d{3}|from,to) ?/;

/** unwrapped is each text outside of macros, with its place. */
export function unwrapped(root: string, files?: Record<string, string>): string[] {
  const all = files ?? Object.fromEntries(sources(root).map((f) => [f, readFileSync(join(root, f), 'utf8')]));
  return Object.entries(all).flatMap(([file, text]) => unwrappedOf(file, text));
}

const sources = (root: string) =>
  (readdirSync(root, { recursive: true }) as string[]).filter((f) => /\.tsx?$/.test(f) && !/\.test\.|api\/schema\.ts$|^components\.tsx$/.test(f)).sort();

function unwrappedOf(name: string, text: string): string[] {
  const found: string[] = [];
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TSX);
  const judge = (n: ts.Node, words: string, read: boolean) => {
    if (!letters.test(words) || names.has(words.trim()) || !read) return;
    found.push(`${name}:${file.getLineAndCharacterOfPosition(n.getStart(file)).line + 1}: ${words.trim().replace(/\s+/g, ' ')}`);
  };
  const visit = (n: ts.Node): void => {
    if (ts.isTypeNode(n) || ts.isImportDeclaration(n) || (ts.isJsxSelfClosingElement(n) && n.tagName.getText(file) === 'Plural')) return;
    if (ts.isCallExpression(n) && n.expression.getText(file) === 'plural') visit(n.arguments[0]!);
    else if (ts.isTaggedTemplateExpression(n) && /^(t|msg)$/.test(n.tag.getText(file))) ts.forEachChild(n.template, visit);
    else if (ts.isJsxElement(n) && n.openingElement.tagName.getText(file) === 'Trans') inside(n);
    else {
      if (ts.isJsxText(n)) judge(n, n.text, !codeTags.has(tagOf(n.parent, file)));
      if (ts.isStringLiteralLike(n)) judge(n, n.text, isText(n, n.text, file));
      if (ts.isTemplateExpression(n)) {
        const words = n.head.text + n.templateSpans.map((s) => '…' + s.literal.text).join('');
        judge(n, words, isText(n, words, file));
      }
      ts.forEachChild(n, visit);
    }
  };
  /** inside visits what is put into the text of a Trans, and not the text. */
  const inside = (n: ts.JsxElement): void => {
    for (const child of n.children) {
      if (ts.isJsxElement(child)) {
        visit(child.openingElement);
        inside(child);
      } else if (!ts.isJsxText(child)) visit(child);
    }
  };
  visit(file);
  return found;
}

const tagOf = (n: ts.Node, file: ts.SourceFile) => (ts.isJsxElement(n) ? n.openingElement.tagName.getText(file) : '');

/** isText reports whether people read a literal: by what it is for, or else by how it begins. */
function isText(n: ts.Node, words: string, file: ts.SourceFile): boolean {
  let [child, at] = [n, n.parent];
  while (
    ts.isParenthesizedExpression(at) ||
    ts.isAsExpression(at) ||
    ts.isJsxExpression(at) ||
    (ts.isConditionalExpression(at) && at.condition !== child) ||
    (ts.isBinaryExpression(at) && /^(\?\?|\|\||\+|&&)$/.test(at.operatorToken.getText(file)))
  )
    [child, at] = [at, at.parent];
  if (ts.isElementAccessExpression(at) || ts.isBinaryExpression(at) || ts.isCaseClause(at) || ts.isLiteralTypeNode(at)) return false;
  if (ts.isCallExpression(at) && calls.test(at.expression.getText(file))) return false;
  if (ts.isPropertyAssignment(at) && at.name === n) return false;
  if (ts.isJsxAttribute(at) || ts.isPropertyAssignment(at)) {
    const name = at.name.getText(file);
    if (code.has(name) || (name === 'text' && ts.isJsxAttribute(at) && codeTags.has(at.parent.parent.tagName.getText(file)))) return false;
    if (read.has(name)) return !example.test(words.trim()) || (ts.isJsxAttribute(at) && name !== 'placeholder' && /^[a-z]+$/.test(words));
  }
  if (ts.isJsxElement(at) || ts.isJsxFragment(at)) return !codeTags.has(tagOf(at, file)) && !example.test(words.trim());
  return capital.test(words.trim());
}
