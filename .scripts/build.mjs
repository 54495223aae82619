// `npm run build`: the playground and the package, both into `dist/`. `--site` builds the playground alone.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { packageEntries } from './entries.mjs';
import { binOf, node, ROOT } from './steps.mjs';

const DIST = join(ROOT, 'dist');
const THREADS = ['workers/sandbox/thread.ts'];

const siteOnly = process.argv.includes('--site');
for (const path of siteOnly ? ['index.html', 'assets'] : ['.'])
  rmSync(join(DIST, path), { recursive: true, force: true });
if (existsSync(join(ROOT, 'index.html'))) await build({ root: ROOT, logLevel: 'warn' });
if (!siteOnly) {
  await build({ root: ROOT, logLevel: 'warn', configFile: join(ROOT, '.scripts/vite/library.ts') });
  await buildThreads();
  copyFinished();
  await writeTypes();
}

async function buildThreads() {
  const { runnerImport } = await import('vite');
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  for (const entry of THREADS.filter((file) => existsSync(join(ROOT, file)))) {
    await module.buildThread(join(ROOT, entry), { folder: DIST });
  }
}

/** The package ships the very workers that the playground runs, under names without a hash. */
function copyFinished() {
  const assets = join(DIST, 'assets');
  if (!existsSync(assets)) return;
  for (const file of readdirSync(assets)) {
    const worker = /^(worker-(?:kernel|sandbox))-.+\.js$/.exec(file)?.[1];
    if (worker !== undefined) copyFileSync(join(assets, file), join(DIST, `${worker}.js`));
    if (/^emscripten-module-.+\.wasm$/.test(file)) copyFileSync(join(assets, file), join(DIST, 'quickjs.wasm'));
  }
}

/** Declarations name their neighbours as `.ts`; readers of the package find `.js` beside `.d.ts`. */
async function writeTypes() {
  const types = join(DIST, 'types');
  const config = join(ROOT, 'node_modules/.cache/sallyport/tsconfig.types.json');
  mkdirSync(join(config, '..'), { recursive: true });
  writeFileSync(config, JSON.stringify(typesConfig(types)));
  if ((await node([binOf('typescript#tsc'), '-p', config])) !== 0) process.exit(1);
  for (const file of readdirSync(types, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(types, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'));
  }
}

function typesConfig(/** @type {string} */ outDir) {
  return {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      lib: ['es2024', 'dom', 'dom.iterable'],
      noEmit: false,
      // Each folder is checked against its own lib by `npm run check`; here declarations are only written.
      noCheck: true,
      emitDeclarationOnly: true,
      rootDir: ROOT,
      outDir,
    },
    files: packageEntries().map(({ source }) => join(ROOT, source)),
  };
}
