import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { expect, test } from '@playwright/test';
import { publint } from 'publint';
import { build, createServer, type InlineConfig, type Plugin, preview } from 'vite';
import { findHeadless } from '../../.scripts/browsers.mjs';
import { binOf } from '../../.scripts/steps.mjs';
import { installPackage } from '../install.ts';
import { serveFolders } from '../serve.ts';
import { SMOKE } from '../tags.ts';

/** A project that has installed the package as `npm pack` makes it. */
let consumer: string;

test.beforeAll(() => {
  consumer = installPackage();
});
test.afterAll(() => rmSync(consumer, { recursive: true, force: true }));

const run = (source: string): unknown => {
  writeFileSync(join(consumer, 'main.js'), source);
  return JSON.parse(execFileSync(process.execPath, ['main.js'], { cwd: consumer, encoding: 'utf8', timeout: 30_000 }));
};

test('every file that the manifest names is in the package', SMOKE, () => {
  const home = join(consumer, 'node_modules/sallyport');
  const { exports } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly exports: object;
  };
  const targetsIn = (target: string | object): string[] =>
    typeof target === 'string' ? [target] : Object.values(target).flatMap(targetsIn);
  const named = targetsIn(exports);
  expect(named.filter((file) => !existsSync(join(home, file)))).toEqual([]);
  // The guide on local models names the place of this example.
  expect(readdirSync(join(home, 'web/examples/notes'))).toContain('notes.js');
  // The bundler of a page would follow the imports of a worker.
  const workers = readdirSync(join(home, 'dist')).filter((file) => /^worker-.*\.js$/.test(file));
  const literal = /\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?(?:"[^"]*"|'[^']*'|`[^`$]*`)\s*\)/;
  expect(workers).toHaveLength(5);
  expect(workers.filter((file) => literal.test(readFileSync(join(home, 'dist', file), 'utf8')))).toEqual([]);
  const { tags } = JSON.parse(readFileSync(join(home, 'dist/vscode.html-custom-data.json'), 'utf8')) as {
    readonly tags: readonly { readonly name: string; readonly attributes: readonly { readonly name: string }[] }[];
  };
  expect(tags).toMatchObject([{ name: 'sallyport-run' }]);
  expect(tags[0]?.attributes.find(({ name }) => name === 'view')).toMatchObject({
    values: [{ name: 'full' }, { name: 'compact' }, { name: 'timeline' }, { name: 'approve-only' }],
  });
});

test('every entry is imported in Node without side effects, and the page entry refers to sallyport/node', SMOKE, () => {
  const entries = run(`
    const before = Object.keys(globalThis).length;
    const entries = await Promise.all(['sallyport', 'sallyport/core', 'sallyport/verify', 'sallyport/ai', 'sallyport/models', 'sallyport/node', 'sallyport/openapi', 'sallyport/otlp', 'sallyport/postgres', 'sallyport/react', 'sallyport/sqlite', 'sallyport/store', 'sallyport/testing', 'sallyport/vite', 'sallyport/webmcp', 'sallyport/element'].map((name) => import(name)));
    console.log(JSON.stringify([...entries.map((entry) => Object.keys(entry).length > 0), Object.keys(globalThis).length - before,
      await entries[0].openRuntime().catch(({ code, message }) => [code, message.includes('in Node: sallyport/node')])]));
  `);
  expect(entries).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    true,
    0,
    ['engine_missing', true],
  ]);
});

