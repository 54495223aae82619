import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { SMOKE } from '../tags.ts';
import { installInto, npm, packPackage } from './project.mjs';

/** A project whose server is the framework's own, in front of it the headers that doctor writes. */
interface Project {
  readonly host: string;
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** File that the configuration of doctor is written into. */
  readonly headers: string;
  /** Absent: the server sends the package's own files. */
  readonly build?: readonly string[];
  readonly server: string;
  /** In every `npm test`: its project has no build, and takes some seconds. */
  readonly isSmoke?: true;
}

const BODY = `
  import { defineCapability, fromScript } from 'sallyport';
  import 'sallyport/element';
  const greet = defineCapability({
    name: 'greet', version: '1.0.0', description: 'Greets a person.', effect: 'pure',
    args: { type: 'object', required: ['name'], additionalProperties: false, properties: { name: { type: 'string' } } },
    source: 'export default ({ name }) => \`Hello, \${name}.\`;',
  });
  export function begin(element, said) {
    element.capabilities = [greet];
    element.grants = [{ capability: 'greet', mode: 'allow' }];
    element.model = fromScript([
      { next_step: { tool: 'greet', arguments: { name: 'Ada' }, goal: 'greet' } },
      { done: true, message: 'Ada was greeted.' },
    ]);
    element.addEventListener('sallyport-done', ({ detail }) => { said.textContent = detail.message ?? detail.code; });
    element.start('Greet Ada.');
  }
`;
const BEGIN = "begin(document.querySelector('sallyport-run'), document.querySelector('output'))";
const MARKUP = '<sallyport-run></sallyport-run><output></output>';

const PROJECTS: { readonly [name: string]: Project } = {
  Express: {
    host: 'express',
    packages: ['express@5'],
    headers: 'headers.mjs',
    server: 'server.mjs',
    isSmoke: true,
    files: {
      'server.mjs': `import express from 'express';
import { lock } from './headers.mjs';
const app = express();
app.use(lock);
app.use('/sallyport', express.static('node_modules/sallyport/dist'));
app.use(express.static('page'));
app.listen(process.env.PORT, process.env.HOST);
`,
      'page/greet.js': BODY.replace("from 'sallyport'", "from '/sallyport/index.js'").replace(
        "import 'sallyport/element'",
        "import '/sallyport/element.js'",
      ),
      'page/index.html': `<!doctype html><html lang="en"><link rel="icon" href="data:,">${MARKUP.replace(
        '<sallyport-run>',
        '<sallyport-run assets="/sallyport/">',
      )}<script type="module">import { begin } from './greet.js'; ${BEGIN};</script></html>
`,
    },
  },
  SvelteKit: {
    host: 'sveltekit',
    packages: ['@sveltejs/kit@2', '@sveltejs/adapter-node@5', '@sveltejs/vite-plugin-svelte@7', 'svelte@5', 'vite@8'],
    headers: 'server.mjs',
    build: ['exec', '--', 'vite', 'build'],
    server: 'server.mjs',
    files: {
      'svelte.config.js':
        "import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };\n",
      'vite.config.js':
        "import { sveltekit } from '@sveltejs/kit/vite';\nimport { lock } from 'sallyport/vite';\nexport default { plugins: [sveltekit(), lock()] };\n",
      'src/app.html':
        '<!doctype html><html lang="en"><head><link rel="icon" href="data:,">%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n',
      'src/lib/greet.js': BODY,
      'src/routes/+page.svelte': `<script>
  import { onMount } from 'svelte';
  onMount(async () => { const { begin } = await import('$lib/greet.js'); ${BEGIN}; });
</script>
${MARKUP}
`,
    },
  },
  Astro: {
    host: 'astro',
    packages: ['astro@5', '@astrojs/node@9', 'serve-static@2'],
    headers: 'server.mjs',
    build: ['exec', '--', 'astro', 'build'],
    server: 'server.mjs',
    files: {
      'astro.config.mjs':
        "import node from '@astrojs/node';\nimport { lock } from 'sallyport/vite';\nexport default { output: 'server', adapter: node({ mode: 'middleware' }), vite: { plugins: [lock()] } };\n",
      'src/greet.js': BODY,
      'src/pages/index.astro': `<html lang="en"><head><link rel="icon" href="data:,"></head><body>${MARKUP}
<script>import { begin } from '../greet.js'; ${BEGIN};</script></body></html>
`,
    },
  },
  Nuxt: {
    host: 'nuxt',
    packages: ['nuxt@4', 'vue@3'],
    headers: 'server/plugins/sallyport.js',
    build: ['exec', '--', 'nuxt', 'build'],
    server: '.output/server/index.mjs',
    files: {
      'nuxt.config.ts': `import { lock } from 'sallyport/vite';
export default defineNuxtConfig({
  telemetry: false,
  vite: { plugins: [lock()] },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'sallyport-run' } },
});
`,
      'app/greet.js': BODY,
      'app/app.vue': `<script setup>
onMounted(async () => { const { begin } = await import('./greet.js'); ${BEGIN}; });
</script>
<template><div>${MARKUP}</div></template>
`,
    },
  },
};

let folder: string;
let tarball: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-servers-'));
  tarball = packPackage(folder);
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function untilServed(address: string): Promise<void> {
  for (let nth = 0; nth < 300; nth++) {
    if (
      await fetch(address).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await wait(200);
  }
  throw new Error(`${address} was not served`);
}

for (const [name, project] of Object.entries(PROJECTS))
  test(
    `a page of ${name} runs behind the lock on its own server with the headers that doctor writes`,
    project.isSmoke ? SMOKE : {},
    async ({ page }) => {
      const home = join(folder, project.host);
      for (const [file, code] of Object.entries({
        'package.json': '{ "private": true, "type": "module" }',
        ...project.files,
      })) {
        mkdirSync(dirname(join(home, file)), { recursive: true });
        writeFileSync(join(home, file), code);
      }
      installInto(home, [...project.packages, tarball]);
      const cli = join(home, 'node_modules/sallyport/dist/cli.js');
      const written = spawnSync(process.execPath, [cli, 'doctor', '--for', project.host], { encoding: 'utf8' }).stdout;
      mkdirSync(dirname(join(home, project.headers)), { recursive: true });
      writeFileSync(join(home, project.headers), written);
      if (project.build) npm(home, [...project.build]);
      const port = await freePort();
      const child = spawn(process.execPath, [project.server], {
        cwd: home,
        env: { ...process.env, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port) },
        stdio: 'inherit',
      });
      try {
        const address = `http://127.0.0.1:${port}/`;
        await untilServed(address);
        await page.goto(address);
        await expect(page.locator('output')).toHaveText('Ada was greeted.');
        await expect(page.locator('sallyport-run [part=meter]')).toHaveAttribute('data-isolation', 'locked');
        const { stdout } = spawnSync(process.execPath, [cli, 'doctor', address], { encoding: 'utf8' });
        expect(stdout).toMatch(/^(✓ .+\n){5,}$/);
      } finally {
        child.kill();
      }
    },
  );
