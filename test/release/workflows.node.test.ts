import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { LONG } from '../../.scripts/test/parts.mjs';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly (string | number)[]>> };
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
}
interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = '.github/workflows';
const texts = Object.fromEntries(
  readdirSync(FOLDER).map((file) => [file, readFileSync(`${FOLDER}/${file}`, 'utf8')] as const),
);
const workflows = Object.entries(texts).map(([file, text]) => ({ file, workflow: parse(text) as Workflow }));
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ name: `${file} ${name}`, job })),
);
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly engines: { readonly node: string };
  readonly scripts: Readonly<Record<string, string>>;
};

/** Every value of a text in which `${{ matrix.NAME }}` stands for the values of the job's matrix. */
function expand(text: string, job: Job): readonly string[] {
  const [whole, name] = /\$\{\{ matrix\.(\w+) \}\}/.exec(text) ?? [];
  if (whole === undefined || name === undefined) return [text];
  const values = job.strategy?.matrix[name] ?? [];
  return values.flatMap((value) => expand(text.replace(whole, String(value)), job));
}

const isKnown = (name: string) => Object.hasOwn({ ...manifest.scripts, ...LONG }, name);

/** Commands of a job, one for each member of its matrix. */
const commandsOf = (job: Job) => (job.steps ?? []).flatMap(({ run }) => (run === undefined ? [] : expand(run, job)));

/** Commands of npm itself: the package of this folder and the small model as tarballs, and those published. */
const OF_NPM = [
  'npm pack --ignore-scripts',
  'npm pack --ignore-scripts ./dist/small-model',
  'npm publish ./sallyport-[0-9]*.tgz --access public --provenance',
  'npm publish ./sallyport-small-model-*.tgz --access public --provenance',
];

/** The reason why a command is no script of this repository; undefined when it is a script of it, with its part. */
function faultOf(command: string): string | undefined {
  if (OF_NPM.includes(command)) return undefined;
  const [, script, part] = /^npm (?:run )?([\w:-]+)(?: -- ([\w-]+)( [\w ./-]+)?)?$/.exec(command) ?? [];
  const [, file, kept] = /^node (\.scripts\/[\w./-]+\.mjs)((?: [\w./-]+)*)$/.exec(command) ?? [];
  if (file === '.scripts/kept.mjs') return isKnown(kept?.trim() ?? '') ? undefined : `no script and no part: ${kept}`;
  if (file !== undefined) return existsSync(file) ? undefined : `${file} is missing`;
  if (script === undefined || (!command.startsWith('npm run ') && script !== 'test')) return `no script: ${command}`;
  if (!(script in manifest.scripts)) return `package.json has no script ${script}`;
  return script !== 'test:long' || isKnown(part ?? '') ? undefined : `test:long has no part ${part}`;
}