test('the entry of the hooks is marked as code of the page, and renders on a server', () => {
  const code = readFileSync(join(consumer, 'node_modules/sallyport/dist/react.js'), 'utf8');
  expect(code).toMatch(/^["']use client["'];/);
  if (!existsSync(join(consumer, 'node_modules/react-dom')))
    symlinkSync(resolve('node_modules/react-dom'), join(consumer, 'node_modules/react-dom'));
  const html = run(`
    import { createElement } from 'react';
    import { renderToString } from 'react-dom/server';
    import { useRecords, useRun, useRuntime } from 'sallyport/react';
    const Page = () => [useRuntime({}).status, String(useRun()), useRecords().count].join();
    console.log(JSON.stringify(renderToString(createElement(Page))));
  `);
  expect(html).toBe('opening,undefined,0');
});

test('a run in Node calls a capability in a thread, and completes', SMOKE, () => {
  const end = run(`
    import { fromScript, openRuntime } from 'sallyport/node';
    const rt = await openRuntime({
      capabilities: [{
        name: 'math.add', version: '1.0.0', description: 'Adds.', effect: 'pure',
        args: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'], additionalProperties: false },
        source: 'export default async ({ a, b }) => a + b;',
      }],
      grants: [{ capability: 'math.add', mode: 'allow' }],
    });
    const call = { next_step: { tool: 'math.add', arguments: { a: 2, b: 40 }, goal: 'add' } };
    const run = rt.start({ dialect: 'xct', task: 'Add.', model: fromScript([call, { done: true, message: 'Added.' }]) });
    const { state, message, steps } = await run.result;
    await rt.close();
    console.log(JSON.stringify({ state, message, steps }));
  `);
  expect(end).toEqual({ state: 'completed', message: 'Added.', steps: 2 });
});

test('the test helpers of the package work under the test runner of Node', () => {
  const source = `
    import { test } from 'node:test';
    import { expectRejected } from 'sallyport/testing';
    test('refused', () => expectRejected('{"done": true, "done": true}').atGate('parse', 'duplicate_member'));
    test('not refused there', () => expectRejected('{}').atGate('parse'));
  `;
  writeFileSync(join(consumer, 'main.test.js'), source);
  const { stdout } = spawnSync(process.execPath, ['--test', 'main.test.js'], { cwd: consumer, encoding: 'utf8' });
  expect(stdout).toMatch(/# pass 1\n# fail 1/);
  expect(stdout).toContain('it stopped at gate structure with form_none');
});

test('publint finds no fault in the manifest of the package', async () => {
  const { messages } = await publint({ pkgDir: join(consumer, 'node_modules/sallyport'), pack: false });
  expect(messages).toEqual([]);
});

test('the types of the package are found under every resolution of ES modules', async () => {
  const tarball = readdirSync(consumer).find((file) => file.endsWith('.tgz')) ?? '';
  const bytes = new Uint8Array(readFileSync(join(consumer, tarball)));
  const checked = await checkPackage(createPackageFromTarballData(bytes), {
    // Files that a page loads, not modules that a program imports.
    excludeEntrypoints: [/^\.\/worker-/, './quickjs.wasm', './mcp.schema.json'],
  });
  if (!checked.types) throw new Error('The tarball has no types.');
  expect(Object.keys(checked.entrypoints).sort()).toEqual([
    '.',
    './ai',
    './core',
    './element',
    './mcp',
    './models',
    './node',
    './openapi',
    './otlp',
    './package.json',
    './postgres',
    './react',
    './sqlite',
    './store',
    './testing',
    './testing/store',
    './verify',
    './vite',
    './webmcp',
  ]);
  // The package has no CommonJS, so `require` without ES modules and resolution without `exports` do not apply.
  const resolved = checked.problems.filter(
    (problem) => !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
  );
  expect(resolved).toEqual([]);
});

test('a run in a page made with Vite calls a capability behind the lock, and completes', async ({ playwright }) => {
  writeFileSync(join(consumer, 'index.html'), '<!doctype html><script type="module" src="/page.js"></script>');
  writeFileSync(
    join(consumer, 'page.js'),
    `import { defineCapability, fromScript, openRuntime } from 'sallyport';
    import { fromMcp } from 'sallyport/mcp';
    const add = defineCapability({
      name: 'math.add', version: '1.0.0', description: 'Adds.', effect: 'pure',
      args: { type: 'object', required: ['a', 'b'], additionalProperties: false, properties: { a: { type: 'number' }, b: { type: 'number' } } },
      run: ({ a, b }) => ({ sum: a + b }),
    });
    // The entry for pages, which starts no command.
    const { code } = await fromMcp({ command: 'npx' }, { prefix: 'files' }).catch((error) => error);
    const rt = await openRuntime({ capabilities: [add], grants: [{ capability: 'math.add', mode: 'allow' }] });
    const call = { next_step: { tool: 'math.add', arguments: { a: 2, b: 3 }, goal: 'add' } };
    const run = rt.start({ dialect: 'xct', task: 'Add.', model: fromScript([call, { done: true, message: 'The sum is 5.' }]) });
    const end = await run.result;
    const { ok } = await rt.ledger.verify(run.id);
    document.title = [rt.info.isolation, end.state, end.message, ok, code].join(', ');`,
  );
  await build({ root: consumer, configFile: false, logLevel: 'error', build: { target: 'es2024' } });
  const host = await serveFolders({ folders: { '/': join(consumer, 'dist') } });
  const browser = await playwright.chromium.launch(findHeadless('chromium') ?? {});
  const page = await browser.newPage();
  await page.goto(`${host.origin}/`);
  await expect(page).toHaveTitle('locked, completed, The sum is 5., true, option_invalid', { timeout: 30_000 });
  await host.close();

  // The package's plugin locks the workers on Vite's own servers, too: each worker is already built in the package.
  const entry = pathToFileURL(join(consumer, 'node_modules/sallyport/dist/vite.js')).href;
  const { lock } = (await import(entry)) as { lock(): Plugin };
  const common = {
    root: consumer,
    configFile: false as const,
    logLevel: 'error' as const,
    plugins: [lock()],
  } satisfies InlineConfig;
  const development = await (await createServer({ ...common, server: { port: 0 } })).listen();
  const previewed = await preview({ ...common, preview: { port: 0 } });
  for (const { resolvedUrls } of [development, previewed]) {
    await page.goto(resolvedUrls?.local[0] ?? '');
    await expect(page).toHaveTitle('locked, completed, The sum is 5., true, option_invalid', { timeout: 30_000 });
  }
  await browser.close();
  await Promise.all([development.close(), previewed.close()]);
});

test('the types of the package compile for a strict consumer under each module resolution', () => {
  const source = `
    import { defineCapability, openRuntime, type RuntimeOptions } from 'sallyport';
    import { fromLanguageModel, toolsFor } from 'sallyport/ai';
    import { decode } from 'sallyport/core';
    import { openRuntime as openHeadless } from 'sallyport/node';
    import { fromOpenApi } from 'sallyport/openapi';
    import { expectRejected } from 'sallyport/testing';
    import { verifyExport } from 'sallyport/verify';
    import { lock } from 'sallyport/vite';
    import 'sallyport/element';
    import { useRecords, useRun, useRuntime } from 'sallyport/react';
    import type { Run, Runtime } from 'sallyport';
    const outcome = decode(new Uint8Array());
    export const size: number = outcome.ok ? 1 : outcome.refusal.message.length;
    export const open: (options: RuntimeOptions) => Promise<AsyncDisposable> = openRuntime;
    export { defineCapability, expectRejected, fromLanguageModel, fromOpenApi, lock, openHeadless, toolsFor, verifyExport };
    // @ts-expect-error a number is not bytes
    decode(1);
    const element = document.querySelector('sallyport-run');
    element?.addEventListener('sallyport-done', ({ detail }) => detail.head.length);
    element?.addEventListener('sallyport-approval', ({ detail }) => detail.answer({ approved: false, reason: '' }));
    // @ts-expect-error there is no such view
    if (element !== null) element.view = 'none';
    export const shown = <sallyport-run
      task="Greet." view="compact" readonly className="agent" ref={(each) => void each?.step()}
      capabilities={[]} onsallyport-done={({ detail }) => detail.head.length}
    />;
    // @ts-expect-error there is no such view in a template either
    export const wrong = <sallyport-run view="none" />;
    export function Agent({ run, source }: { run: Run | undefined; source: () => Promise<Runtime> }) {
      const { status, runtime, error } = useRuntime({ capabilities: [] });
      const open: Runtime = useRuntime(source, { suspense: true });
      const state = useRun(run);
      const { records, count } = useRecords(run, { last: 10 });
      const stored = useRecords(runtime, run?.id);
      if (run !== undefined) useRun(run).view.phase;
      // @ts-expect-error a runtime is not there before it is open
      runtime.close();
      return <button onClick={() => state?.question?.answer({ approved: true })}>
        {status}{String(error)}{open.info.isolation}{records.length + count + stored.count}
      </button>;
    }
  `;
  writeFileSync(join(consumer, 'main.tsx'), source);
  const plugin = `import { lock } from 'sallyport/vite';\nimport type { Plugin } from 'vite';\nexport const plugin: Plugin = lock();\n`;
  writeFileSync(join(consumer, 'vite.config.ts'), plugin);
  mkdirSync(join(consumer, 'node_modules/@types'), { recursive: true });
  for (const types of ['@types/node', '@types/react', 'csstype', 'react', 'vite']) {
    if (!existsSync(join(consumer, 'node_modules', types)))
      symlinkSync(resolve('node_modules', types), join(consumer, 'node_modules', types));
  }
  const common = {
    target: 'es2024',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
    jsx: 'react-jsx',
    lib: ['es2024', 'dom', 'dom.iterable'],
  };
  const bundler = { module: 'esnext', moduleResolution: 'bundler' };
  // Each program is small: as in `.scripts/check.mjs`, collecting garbage would take longer than leaving it.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '2GiB' };
  for (const [file, how] of [
    ['main.tsx', { module: 'nodenext' }],
    ['main.tsx', { module: 'node16' }],
    ['main.tsx', bundler],
    // Vite's types need the types of Node, which are less exact.
    ['vite.config.ts', { ...bundler, types: ['node'], skipLibCheck: true }],
  ] as const) {
    const compilerOptions = { ...common, ...how };
    writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    const tsc = [binOf('typescript#tsc'), '--singleThreaded', '-p', consumer];
    const { stdout } = spawnSync(process.execPath, tsc, { encoding: 'utf8', env });
    expect(stdout, JSON.stringify(how)).toBe('');
  }
});

test('the command serves the playground, and the playground takes a step with the server gone', async ({
  playwright,
}) => {
  const cli = join(consumer, 'node_modules/sallyport/dist/cli.js');
  const server = spawn(process.execPath, [cli, 'serve', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
  const { address } = JSON.parse(line) as { readonly address: string };
  expect((await fetch(`${address}docs/index.html`)).status).toBe(404);
  const browser = await playwright.chromium.launch(findHeadless('chromium') ?? {});
  const page = await browser.newPage({ serviceWorkers: 'allow' });
  await page.goto(address);
  await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  server.kill();
  await page.reload();
  await page.getByRole('button', { name: /^Step/ }).click();
  await expect(page.getByText('receipt').first()).toBeVisible({ timeout: 30_000 });
  await browser.close();
});

test('npx runs the command with the packed files alone', () => {
  // The link is the link of `npm install`; the copy has no other package beside it.
  const alone = join(consumer, 'alone');
  const home = join(alone, 'node_modules/sallyport');
  cpSync(join(consumer, 'node_modules/sallyport'), home, {
    recursive: true,
    filter: (path) => !path.includes('sallyport/node_modules'),
  });
  mkdirSync(join(alone, 'node_modules/.bin'));
  symlinkSync('../sallyport/dist/cli.js', join(alone, 'node_modules/.bin/sallyport'));
  chmodSync(join(home, 'dist/cli.js'), 0o755);
  writeFileSync(join(alone, 'package.json'), '{}');
  writeFileSync(join(alone, 'note.md'), '# A note\n');
  const command = 'sallyport';
  const npx = (...args: string[]) =>
    spawnSync('npx', ['--no-install', command, ...args], { cwd: alone, encoding: 'utf8', timeout: 60_000 });
  const index = npx('index', '.', '--globs', '*.md', '--json');
  expect(index.status, index.stderr).toBe(0);
  expect(JSON.parse(index.stdout)).toMatchObject({ files: 1, sections: [{ file_path: 'note.md' }] });
  expect(npx('verify', 'note.md').status).toBe(2);
});
