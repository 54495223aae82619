import { readdirSync, readFileSync } from 'node:fs';
import { format } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as core from '../../core/index.ts';
import * as verify from '../../core/verify.ts';
import * as models from '../../web/models.ts';
import * as react from '../../web/react.ts';
import * as webmcp from '../../web/webmcp.ts';
import * as ai from '../../workers/ai.ts';
import { readConfiguration } from '../../workers/bridges/mcp/gateway/config.ts';
import * as mcp from '../../workers/mcp.ts';
import * as node from '../../workers/node.ts';
import * as openapi from '../../workers/openapi.ts';
import * as otlp from '../../workers/otlp.ts';
import * as store from '../../workers/store.ts';
import * as testing from '../../workers/testing.ts';
import { openRuntime } from '../runtime/shared.ts';

const FOLDER = 'web/docs';
/** Runtimes share their threads, which each script would boot; a store of the script's own brings no locks. */
function sharing(given: node.NodeOptions = {}): ReturnType<typeof openRuntime> {
  return typeof given.store === 'object' && 'append' in given.store ? node.openRuntime(given) : openRuntime(given);
}

const ENTRIES: { readonly [name: string]: object } = {
  'sallyport/ai': ai,
  'sallyport/core': core,
  'sallyport/mcp': mcp,
  'sallyport/models': models,
  'sallyport/node': { ...node, openRuntime: sharing },
  'sallyport/openapi': openapi,
  'sallyport/otlp': otlp,
  'sallyport/store': store,
  'sallyport/verify': verify,
  'sallyport/testing': testing,
};
const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
  ...parts: string[]
) => (...args: unknown[]) => Promise<void>;

interface Block {
  readonly page: string;
  readonly language: string;
  readonly code: string;
  readonly number: number;
}

const texts = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ page: file.slice(0, -3), text: readFileSync(`${FOLDER}/${file}`, 'utf8') }));
const blocks: readonly Block[] = texts.flatMap(({ page, text }) =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = ''], number) => ({
    page,
    language,
    code,
    number,
  })),
);
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);

/** Runs a script with its imports read from the modules: the source here, the package in the tests of the package. */
async function run(code: string): Promise<string[]> {
  const said: string[] = [];
  const names = [...code.matchAll(/^import \{([^}]+)\} from '([^']+)';$/gm)];
  const given = await Promise.all(
    names.map(async ([, list = '', from = '']) => {
      const entry = ENTRIES[from] ?? ((await import(/* @vite-ignore */ from)) as object);
      return list.split(',').map((name) => [name.trim(), entry[name.trim() as keyof typeof entry]] as const);
    }),
  );
  const scope = new Map<string, unknown>(given.flat());
  const body = code.replace(/^import .*$/gm, '');
  const console = { log: (...words: unknown[]) => said.push(format(...words).trim()) };
  await new AsyncFunction(...scope.keys(), 'console', body)(...scope.values(), console);
  return said;
}

test('a block of code is in a language that a test runs, or is plain text', () => {
  // Pages with their style sheets and commands are run against the build, by e2e/docs-examples.spec.ts and
  // e2e/command.spec.ts; programs with React by e2e/world/react.spec.ts; modules that import packages of other projects, or
  // need a newer Node, by e2e/world.
  const known = ['js', 'jsx', 'mjs', 'html', 'css', 'json', 'sh', 'text'];
  expect(blocks.filter(({ language }) => !known.includes(language))).toEqual([]);
  expect(inLanguage('js').length).toBeGreaterThan(10);
});

test.each(inLanguage('json'))(
  'configuration $number on the page $page is JSON, and the gateway reads its form',
  ({ code }) => {
    const given = JSON.parse(code) as object;
    // a host with another form has no `mcpServers`
    if (!('mcpServers' in given)) return;
    expect(readConfiguration(new TextEncoder().encode(code), { ISSUES_TOKEN: 'a key' })).toMatchObject({ ok: true });
  },
);

/** A page may split one script into parts: a part without imports continues the part before. */
function scripts(): readonly Block[] {
  const joined: Block[] = [];
  for (const block of inLanguage('js')) {
    const last = joined.at(-1);
    if (last?.page !== block.page || block.code.includes('import ')) joined.push(block);
    else joined[joined.length - 1] = { ...last, code: `${last.code}\n${block.code}` };
  }
  return joined;
}

describe('every script of the documentation runs, and prints the lines that it promises', () => {
  test.each(scripts().map((block) => [`${block.page}, block ${block.number}`, block.code] as const))(
    'the script of %s runs, and prints the lines that it promises',
    async (_, code) => {
      const promised = [...code.matchAll(/\/\/ → (.*)$/gm)].map(([, words = '']) => words.trim());
      expect(await run(code)).toEqual(promised);
    },
  );
});

test('the page on the interface names every function and value of the page, of Node and of the tests', () => {
  const { text } = texts.find(({ page }) => page === 'api') ?? { text: '' };
  const named = new Set([...text.matchAll(/`(\w+)/g)].map(([, name]) => name));
  const ofPage = [...readFileSync('web/index.ts', 'utf8').matchAll(/^export \{([^}]+)\}/gm)]
    .flatMap(([, list = '']) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
  expect(ofPage.length).toBeGreaterThan(8);
  const all = [ai, mcp, models, node, openapi, otlp, react, testing, webmcp]
    .flatMap((each) => Object.keys(each))
    .concat(ofPage);
  expect(all.filter((name) => !named.has(name))).toEqual([]);
});

test('the pages on the interface and on verifying name every command', () => {
  const list = / \} = \{\n([\s\S]+?)\n\};/.exec(readFileSync('workers/cli.ts', 'utf8'))?.[1] ?? '';
  const commands = [...list.matchAll(/^ {2}(\w+): async/gm)].map(([, name = '']) => name);
  expect(commands).toContain('verify');
  const sentences = ['api', 'verify'].map((name) => {
    const { text } = texts.find(({ page }) => page === name) ?? { text: '' };
    return {
      name,
      line: text.split('\n').find((line) => commands.filter((word) => line.includes(`\`${word}`)).length > 5),
    };
  });
  for (const { name, line } of sentences)
    expect(
      commands.filter((word) => !line?.includes(`\`${word}`)),
      name,
    ).toEqual([]);
});

test('links among the pages lead to pages', () => {
  const reference = readFileSync('.scripts/vite/reference.ts', 'utf8');
  const generated = [...reference.matchAll(/^ {4}page\(\s*'([\w-]+)'/gm)].map(([, name = '']) => name);
  expect(generated).toContain('codes');
  const pages = new Set([...texts.map(({ page }) => page), ...generated]);
  const broken = texts.flatMap(({ page, text }) =>
    [...text.matchAll(/\]\(([\w-]+)\.md(?:#[\w-]+)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !pages.has(target))
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});
