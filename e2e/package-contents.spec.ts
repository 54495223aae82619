import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from '@playwright/test';
import { parseSync } from 'oxc-parser';
import { packageEntries } from '../.scripts/entries.mjs';
import { contentsOf, growth, heldContents, pack } from './package-files.mjs';
import { missingTypes, neededPackages, unmarkedValues } from './public-types.mjs';

const UPDATE = 'If the change is meant: node e2e/package-files.mjs';

let files: ReturnType<typeof pack>['files'];
let paths: readonly string[];
let contents: ReturnType<typeof contentsOf>;

// Not where the file is loaded: Playwright loads it to list the tests, and once more to run them.
test.beforeAll(() => {
  const packed = pack();
  ({ files } = packed);
  paths = files.map(({ path }) => path);
  contents = contentsOf(packed);
});

test('the tarball holds the files of the list, and no other', () => {
  expect(Object.keys(contents.files), UPDATE).toEqual(Object.keys(heldContents().files));
});

test('each file of types stands for a file of the source', () => {
  const types = paths.filter((path) => path.startsWith('dist/types/'));
  expect(types.length).toBeGreaterThan(100);
  const sourceOf = (path: string) => path.replace('dist/types/', '').replace(/\.d\.ts$/, '');
  expect(types.filter((path) => !['.ts', '.d.ts'].some((end) => existsSync(sourceOf(path) + end)))).toEqual([]);
});

test('no file of the tarball, nor the tarball, has grown by more than a twentieth', () => {
  expect(growth(contents, heldContents()), UPDATE).toEqual([]);
});

test('a file that grew by more than its room is named', () => {
  const held = { tarball: 100_000, unpacked: 200_000, files: { 'dist/core.js': 40_000, 'dist/verify.js': 58 } };
  expect(growth(held, held)).toEqual([]);
  const files = { 'dist/core.js': 42_000, 'dist/verify.js': 1_058 };
  expect(growth({ tarball: 105_000, unpacked: 210_000, files }, held)).toEqual([]);
  const larger = { 'dist/core.js': 42_001, 'dist/verify.js': 1_059 };
  expect(growth({ tarball: 105_001, unpacked: 210_001, files: larger }, held)).toEqual([
    'dist/core.js: 42001 bytes, held 40000',
    'dist/verify.js: 1059 bytes, held 58',
    'the tarball: 105001 bytes, held 100000',
    'the unpacked package: 210001 bytes, held 200000',
  ]);
});

test('the tarball holds the engine once', () => {
  const engines = files.filter(({ path }) => path.endsWith('.wasm'));
  expect(engines.map(({ path }) => path)).toEqual(['dist/quickjs.wasm']);
  // The engine as text would begin with the first bytes of a WASM file in base64.
  const inside = paths.filter((path) => path.endsWith('.js') && readFileSync(path, 'utf8').includes('AGFzbQEAAAAB'));
  expect(inside).toEqual([]);
});

test('the tarball holds each worker once, and the playground’s other files', () => {
  const workers = paths.flatMap((path) => /(?:^|\/)worker-(\w+)(?:-[\w-]{8})?\.js$/.exec(path)?.[1] ?? []).sort();
  expect(workers).toEqual(['auditor', 'class', 'endpoint', 'files', 'kernel', 'rules', 'sandbox', 'small']);
  for (const name of ['auditor', 'endpoint', 'kernel', 'sandbox', 'small'])
    expect(paths).toContain(`dist/worker-${name}.js`);
  expect(paths).toContain('dist/index.html');
  expect(paths.filter((path) => /^dist\/assets\/index-.*\.js$/.test(path))).toHaveLength(1);
});

test('the tarball holds each file without which the service worker keeps no page for offline use', () => {
  // what comes with its first use, and the small model, which is a package of its own
  const others = /^(?:wllama-.+\.wasm|worker-model-gguf-.+\.js|weights-.+\.bin)$/;
  const needed = readdirSync('dist/assets').filter((file) => !others.test(file));
  const served = (file: string) => [`dist/assets/${file}`, `dist/${file.replace(/-[\w-]{8}(?=\.\w+$)/, '')}`];
  expect(needed.filter((file) => !served(file).some((path) => paths.includes(path)))).toEqual([]);
});

