import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with the scripts of a release and the texts that they change. */
export interface Clone {
  read(file: string): string;
  write(file: string, text: string): void;
  script(name: string, ...args: readonly string[]): Ended;
  npm(...args: readonly string[]): Ended;
  git(...args: readonly string[]): string;
  remove(): void;
}

const TEXTS = [
  '.npmrc',
  'package.json',
  'package-lock.json',
  'CITATION.cff',
  'web/docs/changelog.md',
  'web/docs/versions.json',
];
const SCRIPTS = readdirSync('.scripts').filter((file) => /^(release|steps|kept)\.mjs$/.test(file));

/** The environment without the variables of git, a workflow or npm around the tests, which would reach the scripts. */
const ENVIRONMENT = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GIT_|GITHUB_|npm_)/.test(name))),
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_NAME`, 'A tester'])),
  ...Object.fromEntries(['AUTHOR', 'COMMITTER'].map((who) => [`GIT_${who}_EMAIL`, 'tester@example.invalid'])),
};

export function makeClone(): Clone {
  const root = mkdtempSync(join(tmpdir(), 'sallyport-release-'));
  for (const file of [...TEXTS, ...SCRIPTS.map((name) => `.scripts/${name}`)]) cpSync(file, join(root, file));
  const run = (command: string, args: readonly string[]): Ended =>
    spawnSync(command, args, { cwd: root, encoding: 'utf8', env: ENVIRONMENT });
  return {
    git: (...args) => {
      const { status, stdout, stderr } = run('git', args);
      if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
      return stdout.trim();
    },
    read: (file) => readFileSync(join(root, file), 'utf8'),
    write: (file, text) => {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    },
    npm: (...args) => run('npm', args),
    script: (name, ...args) => run(process.execPath, [join('.scripts', name), ...args]),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
