import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobWriter, configure, TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LessonCell } from '../../../../core/lesson/class.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';
import { runCommand, type Terminal, UsageError } from '../../../../workers/node/command/command.ts';
import { verify } from '../../../../workers/node/command/verify.ts';
import { filesOfPupil, type PupilFiles, type RecordedLessons, recordLessons } from './class-files.ts';

configure({ useWebWorkers: false });

/** Cheap lessons of each kind: proposals, grants with two runs, falsified copies. */
const PLAYED = [1, 3, 4, 10, 11];
const AS_OPTIONS = PLAYED.flatMap((lesson) => ['--lesson', String(lesson)]);

interface Printed {
  readonly code: number;
  readonly lessons: readonly (LessonCell & { readonly name: string })[];
  readonly pupils: readonly { readonly name: string; readonly shared: readonly object[] }[];
  readonly files: readonly { readonly name: string; readonly use: string }[];
  readonly ignored: number;
}

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** A folder with a zip for each pupil. */
async function handIn(pupils: { readonly [name: string]: PupilFiles }): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-class-'));
  folders.push(folder);
  for (const [name, files] of Object.entries(pupils)) {
    const writer = new ZipWriter(new BlobWriter('application/zip'));
    for (const [path, text] of Object.entries(files)) await writer.add(path, new TextReader(text));
    writeFileSync(join(folder, `${name}.zip`), new Uint8Array(await (await writer.close()).arrayBuffer()));
  }
  return folder;
}

async function command(words: readonly string[]) {
  const lines: string[] = [];
  let json: unknown;
  const terminal: Terminal = {
    color: false,
    print: (text) => void lines.push(...text.split('\n')),
    printJson: (value) => void (json = value),
    complain: (text) => void lines.push(text),
    read: (path) => readFile(path),
  };
  const code = await runCommand(verify, words, terminal);
  return { code, lines, json: json as Printed };
}

const stateOf = (json: Printed, name: string, lesson: number) =>
  json.lessons.find((cell) => cell.name.endsWith(`${name}.zip`) && cell.lesson === lesson)?.state;

let recorded: RecordedLessons;
beforeAll(async () => {
  recorded = await recordLessons(PLAYED);
}, 60_000);

test('a perfect class of thirty pupils has a line each, and exits 0 with the falsified copies of lesson 10', async () => {
  const names = Array.from({ length: 30 }, (_, nth) => `pupil${String(nth + 1).padStart(2, '0')}`);
  const two: RecordedLessons = new Map([...recorded].filter(([lesson]) => lesson === 1 || lesson === 10));
  const folder = await handIn(Object.fromEntries(names.map((name, nth) => [name, filesOfPupil(nth + 1, two)])));
  const { code, lines } = await command([folder, '--lesson', '1', '--lesson', '10']);
  expect(code).toBe(0);
  expect(lines[0]).toMatch(/^Pupil +1 10 {2}solved$/);
  expect(lines.slice(1, 31)).toEqual(names.map((name) => `${name}.zip  ✓  ✓  2 of 2`));
  expect(lines.slice(31)).toEqual([
    '',
    '✓ solved   1/3 tasks shown   – missing   = a run that another pupil handed in, too',
    '30 of 30 pupils solved 2 lessons.',
  ]);
}, 60_000);

test('a class says who is not done, who has the same runs, and which file was altered, in two lines a pupil', async () => {
  const ana = filesOfPupil(1, recorded);
  const { 'lesson-1.run.jsonl': one = '', ...rest } = filesOfPupil(2, recorded);
  const refused = filesOfPupil(4, new Map([[3, recorded.get(1) ?? []]]));
  const folder = await handIn({
    ana,
    // altered by hand, where no lesson asks for it
    ben: { ...rest, 'lesson-1.run.jsonl': one.replace('Please add', 'Plense add') },
    carl: ana,
    // a run of lesson 1, handed in for lesson 3
    dora: refused,
  });
  const { code, lines } = await command([folder, ...AS_OPTIONS]);
  expect(code).toBe(1);
  expect(lines).toEqual([
    'Pupil       1   3 4 10 11  solved',
    'ana.zip     =   = =  =  =  5 of 5',
    '  = carl.zip (6 of 6 runs)',
    'ben.zip   0/2   ✓ ✓  ✓  ✓  4 of 5',
    '  ✕ 1 file altered or not read: lesson-1.run.jsonl',
    'carl.zip    =   = =  =  =  5 of 5',
    '  = ana.zip (6 of 6 runs)',
    'dora.zip    – 0/2 –  –  –  0 of 5',
    '',
    '✓ solved   1/3 tasks shown   – missing   = a run that another pupil handed in, too',
    '2 of 4 pupils solved 5 lessons, 1 file altered or not read.',
  ]);

  const three = await command([folder, '--lesson', '3', '--json']);
  // the altered file is of lesson 1
  expect(three.code).toBe(0);
  const states = ['ana', 'ben', 'carl', 'dora'].map((name) => stateOf(three.json, name, 3));
  expect(states).toEqual(['copied', 'solved', 'copied', 'not_yet']);
  expect(three.json.ignored).toBe(3 * (Object.keys(ana).length - 1));
  expect(three.json.files).toHaveLength(4);

  const all = await command([folder, '--lesson', 'all', '--json']);
  expect(all.json.lessons).toHaveLength(4 * LESSONS.length);
  expect([stateOf(all.json, 'ben', 12), all.json.ignored]).toEqual(['missing', 0]);
  expect(all.json.files.filter(({ use }) => use === 'evidence').length).toBeGreaterThan(5);
}, 60_000);

test('a copy is found that was altered, and a name that ends a table line is cut', async () => {
  const { 'lesson-1.run.jsonl': one = '' } = filesOfPupil(1, recorded);
  const long = `${'n'.repeat(90)}\u202e`;
  const folder = await handIn({
    ana: { 'lesson-1.run.jsonl': one },
    ben: { 'lesson-1.run.jsonl': one.replace('Please add', 'Plense add') },
    [long]: { '__MACOSX/._lesson-1.run.jsonl': 'not an export', 'notes.txt': '' },
  });
  const { code, lines, json } = await command([folder, '--lesson', '1', '--json']);
  expect([code, lines]).toEqual([2, []]);
  expect([stateOf(json, 'ana', 1), stateOf(json, 'ben', 1), stateOf(json, long, 1)]).toEqual([
    'copied',
    'copied',
    'missing',
  ]);
  const { lines: printed } = await command([folder, '--lesson', '1', '--details']);
  expect(Math.max(...printed.slice(0, 9).map(({ length }) => length))).toBeLessThanOrEqual(120);
  expect(printed.join('\n')).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  expect(printed).toContainEqual(expect.stringMatching(/^ {2}Lesson 1 {2}solved; the same runs as .*ben\.zip$/));
  expect(printed).toContainEqual(expect.stringMatching(/^ {2}✕ lesson-1\.run\.jsonl {2}/));
}, 60_000);

test('verify takes several lessons or all of them, and no lesson that is not there', async () => {
  for (const lesson of ['0', '99', 'four', '1,99', ''])
    await expect(command(['.', '--lesson', lesson]), lesson).rejects.toBeInstanceOf(UsageError);
  await expect(command(['.', '--details'])).rejects.toBeInstanceOf(UsageError);
  await expect(command(['.', '--lesson', '1', '--checkpoint', 'x'])).rejects.toBeInstanceOf(UsageError);
});
