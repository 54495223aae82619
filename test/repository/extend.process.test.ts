import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { binOf } from '../../.scripts/steps.mjs';
import { listed } from './tables.ts';

/** The first edit of each request of the page "Add to it" that the compiler leads on from: by section, in a copy. */
const REQUESTS: readonly {
  readonly section: string;
  /** Name that the edit adds, and by which the compiler names what is forgotten. */
  readonly name: string;
  readonly file: string;
  readonly edit: readonly [before: string, after: string];
  /** Files that the compiler names at least. */
  readonly leadsTo: readonly string[];
}[] = [
  {
    section: 'A dialect',
    name: 'quoll',
    file: 'core/protocol/dialect.ts',
    edit: ["femtoclaw: 'femtoclaw/1.0.0',", "femtoclaw: 'femtoclaw/1.0.0',\n  quoll: 'quoll/1',"],
    leadsTo: ['core/protocol/parse.ts', 'core/run/opening.ts', 'web/playground/setup/composer.ts'],
  },
  {
    section: 'A limit',
    name: 'numbat',
    file: 'core/limits.ts',
    edit: ['readonly powerCalls: number;', 'readonly powerCalls: number;\n  readonly numbat: number;'],
    leadsTo: ['core/limits.ts', 'web/playground/workshop/draft-view.ts'],
  },
  {
    section: 'A term of a grant',
    name: 'dingo',
    file: 'core/capability/grant-terms.ts',
    edit: ['readonly uses?: number;', 'readonly uses?: number;\n  readonly dingo?: number;'],
    leadsTo: ['core/capability/grant-terms.ts'],
  },
  {
    section: 'A check of a verdict',
    name: 'emu',
    file: 'core/ledger/checks.ts',
    edit: ["export type CheckId = 'form'", "export type CheckId = 'emu' | 'form'"],
    leadsTo: ['core/ledger/words.ts', 'web/texts/de/audit-view.ts'],
  },
  {
    section: 'A preset of a model server',
    name: 'galah',
    file: 'workers/bridges/models/presets.ts',
    edit: ["('ollama' | 'llama.cpp'", "('galah' | 'ollama' | 'llama.cpp'"],
    leadsTo: ['workers/bridges/models/presets.ts', 'web/playground/endpoint/endpoint-dialog.ts'],
  },
];

const COPY = resolve('node_modules/.cache/sallyport/extend');
const FOLDERS = ['core', 'sandbox', 'workers', 'web'];

/** Faults of the copy with every edit, by the file in which the compiler finds them. */
let faults: readonly (readonly [file: string, message: string])[] = [];

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const folder of FOLDERS) cpSync(folder, join(COPY, folder), { recursive: true });
  for (const file of ['tsconfig.json', 'package.json']) cpSync(file, join(COPY, file));
  symlinkSync(resolve('node_modules'), join(COPY, 'node_modules'), 'junction');
  for (const { file, edit } of REQUESTS) {
    const text = readFileSync(join(COPY, file), 'utf8');
    expect(text, file).toContain(edit[0]);
    writeFileSync(join(COPY, file), text.replace(...edit));
  }
  // The program of the pages has core and the workers too.
  const { stdout } = spawnSync(process.execPath, [binOf('typescript#tsc'), '-p', 'web', '--pretty', 'false'], {
    cwd: COPY,
    encoding: 'utf8',
  });
  faults = stdout.split('\n').flatMap((line) => {
    const [, file, message] = /^([^\s(]+)\(\d+,\d+\): error (.+)$/.exec(line) ?? [];
    return file === undefined || message === undefined ? [] : [[file.replaceAll('\\', '/'), message] as const];
  });
}, 300_000);
afterAll(() => rmSync(COPY, { recursive: true, force: true }));

describe('a request that is performed by its first edit', () => {
  test.each(REQUESTS)(
    'the compiler leads on from the first edit of $section, to files that the page lists',
    (request) => {
      const led = [...new Set(faults.flatMap(([file, message]) => (message.includes(request.name) ? [file] : [])))];
      expect(led).toEqual(expect.arrayContaining([...request.leadsTo]));
      expect(led.filter((file) => !listed(request.section).includes(file))).toEqual([]);
    },
  );

  test('every other file that the compiler names stands on the page', () => {
    const files = [...new Set(faults.map(([file]) => file))];
    expect(files.length).toBeGreaterThan(8);
    const all = REQUESTS.flatMap(({ section }) => listed(section));
    expect(files.filter((file) => !all.includes(file))).toEqual([]);
  });
});
