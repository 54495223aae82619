import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bareImports, FOLDERS, type Import, importsOf, sources } from './imports.ts';

/** The part of `web` that the package publishes: the client and the element. */
const RUNTIME_OF_WEB = /^web\/(?!(docs|playground|records|selftest|shared|style|texts|verifier)\/)/;

/** The features of the playground, a folder each, with the features whose files they may import. */
const FEATURES: { readonly [feature: string]: readonly string[] } = {
  approval: ['propose-form'],
  audit: ['files', 'run', 'send', 'timeline'],
  breakout: ['lab'],
  capabilities: ['breakout', 'run', 'workshop'],
  compare: ['files', 'run'],
  'copy-code': ['run'],
  corpus: [],
  demo: [],
  endpoint: [],
  files: [],
  gallery: ['demo'],
  guide: [],
  models: ['endpoint', 'run'],
  inspector: ['audit', 'lab', 'run'],
  lab: [],
  learn: ['approval', 'audit', 'breakout', 'lab', 'models', 'workshop'],
  'propose-form': ['run'],
  rules: [],
  run: ['files'],
  send: ['files', 'run'],
  setup: ['corpus', 'models', 'propose-form', 'run'],
  storage: ['files', 'models', 'run'],
  timeline: ['run'],
  workshop: ['lab', 'run'],
};

/** A feature also imports the parts that all features share, the link format, and the type of the store. */
const OF_FEATURES = Object.entries(FEATURES).map(([feature, others]) => ({
  from: new RegExp(`^web/playground/${feature}/`),
  to: new RegExp(`^web/playground/((${[feature, 'parts', ...others].join('|')})/|(link|scenario)\\.ts$)`),
}));

/**
 * The rooms of `workers/`, each behind those whose types it may name: no import runs back up. A room is one realm, so a
 * path says on which thread a file runs. `client` runs in the page or the Node program that calls, and reaches the
 * kernel by messages alone.
 */
const ROOMS = ['lock', 'store', 'sandbox', 'auditor', 'kernel', 'client', 'bridges', 'node', 'testing'];

/** The rooms whose values a room imports. `auditor` reads a stranger's file, so it does not know `kernel`. */
const VALUES: { readonly [room: string]: readonly string[] } = {
  lock: [],
  store: [],
  sandbox: ['lock'],
  auditor: ['lock', 'sandbox', 'store'],
  kernel: ['auditor', 'lock', 'sandbox', 'store'],
  client: ['lock'],
  bridges: ['client', 'lock'],
  node: ['auditor', 'bridges', 'kernel', 'lock', 'sandbox', 'store'],
  testing: ['auditor', 'bridges', 'client', 'kernel', 'node', 'sandbox', 'store'],
};

/** The bridges to other people's protocols, and the bridges that they stand on. */
const BRIDGES: { readonly [bridge: string]: readonly string[] } = {
  models: ['endpoint'],
  endpoint: ['models'],
  'model-gguf': ['models'],
  ai: ['models'],
  mcp: ['models', 'webhook'],
  openapi: ['models'],
  otlp: ['models'],
  webhook: ['models'],
  'web-mcp': ['mcp', 'models'],
};