test('the tarball holds the examples that are templates, no built documentation and no source', () => {
  expect(paths.filter((path) => /^dist\/docs\/|llms\.txt$/.test(path))).toEqual([]);
  expect(paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  const example = /^web\/examples\/(notes|plain|react|vite)\//;
  expect(new Set(paths.flatMap((path) => example.exec(path)?.[1] ?? [])).size).toBe(4);
  const others = paths.filter((path) => !path.startsWith('dist/') && !example.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('the manifest declares as dependencies and peers exactly the packages that the built files import', () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly dependencies: object;
    readonly peerDependencies: object;
  };
  const scripts = paths.filter((path) => /^dist\/[^/]+\.js$/.test(path));
  const imported = new Set(scripts.flatMap((path) => packagesIn(path, readFileSync(path, 'utf8'))));
  expect([...imported].sort()).toEqual(Object.keys({ ...dependencies, ...peerDependencies }).sort());
});

test('the types of an entry need no package that the manifest does not declare', () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly dependencies: object;
    readonly peerDependencies: object;
  };
  const declared = Object.keys({ ...dependencies, ...peerDependencies });
  for (const { name, source } of packageEntries()) {
    const needed = neededPackages(`dist/types/${source.replace(/\.ts$/, '.d.ts')}`);
    expect
      .soft(
        needed.filter((each) => !declared.includes(each)),
        name,
      )
      .toEqual([]);
  }
});

test('each entry exports every type that it mentions', () => {
  const entries = packageEntries();
  expect(entries.length).toBeGreaterThan(15);
  for (const { name, source } of entries)
    expect.soft(missingTypes(`dist/types/${source.replace(/\.ts$/, '.d.ts')}`), name).toEqual([]);
});

test('an entry is stable, or experimental in its types, and the changelog says which', () => {
  const stable = [...CHANGELOG.matchAll(/`(sallyport[\w/]*)`(?=.*\| \*Stable\.\*)/g)].map(([, name = '']) => name);
  expect(stable.sort()).toEqual(STABLE.map((part) => `sallyport${part}`).sort());
  const typesOf = (source: string) => `dist/types/${source.replace(/\.ts$/, '.d.ts')}`;
  const others = packageEntries().filter(({ title }) => !stable.includes(title.replace(' in a page', '')));
  expect(others.length).toBeGreaterThan(8);
  const offered = stable.flatMap((title) =>
    packageEntries().flatMap((entry) => (entry.title === title ? [typesOf(entry.source)] : [])),
  );
  for (const types of offered) expect.soft(headOf(types), types).not.toContain('@experimental');
  for (const { title, source } of others) {
    expect.soft(headOf(typesOf(source)), title).toContain('@experimental');
    const shared = new Set(offered.flatMap((types) => unmarkedValues(types)));
    const unmarked = unmarkedValues(typesOf(source)).filter((name) => !shared.has(name));
    expect.soft(unmarked, title).toEqual([]);
  }
});

/** The entries that the package promises to keep. */
const STABLE = ['', '/node', '/core', '/verify', '/ai', '/mcp', '/element'];
const CHANGELOG = readFileSync('web/docs/changelog.md', 'utf8');

/** The comment at the top of a file. */
function headOf(path: string): string {
  return /^\/\*\*.*?\*\//s.exec(readFileSync(path, 'utf8'))?.[0] ?? '';
}

/** Packages that a module imports by name, neither Node's own nor files beside it. */
function packagesIn(path: string, code: string): readonly string[] {
  const { module } = parseSync(basename(path), code);
  const dynamic = module.dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start, end));
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? './')),
    ...dynamic.filter((text) => /^(['"])[^'"]*\1$/.test(text)).map((text) => text.slice(1, -1)),
  ];
  return names
    .filter((name) => !/^(?:[./]|node:|data:)/.test(name))
    .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}
