import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { type BrowserType, chromium, firefox, type LaunchOptions } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundled } from '../bundled.ts';
import type { measure } from './programs.ts';

const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
const scripts = new URL('../../.scripts/browsers.mjs', import.meta.url).href;
const { findHeadless, FIREFOX_CONTEXT } = (await import(scripts)) as {
  findHeadless(name: 'chromium' | 'firefox'): LaunchOptions | undefined;
  FIREFOX_CONTEXT: object;
};

type Measured = Awaited<ReturnType<typeof measure>>;

let folder: string;
let code: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-engines-'));
  code = await bundled('test/sandbox/programs.ts');
  await writeFile(join(folder, 'measure.mjs'), code);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Measures in its own process, since zone and language are read when a process starts. */
async function inNode(env: NodeJS.ProcessEnv): Promise<Measured> {
  const script = `
    import { readFile } from 'node:fs/promises';
    import { measure } from ${JSON.stringify(pathToFileURL(join(folder, 'measure.mjs')).href)};
    globalThis.navigator ??= { language: process.env.LANG, userAgent: 'Node ' + process.version };
    console.log(JSON.stringify(await measure(new Uint8Array(await readFile(${JSON.stringify(WASM)})))));`;
  const options = { env: { ...process.env, ...env }, maxBuffer: 1 << 28 };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], options);
  return JSON.parse(stdout) as Measured;
}

/** The import as text, since Vitest would rewrite an import expression. */
const IN_PAGE = `import('/measure.mjs').then(async ({ measure }) =>
  measure(new Uint8Array(await (await fetch('/quickjs.wasm')).arrayBuffer())))`;

async function inBrowser(type: BrowserType, name: 'chromium' | 'firefox', env: Env, context = {}): Promise<Measured> {
  const launch = findHeadless(name);
  if (launch === undefined)
    throw new Error(`There is no ${name}. Its variable in .scripts/browsers.mjs says where it is.`);
  const browser = await type.launch({ ...launch, env: { ...process.env, ...env } as Env });
  try {
    const page = await browser.newPage(context);
    await page.route('**/*', async (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === '/measure.mjs') return route.fulfill({ contentType: 'text/javascript', body: code });
      if (pathname === '/quickjs.wasm') return route.fulfill({ body: await readFile(WASM) });
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Engine</title>' });
    });
    await page.goto('http://engines.test/');
    return await page.evaluate<Measured>(IN_PAGE);
  } finally {
    await browser.close();
  }
}

type Env = { [name: string]: string };

test('Node, Chromium and Firefox give the same images, heaps, fuel and results in every zone and language', async () => {
  const measured = await Promise.all([
    inNode({ TZ: 'UTC', LANG: 'C' }),
    inNode({ TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', EXTRA: 'x'.repeat(5000) }),
    inBrowser(chromium, 'chromium', { TZ: 'America/St_Johns', LANG: 'ar_EG.UTF-8' }, { locale: 'ar-EG' }),
    inBrowser(firefox, 'firefox', { TZ: 'Pacific/Chatham', LANG: 'de_DE.UTF-8' }, FIREFOX_CONTEXT),
  ]);
  // The four measurements ran in four time zones and three engines.
  expect(new Set(measured.map(({ host }) => host.offset)).size).toBe(4);
  expect(new Set(measured.map(({ host }) => host.agent)).size).toBe(3);
  const [first, ...others] = measured.map(({ rows }) => rows);
  const ok = first?.filter(({ settled }) => settled.ok);
  expect(ok?.length).toBeGreaterThan(15);
  expect(
    ok?.filter(({ settled }) => settled.ok && /^[0-9a-f]{64}$/.test(settled.heapHash ?? '')).length,
  ).toBeGreaterThan(15);
  for (const rows of others) expect(rows).toEqual(first);
});