/** The permitted imports. An import that no row permits is a fault. */
const PERMITTED: readonly { readonly from: RegExp; readonly to: RegExp; readonly typeOnly?: true }[] = [
  { from: /^core\//, to: /^core\// },
  { from: /^core\/(hash|sha256)\.ts$/, to: /^@noble\/hashes\// },

  { from: /^sandbox\//, to: /^sandbox\// },
  { from: /^sandbox\//, to: /^core\// },
  { from: /^sandbox\//, to: /^(quickjs-emscripten-core|@jitl\/quickjs-wasmfile-release-sync)$/ },
  // The guest's side of the schema realm is bundled by a script and never runs in the host.
  { from: /^sandbox\/schema\/guest\//, to: /^(ajv(-formats)?|core\/schema)\// },

  ...ROOMS.map((room, at) => ({
    from: new RegExp(`^workers/${room}/`),
    to: new RegExp(`^workers/(${ROOMS.slice(0, at + 1).join('|')})/`),
    typeOnly: true as const,
  })),
  ...Object.entries(VALUES).map(([room, others]) => ({
    from: new RegExp(`^workers/${room}/`),
    to: new RegExp(`^workers/((${(room === 'bridges' ? others : [room, ...others]).join('|')})/|[\\w-]+\\.ts$)`),
  })),
  ...Object.entries(BRIDGES).map(([bridge, others]) => ({
    from: new RegExp(`^workers/bridges/${bridge}/`),
    to: new RegExp(`^workers/bridges/(${[bridge, ...others].join('|')})/`),
  })),
  // What all rooms share stands at the root, and so do the ports, whose types name the rooms behind them.
  { from: /^workers\/[\w-]+\.ts$/, to: /^workers\/[\w-]+\.ts$/ },
  { from: /^workers\/(api|ports)\.ts$/, to: /^workers\//, typeOnly: true },
  {
    from: /^workers\/(ai|mcp|node|cli|openapi|otlp|postgres|sqlite|store|testing|testing-store|vite)\.ts$/,
    to: /^workers\//,
  },
  { from: /^workers\/bridges\/mcp\//, to: /^@modelcontextprotocol\/(client|server)$/ },
  // It decides which version of the protocol a client at two streams speaks.
  { from: /^workers\/bridges\/mcp\/server\/stdio\.ts$/, to: /^@modelcontextprotocol\/server\/stdio$/ },
  { from: /^workers\/bridges\/mcp\/server\/auth\.ts$/, to: /^jose$/ },
  // The command of the gateway joins the entries of the package.
  { from: /^workers\/node\/command\/mcp\.ts$/, to: /^workers\/(mcp|node|sqlite)\.ts$/ },
  // Not the module but the script of the page that it is built to.
  { from: /^workers\/bridges\/mcp\/gateway\/desk\.ts$/, to: /^web\/gateway\/page\.ts\?script$/ },
  // The template that was probably meant.
  { from: /^workers\/node\/command\/new\.ts$/, to: /^leven$/ },
  // The client asks kernel and auditor for their parts of a report, and imports the types of both.
  { from: /^workers\/client\/secondary-clients\.ts$/, to: /^workers\/auditor\/audit-log\.ts$/ },
  // A configuration is written under the lock of its directory.
  { from: /^workers\/bridges\/mcp\/gateway\/atomic-file\.ts$/, to: /^workers\/store\/directory\/lock\.ts$/ },
  // The form of a section table: a page reads the table that the kernel gives it.
  { from: /^workers\/client\/content-upload\.ts$/, to: /^workers\/kernel\/content\/file\.ts$/ },
  { from: /^workers\//, to: /^(core\/|sandbox\/index\.ts$)/ },
  { from: /^workers\/auditor\/(browser-key|checkpoint)\.ts$/, to: /^@noble\/ed25519$/ },
  // No other file can serve a port or call over one: Comlink alone serves more than a table of methods.
  { from: /^workers\/lock\/realm-port\.ts$/, to: /^comlink$/ },
  { from: /^workers\/(store\/page\/|auditor\/browser-key\.ts$)/, to: /^idb$/ },
  { from: /^web\/playground\/capabilities\/own-capabilities\.ts$/, to: /^idb$/ },
  { from: /^workers\/bridges\/model-gguf\/worker\.ts$/, to: /^@wllama\/wllama\/esm\/index\.js$/ },
  { from: /^workers\/kernel\/content\/search\.ts$/, to: /^minisearch$/ },
  // The suites that every store passes, for programs that write one.
  { from: /^workers\/testing\/store\//, to: /^(vitest|fast-check)$/ },
  {
    from: /^workers\/(node\.ts|node\/|bridges\/mcp\/(?:client\/stdio\.ts|gateway\/|server\/)|store\/(?:directory|postgres|sql|sqlite)\/|cli\.ts)/,
    to: /^node:/,
  },

  // The lock's self-test tries to import modules that it must not reach.
  { from: /^workers\/lock\/probe\.ts$/, to: /^\?$/ },

  // The playground is built from the exports of the package, like any page.
  { from: RUNTIME_OF_WEB, to: /^web\/(?!(playground|selftest|verifier)\/)/ },
  { from: /^web\/playground\//, to: /^web\/(index\.ts$|(records|shared|style|texts)\/)/ },
  // The kernel starts before the rest of the package has loaded.
  { from: /^web\/playground\/main\.ts$/, to: /^web\/client\.ts$/ },
  { from: /^web\/playground\/early-kernel\.ts$/, to: /^web\/(engine|start-kernel)\.ts$/ },
  { from: /^web\/playground\/(learn|models)\//, to: /^web\/models\.ts$/ },
  { from: /^web\/playground\/shell\/about\.ts$/, to: /^workers\/package-version\.ts$/ },
  // An export of the package, loaded with its first use and without the others.
  { from: /^web\/playground\/endpoint\/endpoint\.ts$/, to: /^web\/endpoint\.ts$/ },
  { from: /^web\/playground\/models\//, to: /^workers\/bridges\/model-gguf\/data\.ts$/, typeOnly: true },
  { from: /^web\/playground\/models\//, to: /^workers\/bridges\/model-gguf\/worker\.ts\?worker&url$/ },
  {
    from: /^web\/playground\/(learn|models)\//,
    to: /^workers\/bridges\/models\/small\/(worker\.ts\?worker&url|weights\.bin\?url)$/,
  },
  { from: /^web\/playground\/models\//, to: /^@wllama\/wllama\/esm\/wasm\/wllama\.wasm\?url$/ },
  // The entry, the store and the shell put the features together.
  { from: /^web\/playground\/([a-z-]+\.ts$|shell\/)/, to: /^web\/playground\// },
  { from: /^web\/playground\/parts\//, to: /^web\/playground\/parts\// },
  { from: /^web\/playground\//, to: /^web\/playground\/playground\.ts$/, typeOnly: true },
  ...OF_FEATURES,
  // Parts shared by the element and the playground import neither of them.
  { from: /^web\/(records|shared|style|texts)\//, to: /^web\/(records|shared|style|texts)\// },
  // The test of a device is made of the exports of the package, like any page, and of the page's one Trusted Types policy.
  { from: /^web\/selftest\//, to: /^web\/(selftest|style|texts)\/|^web\/(index|worker)\.ts$/ },
  { from: /^web\/selftest\/main\.ts$/, to: /^workers\/package-version\.ts$/ },
  { from: /^web\/selftest\/page-parts\.ts$/, to: /^workers\/lock\/retire\.ts$/ },
  // A saved page has the words of a single language in it.
  { from: /^web\/verifier\//, to: /^web\/(verifier|texts)\// },
  // The examples of the documentation run over the package, and show its gates.
  { from: /^web\/docs\//, to: /^web\/(docs\/|(index|client|records\/gates)\.ts$)/ },
  { from: /^web\/docs\/runtime\.ts$/, to: /^\?$/ },
  { from: /^web\/playground\/send\/send-dialog\.ts$/, to: /^web\/verifier\/page\.ts$/ },
  // The worker that reads texts of runs compares two of them, and the page draws what differs.
  { from: /^web\/playground\/files\/file-work\.ts$/, to: /^core\/ledger\/compare\.ts$/ },
  { from: /^web\/playground\/files\/file-worker\.ts$/, to: /^(web\/worker\.ts|\?worker&url)$/ },
  // The page's one Trusted Types policy, for its service worker.
  { from: /^web\/playground\/shell\/offline\.ts$/, to: /^web\/worker\.ts$/ },
  { from: /^web\//, to: /^core\/index\.ts$/ },
  // What a stranger packed unfolds under a bound everywhere: in files, in links, and in a saved page.
  { from: /^web\/(playground\/(files|parts)|verifier)\//, to: /^workers\/unpack\.ts$/ },
  // Every page loads code later by the one loader.
  { from: /^web\//, to: /^workers\/load-part\.ts$/ },
  // The rules of approval, which the cards of pages draw: nobody else needs them, so no entry exports them.
  { from: /^web\/(element|gateway|playground\/approval|shared)\//, to: /^core\/approval\// },
  // Rules from what ran, which a person reads and changes in a dialog: the decisions are those of the command.
  {
    from: /^web\/(shared\/rule-dialog|texts\/en\/rules|gateway\/page|playground\/rules\/[\w-]+)\.ts$/,
    to: /^core\/privilege\//,
  },
  { from: /^web\/playground\/rules\/worker\.ts$/, to: /^workers\/bridges\/models\/secrets\.ts$/ },
  { from: /^web\/playground\/rules\/rule-ask\.ts$/, to: /^web\/worker\.ts$/ },
  // Held outcomes, which the page reads from records: it decides nothing by them.
  { from: /^web\/records\/held\.ts$/, to: /^core\/(ledger\/held|capability\/handle)\.ts$/ },
  { from: /^web\/playground\/inspector\/held-[\w-]+\.ts$/, to: /^core\/ledger\/held(-parts)?\.ts$/ },
  // What an undo has come to is read as the undo itself reads it, and its reasons have one table of words.
  { from: /^web\/playground\/inspector\/undo-story\.ts$/, to: /^core\/(undo\/plan|capability\/revert)\.ts$/ },
  { from: /^web\/texts\/en\/take-back\.ts$/, to: /^core\/errors\/run\.ts$/ },
  {
    from: /^web\/playground\/inspector\/why-unasked\.ts$/,
    to: /^core\/(capability\/(guard|hold)|ledger\/held)\.ts$/,
  },
  // Two runs side by side: the page compares them as the command does.
  { from: /^web\/playground\/compare\/[\w-]+\.ts$/, to: /^core\/ledger\/compare\.ts$/, typeOnly: true },
  // A report: a page makes it in slices, and a test at once.
  { from: /^web\/playground\/send\/report\.ts$/, to: /^core\/ledger\/export\.ts$/ },
  // What an export leaves out: the page that sends a run leaves the same out.
  { from: /^web\/playground\/files\/disclosures\.ts$/, to: /^core\/ledger\/payloads\.ts$/ },
  // The evidence of a finished task: the page checks it by the same rules as the command.
  { from: /^web\/playground\/learn\/lessons\/lesson\.ts$/, to: /^core\/lesson\/shows\.ts$/ },
  // The table of a class: the page makes it by the same rules as the command, in a worker.
  { from: /^web\/playground\/learn\/class\/[\w-]+\.ts$/, to: /^core\/lesson\/class\.ts$/ },
  {
    from: /^web\/playground\/learn\/class\/worker\.ts$/,
    to: /^workers\/auditor\/(check-class|handed-in)\.ts$/,
  },
  {
    from: /^web\/playground\/learn\/class\/class-check\.ts$/,
    to: /^(web\/worker|workers\/auditor\/handed-in)\.ts$/,
  },
  {
    from: RUNTIME_OF_WEB,
    to: /^workers\/(client\/(apply-options|client|devtools-tracks|kernel-port|raw-json)|async|load-part|own-properties|run-view|lock\/(greeting|headers|life|probe|realm-port))\.ts$/,
  },
  { from: RUNTIME_OF_WEB, to: /^workers\/bridges\/models\/[\w-]+\.ts$/ },
  { from: /^web\//, to: /^workers\/api\.ts$/, typeOnly: true },
  { from: /^web\/(index|create-sandbox)\.ts$/, to: /^workers\/sandbox\/create\.ts$/, typeOnly: true },
  // The sandbox on its own, loaded when a page asks for it. The page drives it.
  { from: /^web\/sandbox\.ts$/, to: /^workers\/sandbox\/(create|page|pool|schemas)\.ts$/ },
  {
    from: /^web\/(client|engine|sandboxes)\.ts$/,
    to: /^workers\/(kernel\/(api|host)|sandbox\/page)\.ts$/,
    typeOnly: true,
  },
  { from: /^web\/start-kernel\.ts$/, to: /^workers\/(kernel\/host|ports)\.ts$/, typeOnly: true },
  { from: /^web\/client\.ts$/, to: /^workers\/auditor\/auditor\.ts$/, typeOnly: true },
  {
    from: /^web\/(door|door-request|endpoint|endpoint-worker|index|worker-error)\.ts$/,
    to: /^workers\/bridges\/endpoint\/host\.ts$/,
    typeOnly: true,
  },
  // The page's side of a model's worker, and the entry with both sides.
  {
    from: /^web\/(models|model-port|model-worker)\.ts$/,
    to: /^workers\/bridges\/models\/device\/(messages|serve-model)\.ts$/,
  },
  { from: /^web\/models\.ts$/, to: /^workers\/bridges\/models\/(device|small)\/[\w-]+\.ts$/ },
  { from: /^workers\/bridges\/models\/small\/worker\.ts$/, to: /^workers\/bridges\/models\/device\/serve-model\.ts$/ },
  // The telemetry of a page goes through a door.
  { from: /^web\/otlp\.ts$/, to: /^workers\/bridges\/otlp\/(api|options|push)\.ts$/ },
  // The client of MCP, loaded with the first server of a page.
  { from: /^web\/mcp\.ts$/, to: /^workers\/bridges\/mcp\/client\/api\.ts$/, typeOnly: true },
  { from: /^web\/mcp-client\.ts$/, to: /^workers\/bridges\/mcp\/client\/(api|connection|http|source)\.ts$/ },
  // The tools of a document, which run in its window.
  { from: /^web\/webmcp\.ts$/, to: /^workers\/bridges\/web-mcp\/(context|provide|source)\.ts$/ },
  // Data: definitions with their guest source as text. The engine that would run them stays in the worker.
  { from: /^web\/playground\/demo\//, to: /^sandbox\/capabilities\/index\.ts$/ },
  { from: /^web\/playground\/gallery\/[a-z]+\//, to: /^sandbox\/capabilities\/(calc\.eval|link|schema)\.ts$/ },
  { from: /^(web\/index|workers\/node)\.ts$/, to: /^sandbox\/capabilities\/content\.ts$/ },
  // ajv as text for the schema realm, given by the modules that can load files.
  { from: /^(web\/engine|workers\/node\/platform)\.ts$/, to: /^sandbox\/schema\/(compiler|checker)\.generated\.ts$/ },
  // Not the module but the address of the built file.
  { from: /^web\//, to: /^workers\/(auditor|bridges\/endpoint|kernel|sandbox)\/worker\.ts\?worker&url$/ },
  { from: /^web\//, to: /^@jitl\/quickjs-wasmfile-release-sync\/wasm\?url$/ },
  { from: /^web\/playground\/approval\/rewriting\.ts$/, to: /^diff$/ },
  { from: /^web\/playground\/(?:run\/registry|timeline\/filter)\.ts$/, to: /^leven$/ },
  {
    from: /^(?:web\/playground\/(?:corpus\/sources\/folder|learn\/evidence)|workers\/auditor\/handed-in)\.ts$/,
    to: /^@zip\.js\/zip\.js\//,
  },
  { from: /^web\//, to: /^(lit|lit\/.+|@preact\/signals-core)$/ },
  // An example imports the package, like any page.
  { from: /^web\/examples\//, to: /^sallyport(\/|$)/ },
  { from: /^web\/examples\/notes\/gguf\.js$/, to: /^@wllama\/wllama\/esm\/index\.js$/ },
  { from: /^web\/examples\/server\//, to: /^(node:[a-z]+|pg|web\/examples\/server\/[\w-]+\.js)$/ },
  // The types that the element is added to, and the hooks.
  { from: /^web\/react\.ts$/, to: /^react$/, typeOnly: true },
  { from: /^web\/react\/use-[\w-]+\.ts$/, to: /^react$/ },
  // Loaded when the first source is edited, and never before.
  { from: /^web\/playground\/parts\/code-editor\.ts$/, to: /^(@codemirror\/[a-z-]+|@lezer\/highlight)$/ },
];

function isPermitted({ from, to, typeOnly }: Import): boolean {
  return PERMITTED.some((row) => row.from.test(from) && row.to.test(to) && (typeOnly || row.typeOnly !== true));
}

const say = ({ from, to, typeOnly }: Import): string => `${from} -> ${to}${typeOnly ? ' (types)' : ''}`;

describe('imports between folders', () => {
  it('every import of a source file is permitted', () => {
    const faults = sources
      .flatMap(({ file, source }) => importsOf(file, source))
      .filter((found) => !isPermitted(found));
    expect(faults.map(say)).toEqual([]);
  });

  it('the imports of every folder are read', () => {
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
    ['sandbox/x.ts', "import type { Run } from '../workers/api.ts';"],
    ['sandbox/x.ts', "import { Worker } from 'node:worker_threads';"],
    ['workers/x.ts', "import { engine } from '../sandbox/engine.ts';"],
    ['workers/client/x.ts', "import { proxy } from 'comlink';"],
    ['web/x.ts', "import { expose } from 'comlink';"],
    ['workers/client/x.ts', "import { makeKernel } from '../kernel/kernel.ts';"],
    ['workers/client/x.ts', "import { openMemoryStore } from '../store/memory/store.ts';"],
    ['workers/auditor/x.ts', "import { makeCatalogue } from '../kernel/catalogue.ts';"],
    ['workers/auditor/x.ts', "import { runLoop } from '../run/run-loop.ts';"],
    ['workers/store/x.ts', "import { makeKernel } from '../kernel/kernel.ts';"],
    ['workers/store/x.ts', "import type { Kernel } from '../kernel/api.ts';"],
    ['workers/bridges/models/x.ts', "import { openClient } from '../client/client.ts';"],
    ['workers/kernel/x.ts', "import { readFileSync } from 'node:fs';"],
    ['workers/kernel/x.ts', "export { openDB } from 'idb';"],
    ['web/x.ts', "import { kernel } from '../workers/api.ts';"],
    ['web/x.ts', "import { type Run } from '../workers/api.ts';"],
    ['web/playground/run/x.ts', "import type { Realm } from '../../../sandbox/index.ts';"],
    ['web/x.ts', "import '../test/setup.ts';"],
    ['web/x.ts', "import { z } from 'zod';"],
    ['web/playground/shell/x.ts', "import { openRuntime } from '../../client.ts';"],
    ['web/playground/corpus/x.ts', "import { Timeline } from '../timeline/timeline.ts';"],
    ['web/playground/corpus/x.ts', "import type { RunSession } from '../run/session.ts';"],
    ['web/playground/corpus/x.ts', "import { openPlayground } from '../playground.ts';"],
    ['web/playground/corpus/x.ts', "import { App } from '../shell/app.ts';"],
    ['web/playground/parts/x.ts', "import { Timeline } from '../timeline/timeline.ts';"],
    ['web/playground/new/x.ts', "import { View } from '../parts/view.ts';"],
    ['web/element/x.ts', "import type { RunSession } from '../playground/run/session.ts';"],
    ['web/records/x.ts', "import { openRuntime } from '../client.ts';"],
    ['web/style/x.ts', "import { groupSteps } from '../playground/parts/view.ts';"],
    ['web/playground/run/x.ts', "import { fromScript } from '../../../workers/bridges/models/script.ts';"],
  ])('the fault planted in %s is found: %s', (file, source) => {
    expect(importsOf(file, source).filter((found) => !isPermitted(found))).toHaveLength(1);
  });

  it.each([
    ['core/hash.ts', "import { sha256 } from '@noble/hashes/sha2.js';"],
    ['workers/store/page/x.ts', "import { openDB } from 'idb';"],
    ['web/x.ts', "import type { Run } from '../workers/api.ts';"],
    ['web/playground/learn/x.ts', "import { Approval } from '../approval/approval.ts';"],
    ['web/playground/corpus/x.ts', "import type { Playground } from '../playground.ts';"],
    ['web/element/x.ts', "import { groupSteps } from '../records/steps.ts';"],
    ['web/x.ts', "import url from '../workers/kernel/worker.ts?worker&url';"],
  ])('an import of %s is permitted: %s', (file, source) => {
    const found = importsOf(file, source);
    expect(found).toHaveLength(1);
    expect(found.filter((each) => !isPermitted(each))).toEqual([]);
  });
});

describe('code that is loaded later', () => {
  // Programs of Node, the worker's test of its own lock, an attack that imports, and pages of other authors.
  const OTHERS =
    /^(workers\/(node\/|cli\.ts|lock\/probe\.ts)|web\/(docs|examples)\/|web\/playground\/breakout\/escapes\.ts)/;

  it('a page loads code later by the one loader, which tells of files that are gone', () => {
    const pages = sources.filter(({ file }) => !OTHERS.test(file));
    // the element's file loads the loader itself beside its first part
    expect(pages.flatMap(({ file, source }) => bareImports(file, source).map((text) => `${file}: ${text}`))).toEqual([
      expect.stringMatching(/^web\/element\.ts: .*load-part\.ts/),
    ]);
  });

  it.each([
    "const x = await import('./a.ts');",
    "load(() => import('./a.ts'));",
    "loadPart(import('./a.ts'));",
    "loadPart(() => 1, import('./a.ts'));",
    "loadPart(() => async () => import('./a.ts'));",
  ])('an import past the loader is found: %s', (source) => {
    expect(bareImports('web/x.ts', source)).toHaveLength(1);
  });

  it.each([
    "const x = loadPart(() => import('./a.ts'));",
    "const x = part(() => import('./a.ts'));",
    "this.late(is ? () => import('./a.ts') : () => import('./b.ts'), then);",
    "loadPart(() => Promise.all([import('./a.ts'), import('./b.ts')]));",
  ])('an import of the loader is permitted: %s', (source) => {
    expect(bareImports('web/x.ts', source)).toEqual([]);
  });
});

describe('the features of the playground', () => {
  it('the features of the playground are its folders, beside the shell and the parts', () => {
    const folders = readdirSync('web/playground', { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).sort()).toEqual([...Object.keys(FEATURES), 'parts', 'shell'].sort());
  });

  it('the features of the playground import each other in one direction only', () => {
    let left = Object.keys(FEATURES);
    const waiting = (): string[] => left.filter((each) => FEATURES[each]?.some((other) => left.includes(other)));
    while (waiting().length < left.length) left = waiting();
    expect(left).toEqual([]);
  });
});

/** Each exported type name with the files that declare it. */
function declaredTypes(files: readonly { readonly file: string; readonly source: string }[]): Map<string, string[]> {
  const declared = new Map<string, string[]>();
  for (const { file, source } of files)
    for (const [, name = ''] of source.matchAll(/^export (?:interface|type|class) (\w+)/gm))
      declared.set(name, [...(declared.get(name) ?? []), file]);
  return declared;
}

describe('an exported type name', () => {
  it('an exported type name is declared in a single file', () => {
    const declared = declaredTypes(sources);
    expect(declared.size).toBeGreaterThan(500);
    expect([...declared].filter(([, files]) => files.length > 1)).toEqual([]);
  });

  it('an exported type name that is planted a second time is found', () => {
    const twice = ['core/a.ts', 'web/b.ts'].map((file) => ({ file, source: 'export interface Place {}\n' }));
    expect([...declaredTypes(twice)]).toEqual([['Place', ['core/a.ts', 'web/b.ts']]]);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly dependencies: Record<string, string>;
    readonly devDependencies: Record<string, string>;
    readonly peerDependencies: Record<string, string>;
    readonly peerDependenciesMeta: Record<string, { readonly optional: boolean }>;
  };

  // npm does not install the package beside another version of a peer, also for a program that never uses the peer
  it('the package is installed beside every version of its peers, and without them', () => {
    const { peerDependencies: peers, peerDependenciesMeta: about } = manifest;
    expect(new Set(Object.values(peers))).toEqual(new Set(['*']));
    expect(Object.keys(peers).filter((name) => about[name]?.optional !== true)).toEqual([]);
  });

  it('the package pins every dependency to one version', () => {
    const peers = JSON.parse(readFileSync('test/bench/peers/package.json', 'utf8')) as Record<string, object>;
    const ours = { ...manifest.dependencies, ...manifest.devDependencies };
    const loose = Object.entries({ ...ours, ...peers['dependencies'], ...peers['optionalDependencies'] }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('the lockfile has the packages of every platform', () => {
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

  const locks = ['package-lock.json', 'test/bench/peers/package-lock.json'];

  it.each(locks)('%s has the hash of each package and no address', (lock) => {
    const { packages } = JSON.parse(readFileSync(lock, 'utf8')) as {
      readonly packages: Record<string, { readonly integrity?: string; readonly resolved?: string }>;
    };
    const entries = Object.entries(packages).filter(([path]) => path !== '');
    expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
    const unhashed = entries.flatMap(([path, { integrity = '' }]) => (integrity.startsWith('sha512-') ? [] : [path]));
    expect(unhashed).toEqual([]);
  });

  it('no module of a worker uses hot reloading, whose client would be imported into the lock', () => {
    const hot = sources.filter(({ file, source }) => !file.startsWith('web/') && source.includes('import.meta.hot'));
    expect(hot.map(({ file }) => file)).toEqual([]);
  });
});
