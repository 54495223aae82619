// The parts of the test runs, each with its command, and how long they take.

/** One run of a test runner. `built`: the tests read `dist/`. `mayBeAbsent`: exit code 2 says that the machine lacks the
 * program.
 * @typedef {{name: string, tool: 'vitest' | 'playwright' | 'script', args: string[], env?: Record<string, string>, built?: boolean, mayBeAbsent?: boolean}} Part */

/** A quarter of the generated cases, and of the browser suites those that a browser can make false. */
const SHORT = { SALLYPORT_CASES: 'quarter' };
const WORLD = ['-c', 'e2e/world/playwright.config.ts'];

/** The parts of `npm test` behind the check, the build and the sizes, in order.
 * @param {string[]} outside suites of outside programs that the change touches
 * @param {boolean} [ofRelease] the change touches what makes a release
 * @returns {Part[]} */
export function eachTime(outside, ofRelease = false) {
  const unit = { ...SHORT, ...(ofRelease && { SALLYPORT_RELEASE: 'touched' }) };
  return [
    { name: 'unit', tool: 'vitest', args: ['--project', 'node'], env: unit },
    { name: 'browser', tool: 'vitest', args: ['--project', 'browser*'], env: SHORT },
    { name: 'stories', tool: 'playwright', args: ['-c', 'e2e'], env: { SALLYPORT_STORIES: 'core' }, built: true },
    { name: 'smoke', tool: 'playwright', args: [...WORLD, '--grep', '@smoke'], built: true },
    ...(outside.length === 0 ? [] : [world('touched', [...outside.map(asPattern), '--grep-invert', '@smoke'])]),
  ];
}

/** @param {string} name @param {string[]} args @returns {Part} */
function world(name, args) {
  return { name, tool: 'playwright', args: [...WORLD, ...args], built: true };
}

/** Every part of `npm run test:long`. `minutes` on two cores, as measured. `alone`: a run of hours or of a measurement,
 * which only its own name starts, with options of its own.
 * @type {Record<string, {does: string, minutes: number, alone?: boolean, part: Omit<Part, 'name'>}>} */
export const LONG = {
  unit: {
    does: 'unit tests in Node with every generated case, and the long ones of memory and slow inputs',
    minutes: 5,
    part: { tool: 'vitest', args: ['--project', 'node'] },
  },
  process: {
    does: 'tests that start whole programs',
    minutes: 1,
    part: { tool: 'vitest', args: ['--project', 'process'], built: true },
  },
  chromium: {
    does: 'every browser suite in Chromium',
    minutes: 3,
    part: { tool: 'vitest', args: ['--project', 'browser (chromium)'] },
  },
  firefox: {
    does: 'every browser suite in Firefox',
    minutes: 3,
    part: { tool: 'vitest', args: ['--project', 'browser (firefox)'] },
  },
  stories: {
    does: 'every story end to end in Chromium, axe in all states among them',
    minutes: 12,
    part: { tool: 'playwright', args: ['-c', 'e2e', '--project=chromium', '--grep-invert', '@deploys'], built: true },
  },
  deploys: {
    does: 'two builds under open pages, with and without the service worker: half uploads, another build, a retired site',
    minutes: 3,
    part: { tool: 'playwright', args: ['-c', 'e2e', '--project=chromium', '--grep', '@deploys'], built: true },
  },
  'stories-firefox': {
    does: 'the stories whose outcome an engine decides, in Firefox',
    minutes: 4,
    part: { tool: 'playwright', args: ['-c', 'e2e', '--project=firefox'], built: true },
  },
  package: {
    does: 'the packed package: its files, commands and documentation',
    minutes: 1,
    part: { tool: 'playwright', args: ['-c', 'e2e', '--project=package'], built: true },
  },
  world: {
    does: 'suites that start other programs: servers, frameworks, databases, other versions of Node',
    minutes: 14,
    part: { tool: 'playwright', args: WORLD, built: true },
  },
  webkit: {
    does: 'a smoke suite in WebKitGTK',
    minutes: 1,
    part: { tool: 'script', args: ['e2e/webkit.mjs'], built: true, mayBeAbsent: true },
  },
  engines: {
    does: 'a second engine through the same driver: programs side by side, suites, fixes upstream, old runs',
    minutes: 3,
    part: { tool: 'vitest', args: ['-c', 'test/engines/vitest.config.ts'] },
  },
  chaos: {
    does: 'runs through kills, questions and revocations by chance',
    minutes: 5,
    alone: true,
    part: script('test/chaos/chaos.mjs'),
  },
  kills: {
    does: 'processes and browsers killed at random moments',
    minutes: 30,
    alone: true,
    part: script('test/kills/kills.mjs'),
  },
  load: {
    does: 'many runs on one PostgreSQL, and measurements of it',
    minutes: 12,
    alone: true,
    part: script('test/load/load.mjs'),
  },
  'power-cut': {
    does: 'the directory store under cuts of power',
    minutes: 5,
    alone: true,
    part: script('test/workers/store/directory/power-cut/power-cut.mjs'),
  },
  soak: { does: 'long use of one runtime', minutes: 10, alone: true, part: script('test/sandbox/soak.mjs') },
};

/** @param {string} file @returns {Omit<Part, 'name'>} */
function script(file) {
  return { tool: 'script', args: [file] };
}

