import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FOLDERS, type Import, importsOf, sources } from './imports.ts';

const PLAYGROUND = /^web\/(playground\.ts|(state|views|style|demo|lab|lessons|sources|editor)\/)/;
const RUNTIME_OF_WEB = /^web\/(?!playground\.ts|(state|views|style|demo|lab|lessons|sources|editor)\/)/;

/** Who may import what. What no row permits is a fault. */
const PERMITTED: readonly { readonly from: RegExp; readonly to: RegExp; readonly typeOnly?: true }[] = [
  { from: /^core\//, to: /^core\// },
  { from: /^core\/(hash|sha256)\.ts$/, to: /^@noble\/hashes\// },

  { from: /^sandbox\//, to: /^sandbox\// },
  { from: /^sandbox\//, to: /^core\/(index|inner)\.ts$/ },
  { from: /^sandbox\//, to: /^(quickjs-emscripten-core|@jitl\/quickjs-wasmfile-release-sync)$/ },
  // The guest's side of the schema realm is bundled by a script and never runs in the host.
  { from: /^sandbox\/schema\/guest\//, to: /^(ajv(-formats)?|core\/schema)\// },

  { from: /^workers\//, to: /^workers\// },
  { from: /^workers\//, to: /^(core\/(index|inner)|sandbox\/index)\.ts$/ },
  { from: /^workers\/(ed25519|seed)\.ts$/, to: /^@noble\/ed25519$/ },
  { from: /^workers\//, to: /^comlink$/ },
  { from: /^workers\/idb\//, to: /^idb$/ },
  { from: /^workers\/content\/search\.ts$/, to: /^minisearch$/ },
  {
    from: /^workers\/(node\.ts|(node|directory)\/|cli\.ts|cli\/|sandbox\/thread\.ts|sandbox\/\w+-node\.ts)/,
    to: /^node:/,
  },

  // The lock's self-test tries to import what it must not reach.
  { from: /^workers\/kernel\/probe\.ts$/, to: /^\?$/ },

  // The playground is built from what the package exports, like anybody's page.
  { from: RUNTIME_OF_WEB, to: /^web\// },
  { from: PLAYGROUND, to: /^web\/(index\.ts$|(state|views|style|demo|lab|lessons|sources|editor|verifier)\/)/ },
  // The page's one Trusted Types policy, for its service worker.
  { from: /^web\/state\/offline\.ts$/, to: /^web\/worker\.ts$/ },
  { from: /^web\//, to: /^core\/index\.ts$/ },
  // What shows that a task was done: the page ticks it off by what the command asks of evidence.
  { from: /^web\/lessons\/lesson\.ts$/, to: /^core\/lesson\/shows\.ts$/ },
  { from: RUNTIME_OF_WEB, to: /^workers\/(client|dispose|lock|own|tracks)\.ts$/ },
  { from: RUNTIME_OF_WEB, to: /^workers\/proposers\/\w+\.ts$/ },
  { from: /^web\//, to: /^workers\/api\.ts$/, typeOnly: true },
  { from: /^web\/(index|create-sandbox)\.ts$/, to: /^workers\/sandbox\/create\.ts$/, typeOnly: true },
  // The sandbox on its own, loaded when a page asks for it: the page drives it itself.
  { from: /^web\/sandbox\.ts$/, to: /^workers\/(sandbox\/(create|pool)|schemas)\.ts$/ },
  { from: /^web\/(client|engine|sandboxes)\.ts$/, to: /^workers\/kernel\/(api|host)\.ts$/, typeOnly: true },
  { from: /^web\/auditor\.ts$/, to: /^workers\/auditor\/host\.ts$/, typeOnly: true },
  { from: /^web\/(endpoint|index)\.ts$/, to: /^workers\/endpoint\/host\.ts$/, typeOnly: true },
  // Data: definitions with their guest source as text. The engine that would run them stays in the worker.
  { from: /^web\/demo\//, to: /^sandbox\/capabilities\/index\.ts$/ },
  { from: /^(web\/index|workers\/node)\.ts$/, to: /^sandbox\/capabilities\/content\.ts$/ },
  // ajv as text for the schema realm, handed in by those who can load files.
  { from: /^(web\/engine|workers\/node\/platform)\.ts$/, to: /^sandbox\/schema\/(compiler|checker)\.generated\.ts$/ },
  // Not the module but the address of the finished file.
  { from: /^web\//, to: /^workers\/(auditor|endpoint|kernel|sandbox)\/worker\.ts\?worker&url$/ },
  { from: /^web\//, to: /^@jitl\/quickjs-wasmfile-release-sync\/wasm\?url$/ },
  { from: /^web\/state\/line-changes\.ts$/, to: /^diff$/ },
  { from: /^web\/state\/(?:registered|suggest)\.ts$/, to: /^leven$/ },
  { from: /^(?:web\/sources\/(?:zip|pack)|workers\/cli\/unzip)\.ts$/, to: /^@zip\.js\/zip\.js\// },
  { from: /^web\//, to: /^(comlink|lit|lit\/.+|@preact\/signals-core)$/ },
  // What it adds its element to: types, and nothing to run.
  { from: /^web\/react\.ts$/, to: /^react$/, typeOnly: true },
  // Loaded with the first source that is edited, and never before.
  { from: /^web\/editor\//, to: /^(@codemirror\/[a-z-]+|@lezer\/highlight)$/ },
];

function isPermitted({ from, to, typeOnly }: Import): boolean {
  return PERMITTED.some((row) => row.from.test(from) && row.to.test(to) && (typeOnly || row.typeOnly !== true));
}

const say = ({ from, to, typeOnly }: Import): string => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`;

describe('who may import what', () => {
  it('holds in every source file', () => {
    const faults = sources
      .flatMap(({ file, source }) => importsOf(file, source))
      .filter((found) => !isPermitted(found));
    expect(faults.map(say)).toEqual([]);
  });

  it('is read from every folder', () => {
    for (const folder of FOLDERS) {
      const imports = sources
        .filter(({ file }) => file.startsWith(`${folder}/`))
        .flatMap(({ file, source }) => importsOf(file, source));
      expect(imports.length, folder).toBeGreaterThan(5);
    }
  });

  it.each([
    ['core/run/x.ts', "import { pass } from '../../sandbox/index.ts';"],
    ['core/run/x.ts', "import { sha256 } from '@noble/hashes/sha2.js';"],
    ['core/run/x.ts', "export * from '../../workers/api.ts';"],
    ['core/run/x.ts', "const x = await import('idb');"],
    ['core/run/x.ts', 'const x = await import(name);'],
    ['core/run/x.ts', 'const x = await import(`../${name}.ts`);'],
    ['sandbox/x.ts', "import type { Code } from '../core/errors.ts';"],
    ['sandbox/x.ts', "import { Worker } from 'node:worker_threads';"],
    ['workers/x.ts', "import { engine } from '../sandbox/engine.ts';"],
    ['workers/kernel/x.ts', "import { readFileSync } from 'node:fs';"],
    ['workers/kernel/x.ts', "export { openDB } from 'idb';"],
    ['web/x.ts', "import { kernel } from '../workers/api.ts';"],
    ['web/x.ts', "import { type Run } from '../workers/api.ts';"],
    ['web/views/x.ts', "import type { Realm } from '../../sandbox/index.ts';"],
    ['web/x.ts', "import '../test/setup.ts';"],
    ['web/x.ts', "import { z } from 'zod';"],
    ['web/views/x.ts', "import { openRuntime } from '../client.ts';"],
    ['web/state/x.ts', "import { fromScript } from '../../workers/proposers/script.ts';"],
  ])('finds the fault planted in %s: %s', (file, source) => {
    expect(importsOf(file, source).filter((found) => !isPermitted(found))).toHaveLength(1);
  });

  it.each([
    ['core/hash.ts', "import { sha256 } from '@noble/hashes/sha2.js';"],
    ['workers/idb/x.ts', "import { openDB } from 'idb';"],
    ['web/x.ts', "import type { Run } from '../workers/api.ts';"],
    ['web/x.ts', "import url from '../workers/kernel/worker.ts?worker&url';"],
  ])('permits %s: %s', (file, source) => {
    const found = importsOf(file, source);
    expect(found).toHaveLength(1);
    expect(found.filter((each) => !isPermitted(each))).toEqual([]);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
  };

  it('pins every dependency to one version', () => {
    const loose = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('locks the packages of every platform, not only of the one where the lock was written', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Record<string, { readonly optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
      ),
    );
    expect(missing).toEqual([]);
  });

  it('locks each package by the hash of its files, and by no address', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
      readonly packages: Record<string, { readonly integrity?: string; readonly resolved?: string }>;
    };
    const entries = Object.entries(packages).filter(([path]) => path !== '');
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    const unhashed = entries.flatMap(([path, { integrity = '' }]) => (integrity.startsWith('sha512-') ? [] : [path]));
    expect(unhashed).toEqual([]);
  });

  it('keeps hot reloading out of workers: its client would be imported into the lock', () => {
    const hot = sources.filter(({ file, source }) => !file.startsWith('web/') && source.includes('import.meta.hot'));
    expect(hot.map(({ file }) => file)).toEqual([]);
  });
});
