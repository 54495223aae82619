import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from '@playwright/test';
import { parseSync } from 'oxc-parser';
import { packageEntries } from '../.scripts/entries.mjs';
import { missingTypes } from '../.scripts/public-types.mjs';

/** Paths and sizes in bytes of the files that `npm pack` puts into the tarball. */
function packedFiles(): readonly { readonly path: string; readonly size: number }[] {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { encoding: 'utf8' });
  const packed = JSON.parse(text) as readonly { readonly files: readonly { path: string; size: number }[] }[];
  return packed[0]?.files ?? [];
}

const files = packedFiles();
const paths = files.map(({ path }) => path);

test('the tarball holds the engine once', () => {
  const engines = files.filter(({ path }) => path.endsWith('.wasm'));
  expect(engines.map(({ path }) => path)).toEqual(['dist/quickjs.wasm']);
  // The engine as text would begin with the first bytes of a WASM file in base64.
  const inside = paths.filter((path) => path.endsWith('.js') && readFileSync(path, 'utf8').includes('AGFzbQEAAAAB'));
  expect(inside).toEqual([]);
});

test('the tarball holds each worker once, and the playground’s other files', () => {
  const workers = paths.filter((path) => /worker-\w+(-[\w-]{8})?\.js$/.test(path)).sort();
  expect(workers).toEqual(['auditor', 'endpoint', 'kernel', 'sandbox'].map((name) => `dist/worker-${name}.js`));
  expect(paths).toContain('dist/index.html');
  expect(paths.filter((path) => /^dist\/assets\/index-.*\.js$/.test(path))).toHaveLength(1);
});

test('the tarball holds the example of private notes, no built documentation and no source', () => {
  expect(paths.filter((path) => /^dist\/docs\/|llms\.txt$/.test(path))).toEqual([]);
  expect(paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  const example = /^web\/examples\/notes\//;
  expect(paths.some((path) => example.test(path))).toBe(true);
  const others = paths.filter((path) => !path.startsWith('dist/') && !example.test(path));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

test('the manifest declares as dependencies exactly the packages that the built files import', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly dependencies: object };
  const scripts = paths.filter((path) => /^dist\/[^/]+\.js$/.test(path));
  const imported = new Set(scripts.flatMap((path) => packagesIn(path, readFileSync(path, 'utf8'))));
  expect([...imported].sort()).toEqual(Object.keys(dependencies).sort());
});

for (const { name, source } of packageEntries()) {
  test(`the entry ${name} exports every type that it mentions`, () => {
    expect(missingTypes(`dist/types/${source.replace(/\.ts$/, '.d.ts')}`)).toEqual([]);
  });
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