/** Each kind of test and the files that hold it, with the part that runs named files of it.
 * @type {ReadonlyArray<{kind: RegExp, part: (files: string[]) => Part}>} */
const KINDS = [
  {
    kind: /^test\/.+(?<!\.(?:browser|engines))\.test\.ts$/,
    part: (files) => ({ name: 'unit', tool: 'vitest', args: ['--project', 'node', '--project', 'process', ...files] }),
  },
  {
    kind: /^test\/.+(?<!\.(?:node|process|engines))\.test\.ts$/,
    // A file of rules runs in a single browser: no fault of the other.
    part: (files) => ({
      name: 'browser',
      tool: 'vitest',
      args: ['--project', 'browser*', ...files, '--passWithNoTests'],
    }),
  },
  {
    kind: /^test\/.+\.engines\.test\.ts$/,
    part: (files) => ({ name: 'engines', tool: 'vitest', args: ['-c', 'test/engines/vitest.config.ts', ...files] }),
  },
  {
    kind: /^e2e\/(?!world\/).+\.spec\.ts$/,
    part: (files) => ({
      name: 'stories',
      tool: 'playwright',
      args: ['-c', 'e2e', ...files.map(asPattern)],
      built: true,
    }),
  },
  { kind: /^e2e\/world\/.+\.spec\.ts$/, part: (files) => world('world', files.map(asPattern)) },
];

/** The parts that run the tests in these files and folders, or `fault`: the first path without a test.
 * @param {string[]} paths below the root, with `/`; `:12` behind a file names a line
 * @param {string[]} all every file of the repository below test/ and e2e/
 * @returns {{parts: Part[]} | {fault: string}} */
export function partsOfPaths(paths, all) {
  const chosen = new Set();
  for (const path of paths) {
    const [, plain = path, line = ''] = /^(?:\.\/)?(.*?)\/?(:\d+)?$/.exec(path) ?? [];
    const found = all.filter((file) => KINDS.some(({ kind }) => kind.test(file)) && `${file}/`.startsWith(`${plain}/`));
    if (found.length === 0) return { fault: `${plain} holds no tests. Name files or folders below test/ or e2e/.` };
    for (const file of found) chosen.add(file + line);
  }
  const files = [...chosen];
  const of = (/** @type {RegExp} */ kind) => files.filter((file) => kind.test(file.replace(/:\d+$/, '')));
  return { parts: KINDS.flatMap(({ kind, part }) => (of(kind).length === 0 ? [] : [part(of(kind))])) };
}

/** Suites of outside programs: the words in the path of a change that touch them, and their seconds on two cores. A
 * change of the lockfile or of the build touches all of them.
 * @type {ReadonlyArray<[suite: string, touchedBy: RegExp, seconds: number]>} */
const OUTSIDE = [
  ['ai-sdk', /\bai\b/, 30],
  ['checkpoint', /\bcheckpoint|\btiles\b/, 15],
  ['copied-code', /\bcopy-code\b/, 15],
  ['frameworks', /\b(frameworks|lock)\b/, 70],
  ['mcp-answers', /\bmcp\/(client|server|wire)\b|\bgateway\b/, 60],
  ['mcp-client-conformance', /\bmcp\/(client|wire)\b/, 30],
  ['mcp-clients', /\bmcp\/(server|wire)\b/, 30],
  ['mcp-command', /\b(gateway|cli\/mcp)\b/, 20],
  ['mcp-gateway', /\bgateway\b/, 10],
  ['mcp-servers', /\bmcp\/(client|wire)\b/, 25],
  ['new', /\bexamples\b|\bcli\/new\b/, 60],
  ['openapi', /\bopenapi\b/, 30],
  ['otlp', /\botlp\b/, 5],
  ['package', /^package\.json$/, 40],
  ['postgres', /\bpostgres\b/, 60],
  ['react', /\breact\b/, 20],
  ['server', /\bexamples\/server\b/, 40],
  ['sqlite', /\bsqlite\b/, 60],
  ['transformers', /\btransformers\b/, 5],
];

/** True for a change of what makes a release, or of its tests.
 * @param {string[]} changed */
export function touchesRelease(changed) {
  return changed.some((path) =>
    /^(\.scripts\/release|test\/release\/|package\.json$|CITATION\.cff$|\.github\/)/.test(path),
  );
}

/** An eighth of the time that a run has. */
const OUTSIDE_SECONDS = 90;

/** The suites that a change touches, the shortest first, until their time is full.
 * @param {string[]} changed
 * @returns {string[]} */
export function touchedSuites(changed) {
  const code = changed.filter((path) => !path.endsWith('.md'));
  const isBuild = code.some((path) => /^(package-lock\.json|vite\.config\.ts|\.scripts\/(vite\/|build\.))/.test(path));
  const touched = OUTSIDE.filter(
    ([suite, words]) =>
      isBuild ||
      code.some((path) => path === `e2e/world/${suite}.spec.ts` || (!path.startsWith('test/') && words.test(path))),
  );
  /** @type {string[]} */
  const chosen = [];
  let left = OUTSIDE_SECONDS;
  for (const [suite, , seconds] of touched.sort(([, , one], [, , other]) => one - other)) {
    left -= seconds;
    if (left >= 0) chosen.push(`e2e/world/${suite}.spec.ts`);
  }
  return chosen;
}

/** Playwright reads a path as a pattern.
 * @param {string} file */
function asPattern(file) {
  return file.replaceAll('.', '\\.');
}
