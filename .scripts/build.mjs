// The playground and the package, both into `dist/`. `--site` builds the playground alone. `npm run build` and
// `npm run docs` run it where a file has changed since.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, runnerImport } from 'vite';
import { packageEntries } from './entries.mjs';
import { binOf, node, ROOT } from './steps.mjs';

const DIST = join(ROOT, 'dist');
const THREAD = join(ROOT, 'workers/node/sandbox-thread.ts');

/** Files of the playground's build that the package ships: the same workers, under names without a hash. */
const FINISHED = [
  { asset: /^worker-auditor-.+\.js$/, name: 'worker-auditor.js' },
  { asset: /^worker-kernel-.+\.js$/, name: 'worker-kernel.js' },
  { asset: /^worker-sandbox-.+\.js$/, name: 'worker-sandbox.js' },
  { asset: /^worker-endpoint-.+\.js$/, name: 'worker-endpoint.js' },
  { asset: /^worker-small-.+\.js$/, name: 'worker-small.js' },
  { asset: /^quickjs-.+\.wasm$/, name: 'quickjs.wasm' },
];

const siteOnly = process.argv.includes('--site');
for (const path of siteOnly
  ? ['index.html', 'selftest.html', 'boot.js', 'assets', 'docs', 'llms.txt', 'service-worker.js']
  : ['.']) {
  rmSync(join(DIST, path), { recursive: true, force: true });
}
await build({ root: ROOT, logLevel: 'warn' });
await buildOffline();
if (!siteOnly) await buildPackage();

async function buildPackage() {
  for (const part of ['library', 'element']) {
    await build({ root: ROOT, logLevel: 'warn', configFile: join(ROOT, `.scripts/vite/${part}.ts`) });
  }
  /** @type {{module: typeof import('./vite/build-id.ts')}} */
  const id = await runnerImport(join(ROOT, '.scripts/vite/build-id.ts'));
  /** @type {{module: typeof import('./vite/thread.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  await module.buildThread(THREAD, { folder: DIST, plugins: [id.module.buildId(ROOT)] });
  await build({ root: ROOT, logLevel: 'warn', configFile: join(ROOT, '.scripts/vite/command.ts') });
  const assets = readdirSync(join(DIST, 'assets'));
  for (const { asset, name } of FINISHED) {
    const file = assets.find((each) => asset.test(each));
    if (file === undefined) throw new Error(`The playground's build has nothing for ${name}.`);
    copyFileSync(join(DIST, 'assets', file), join(DIST, name));
  }
  writeSmallModel();
  const manifest = readFileSync(join(ROOT, 'web/element/custom-elements.json'), 'utf8');
  writeFileSync(join(DIST, 'custom-elements.json'), manifest);
  await writeConfigSchema();
  writeFileSync(join(DIST, 'vscode.html-custom-data.json'), JSON.stringify(htmlData(JSON.parse(manifest)), null, 2));
  await writeTypes();
}

/** The small model as a package of its own: whoever has another model downloads none. */
function writeSmallModel() {
  const folder = join(DIST, 'small-model');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, 'workers/bridges/models/small/weights.bin'), join(folder, 'weights.bin'));
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  const { version, author, license, repository, bugs } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const manifest = {
    name: 'sallyport-small-model',
    version,
    description: 'The weights of the small model of Sallyport: 0.7 million parameters, trained on fifteen tools.',
    author,
    license,
    ...(repository && { repository }),
    ...(bugs && { bugs }),
    exports: { './weights.bin': './weights.bin', './package.json': './package.json' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const readme = `# The small model of Sallyport

\`npm install sallyport sallyport-small-model\`, then hand the bytes of \`sallyport-small-model/weights.bin\` to
\`fromSmallModel\` of \`sallyport/models\`. Where both are installed, \`sallyport serve\` serves the file as
\`small-model.bin\` beside the files of the package, and its playground has the model.
`;
  writeFileSync(join(folder, 'README.md'), readme);
}

/** The schema of the configuration of `sallyport mcp`, for editors. */
async function writeConfigSchema() {
  /** @type {{module: typeof import('../workers/bridges/mcp/gateway/config-schema.ts')}} */
  const { module } = await runnerImport(join(ROOT, 'workers/bridges/mcp/gateway/config-schema.ts'));
  writeFileSync(join(DIST, 'sallyport-mcp.schema.json'), `${JSON.stringify(module.CONFIG_SCHEMA, null, 2)}\n`);
}

async function buildOffline() {
  /** @type {{module: typeof import('./vite/selftest.ts')}} */
  const selftest = await runnerImport(join(ROOT, '.scripts/vite/selftest.ts'));
  await selftest.module.buildSelftest(ROOT);
  /** @type {{module: typeof import('./vite/docs.ts')}} */
  const docs = await runnerImport(join(ROOT, '.scripts/vite/docs.ts'));
  await docs.module.buildDocs(ROOT);
  /** @type {{module: typeof import('./vite/offline.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/offline.ts'));
  await module.buildServiceWorker(ROOT);
}

async function writeTypes() {
  const types = join(DIST, 'types');
  const config = join(ROOT, 'node_modules/.cache/sallyport/tsconfig.types.json');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, JSON.stringify(typesConfig(types)));
  if ((await node([binOf('typescript#tsc'), '-p', config])) !== 0) process.exit(1);
  copyHandWritten(types);
  renameNeighbours(types);
}

/** Generated JavaScript has declarations of its own, which the compiler does not copy.
 * @param {string} types */
function copyHandWritten(types) {
  for (const folder of ['core', 'sandbox', 'workers', 'web']) {
    for (const file of declarationsIn(join(ROOT, folder))) {
      if (file.endsWith('.generated.d.ts')) copyFileSync(join(ROOT, folder, file), join(types, folder, file));
    }
  }
}

/** Declarations name their neighbours as `.ts`; readers of the package find `.js` beside `.d.ts`.
 * @param {string} types */
function renameNeighbours(types) {
  for (const file of declarationsIn(types)) {
    const path = join(types, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/((?:from|import)\s*\(?\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g, '$1.js$2'));
  }
}

/** @param {string} folder */
function declarationsIn(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
}

/** @param {string} outDir */
function typesConfig(outDir) {
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

/** @typedef {{name: string, description?: string, type?: {text: string}}} Named */
/** @typedef {{tagName: string, description: string, attributes: Named[]}} Declaration */

/** `"html.customData": ["./node_modules/sallyport/dist/vscode.html-custom-data.json"]` in an editor's settings.
 * @param {{modules: Array<{declarations: Declaration[]}>}} manifest */
function htmlData({ modules }) {
  const declared = modules.flatMap(({ declarations }) => declarations);
  return {
    version: 1.1,
    tags: declared.map(({ tagName, description, attributes }) => ({
      name: tagName,
      description,
      attributes: attributes.map(attribute),
    })),
  };
}

/** @param {Named} named */
function attribute({ name, description, type }) {
  const values = [...(type?.text ?? '').matchAll(/'([^']+)'/g)].map(([, value = '']) => ({ name: value }));
  if (values.length > 0) return { name, description, values };
  // `v`: a boolean attribute without a value.
  return type?.text === 'boolean' ? { name, description, valueSet: 'v' } : { name, description };
}
