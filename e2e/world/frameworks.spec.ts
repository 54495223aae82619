import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, expect, type Page, test } from '@playwright/test';
import type * as vite from 'vite';
import { findHeadless } from '../../.scripts/browsers.mjs';
import { binOf } from '../../.scripts/steps.mjs';
import { installPackage } from '../install.ts';

/** A project of a framework with its programs, each of them the file of a page. */
interface Project {
  readonly packages: readonly string[];
  /** Lines of the configuration of Vite: the plugin's import, and its call. */
  readonly plugin: readonly [line: string, call: string];
  readonly programs: readonly Program[];
}

interface Program {
  readonly file: string;
  readonly code: string;
  readonly drive: (page: Page) => Promise<void>;
}

const VITE = 'vite@8.3.8';
const NO_PLUGIN = ['', ''] as const;
const [agent = '', suspended = ''] = [
  ...readFileSync('web/docs/react.md', 'utf8').matchAll(/^```jsx\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code);

async function driveElement(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Greet' }).click();
  await expect(page.locator('output').first()).toHaveText('Ada was greeted.');
  await expect(page.locator('sallyport-run [part=meter]')).toHaveAttribute('data-isolation', 'locked');
}

async function driveAgent(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByRole('alert')).toContainText('math.add with {"a":2,"b":40}');
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page.locator('output')).toHaveText('It is 42.');
  await expect(page.getByRole('listitem').last()).toHaveText('seal');
}

const HOOKS: readonly Program[] = [
  { file: 'main.jsx', code: agent, drive: driveAgent },
  {
    file: 'main.jsx',
    code: suspended,
    drive: (page) => expect(page.locator('output')).toHaveText('The kernel is locked.'),
  },
];
const SVELTE = `
  import { mount } from 'svelte';
  import App from './App.svelte';
  mount(App, { target: document.querySelector('#root') });
`;
const VUE = `
  import { createApp } from 'vue';
  import App from './App.vue';
  createApp(App).mount('#root');
`;

const PROJECTS: { readonly [name: string]: Project } = {
  'React 18.2': { packages: ['react@18.2.0', 'react-dom@18.2.0'], plugin: NO_PLUGIN, programs: HOOKS },
  'React 19': {
    packages: ['react@19.2.1', 'react-dom@19.2.1'],
    plugin: NO_PLUGIN,
    programs: [
      { file: 'main.jsx', code: readFileSync('web/examples/react/main.jsx', 'utf8'), drive: driveElement },
      ...HOOKS,
    ],
  },
  'Svelte 5': {
    packages: ['svelte@5.57.3', '@sveltejs/vite-plugin-svelte@7.3.1'],
    plugin: ["import { svelte } from '@sveltejs/vite-plugin-svelte';", 'svelte()'],
    programs: [{ file: 'main.js', code: SVELTE, drive: driveElement }],
  },
  'Vue 3': {
    packages: ['vue@3.5.45', '@vitejs/plugin-vue@6.0.11'],
    plugin: [
      "import vue from '@vitejs/plugin-vue';",
      "vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'sallyport-run' } } })",
    ],
    programs: [{ file: 'main.js', code: VUE, drive: driveElement }],
  },
};

let consumer: string;
let browser: Browser;
test.beforeAll(async () => {
  consumer = installPackage();
  browser = await chromium.launch(findHeadless('chromium') ?? {});
});
test.afterAll(async () => {
  await browser.close();
  rmSync(consumer, { recursive: true, force: true });
});

/** Installs packages and the package as `npm pack` makes it, or returns the reason why they cannot be installed. */
function install(home: string, packages: readonly string[]): string | undefined {
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const tarball = readdirSync(consumer).find((file) => file.endsWith('.tgz')) ?? '';
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline'];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, join(consumer, tarball), ...packages], {
    cwd: home,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return status === 0 ? undefined : `the packages cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
}

function configure(home: string, [line, call]: Project['plugin']): void {
  cpSync('e2e/world/frameworks', home, { recursive: true });
  const plugins = call === '' ? 'lock()' : `${call}, lock()`;
  const lines = [line, "import { lock } from 'sallyport/vite';", `export default { plugins: [${plugins}] };`];
  writeFileSync(join(home, 'vite.config.js'), lines.join('\n'));
}

/** Opens the page at an address, drives it, and holds that its console has no error. */
async function driven(address: string, drive: Program['drive']): Promise<void> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
  page.on('pageerror', (error) => void errors.push(String(error)));
  await page.goto(address);
  await drive(page);
  expect(errors).toEqual([]);
  await page.close();
}

for (const [name, project] of Object.entries(PROJECTS))
  test(`a page of Vite and ${name} works behind the lock, developed and built`, async () => {
    const home = join(consumer, name.replace(/\W/g, '-'));
    const reason = install(home, [VITE, ...project.packages]);
    test.skip(reason !== undefined, reason);
    configure(home, project.plugin);
    const { build, createServer, preview } = (await import(
      pathToFileURL(join(home, 'node_modules/vite/dist/node/index.js')).href
    )) as typeof vite;
    const common = { root: home, logLevel: 'error' as const };
    for (const { file, code, drive } of project.programs) {
      writeFileSync(join(home, file), code);
      writeFileSync(
        join(home, 'index.html'),
        `<!doctype html><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="/${file}"></script>`,
      );
      const development = await (await createServer({ ...common, server: { port: 0 } })).listen();
      await driven(development.resolvedUrls?.local[0] ?? '', drive);
      await development.close();
      await build(common);
      const built = await preview({ ...common, preview: { port: 0 } });
      await driven(built.resolvedUrls?.local[0] ?? '', drive);
      await built.close();
    }
  });

const TYPED = `
  import type { Run } from 'sallyport';
  import { useRecords, useRun, useRuntime } from 'sallyport/react';
  export function Agent({ run }: { run: Run | undefined }) {
    const { status, runtime, error } = useRuntime({ capabilities: [] });
    const { isolation } = useRuntime({}, { suspense: true }).info;
    const state = useRun(run);
    const { count } = useRecords(runtime, run?.id);
    const answer = () => state?.question?.answer({ approved: true });
    return <button onClick={answer}>{status}{String(error)}{isolation}{count}</button>;
  }
`;

test('the types of the hooks compile with the types of React 18', () => {
  const home = join(consumer, 'types');
  const reason = install(home, ['react@18.2.0', '@types/react@18.3.8']);
  test.skip(reason !== undefined, reason);
  writeFileSync(join(home, 'main.tsx'), TYPED);
  const compilerOptions = {
    ...{ target: 'es2024', module: 'esnext', moduleResolution: 'bundler', lib: ['es2024', 'dom', 'dom.iterable'] },
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [], jsx: 'react-jsx' },
  };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.tsx'] }));
  const { stdout } = spawnSync(process.execPath, [binOf('typescript#tsc'), '-p', home], { encoding: 'utf8' });
  expect(stdout).toBe('');
});