describe('a workflow', () => {
  test('a workflow runs only scripts of this repository', () => {
    const commands = jobs.flatMap(({ job }) => commandsOf(job));
    expect(commands.length).toBeGreaterThan(20);
    expect(commands.flatMap((command) => faultOf(command) ?? [])).toEqual([]);
  });

  test.each([
    'npm run unknown',
    'node .scripts/kept.mjs unknown',
    'npm run test:long -- unknown',
    'npm ci',
    'node .scripts/unknown.mjs',
    'npm run build && curl example.invalid',
    'npm run build -- $(id)',
    'echo built',
  ])('the command `%s` is found to be no script of this repository', (command) => {
    expect(faultOf(command)).not.toBe(undefined);
  });

  test('a workflow names each foreign action by its commit, with its version behind it', () => {
    const uses = Object.values(texts).flatMap((text) => [...text.matchAll(/uses: (.+)$/gm)].map(([, use = '']) => use));
    const foreign = uses.filter((use) => !use.startsWith('./'));
    expect(foreign.length).toBeGreaterThan(10);
    expect(foreign.filter((use) => !/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(use))).toEqual([]);
    const commits = new Map(foreign.map((use) => [use, use.split('@')[0]]));
    expect(new Set(commits.values()).size, 'one commit for each action').toBe(commits.size);
    for (const use of uses.filter((each) => each.startsWith('./'))) expect(existsSync(use), use).toBe(true);
  });

  test('a job keeps no credentials of a checkout, and has a timeout', () => {
    for (const { name, job } of jobs) {
      const checkouts = (job.steps ?? []).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      for (const step of checkouts) expect(step.with, name).toMatchObject({ 'persist-credentials': false });
      if (job.uses === undefined) expect(job['timeout-minutes'], name).toBeGreaterThan(0);
    }
  });

  test('a workflow permits no access to all of its jobs, and more than reading to two jobs only', () => {
    for (const { file, workflow } of workflows) expect(workflow.permissions, file).toEqual({});
    const reading = { contents: 'read' };
    const others = jobs.filter(({ job }) => JSON.stringify(job.permissions) !== JSON.stringify(reading));
    expect(Object.fromEntries(others.map(({ name, job }) => [name, job.permissions]))).toEqual({
      'release.yml publish': { contents: 'read', 'id-token': 'write' },
      'site.yml deploy': { pages: 'write', 'id-token': 'write' },
    });
  });
});

describe('the workflows together', () => {
  const jobOf = (name: string) => {
    const job = jobs.find((each) => each.name === name)?.job;
    if (job === undefined) throw new Error(`No job ${name}.`);
    return job;
  };

  test('a change runs npm test and every Node line on Linux, in at most six jobs', () => {
    const ofChange = jobs.filter(({ name }) => name.startsWith('test.yml '));
    const count = ofChange.flatMap(({ job }) => Object.values(job.strategy?.matrix ?? { one: [1] })).flat().length;
    expect(count).toBeLessThanOrEqual(6);
    for (const { name, job } of ofChange) expect(job['runs-on'], name).toBe('ubuntu-latest');
    expect(commandsOf(jobOf('test.yml test'))).toContain('npm test');
    expect(jobOf('test.yml unit').strategy?.matrix['node']).toEqual([22, 24, 26]);
    const lowest = jobOf('test.yml test').steps?.find(({ uses }) => uses?.startsWith('actions/setup-node@'));
    expect(`>=${String(lowest?.with?.['node-version'])}`.replace(/\.0$/, '')).toBe(manifest.engines.node);
  });

  test('each night every part of test:long runs that needs no hours, on the systems that have its programs', () => {
    const { os, part = [] } = jobOf('nightly.yml systems').strategy?.matrix ?? {};
    expect(os).toEqual(['ubuntu-latest', 'macos-latest', 'windows-latest']);
    const linux = jobOf('nightly.yml linux').strategy?.matrix['part'] ?? [];
    const nightly = Object.entries(LONG).flatMap(([name, { alone }]) => (alone ? [] : [name]));
    expect(new Set([...part, ...linux])).toEqual(new Set(nightly));
  });

  test('the release workflow publishes the tarball that was packed and tested, in a job that installs no package', () => {
    expect(commandsOf(jobOf('release.yml pack'))).toEqual([
      'node .scripts/install.mjs chromium',
      'node .scripts/release.mjs tag',
      'npm run build',
      'npm run test:long -- package',
      ...OF_NPM.slice(0, 2),
    ]);
    expect(commandsOf(jobOf('release.yml publish'))).toEqual(OF_NPM.slice(2));
  });

  test('the weekly workflow runs each of the long tests, and keeps their output', () => {
    const long = ['kills', 'chaos', 'soak', 'power-cut', 'bench'];
    const commands = commandsOf(jobOf('weekly.yml long'));
    expect(commands.filter((command) => command.includes('kept'))).toEqual(
      long.map((name) => `node .scripts/kept.mjs ${name}`),
    );
    const kept = jobOf('weekly.yml long').steps?.at(-1);
    expect(kept).toMatchObject({ with: { path: 'test-results/kept/' } });
  });
});
