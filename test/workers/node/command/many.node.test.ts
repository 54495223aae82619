import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { BlobWriter, configure, TextReader, ZipWriter } from '@zip.js/zip.js/lib/zip-core-native.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extend, formatExport, type LedgerRecord, NO_RECORDS, parseExport } from '../../../../core/index.ts';
import { LESSONS } from '../../../../web/playground/learn/lessons/index.ts';
import { type Command, runCommand, type Terminal, UsageError } from '../../../../workers/node/command/command.ts';
import { worstOf } from '../../../../workers/node/command/many.ts';
import { show } from '../../../../workers/node/command/show.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';
import { replay, verify } from '../../../../workers/node/command/verify.ts';
import { fromScript, openRuntime } from '../../../../workers/node.ts';
import { rewrite } from '../../../core/replay/rewrite.ts';

configure({ useWebWorkers: false });
const folder = mkdtempSync(join(tmpdir(), 'sallyport-many-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (tool: string, args: object) => ({ next_step: { tool, arguments: args, goal: 'Learn' } });
const CALC = {
  name: 'calc.eval',
  version: '1.0.0',
  description: 'Works out 2 + 3.',
  args: {
    type: 'object',
    required: ['expression'],
    additionalProperties: false,
    properties: { expression: { type: 'string' } },
  },
  effect: 'pure',
  source: 'export default () => 5;',
} as const;

async function runOf(proposals: readonly (string | object)[]): Promise<string> {
  const rt = await openRuntime({ capabilities: [CALC], grants: [{ capability: 'calc.eval', mode: 'allow' }] });
  const run = rt.start({ dialect: 'xct', task: 'x', model: fromScript(proposals as never) });
  await run.result;
  const text = await rt.ledger.export(run.id);
  await rt.close();
  return text;
}

async function zip(name: string, files: { readonly [name: string]: string }, level = 5): Promise<string> {
  const writer = new ZipWriter(new BlobWriter('application/zip'), { level });
  for (const [path, text] of Object.entries(files)) await writer.add(path, new TextReader(text));
  const file = join(folder, name);
  writeFileSync(file, new Uint8Array(await (await writer.close()).arrayBuffer()));
  return file;
}

function save(name: string, text: string): string {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function command(which: Command, words: readonly string[]) {
  const lines: string[] = [];
  let json: unknown;
  const terminal: Terminal = {
    color: false,
    print: (text) => void lines.push(text),
    printJson: (value) => void (json = value),
    complain: (text) => void lines.push(text),
    read: (path) => readFile(path),
  };
  const code = await runCommand(which, words, terminal);
  return { code, out: lines.join('\n'), json: json as Many };
}
interface Many {
  readonly code: number;
  readonly files: readonly { readonly name: string; readonly code: number; readonly fault?: string }[];
  readonly copies: readonly (readonly string[])[];
  readonly lessons: readonly {
    readonly name: string;
    readonly tasks: readonly boolean[];
    readonly solved: boolean;
    readonly shared: readonly string[];
  }[];
}

let solved = '';
let prose = '';
beforeAll(async () => {
  solved = await runOf(['Please add 2 and 3.', call('calc.eval', { expression: '2 + 3' })]);
  prose = await runOf(['Please add 2 and 3.']);
});

test.skipIf(process.platform === 'win32')('a device that has no end is left at a bound', async () => {
  await expect(processTerminal(1 << 22).read('/dev/zero')).rejects.toThrow('/dev/zero is longer than 4194304 bytes');
  await expect(processTerminal().read(folder)).rejects.toBeInstanceOf(UsageError);
});

describe('verify over many files', () => {
  test('verify names each file, finds a run that was handed in twice, and ends with the worst code', async () => {
    const ana = await zip('ana.zip', { 'lesson-1.run.jsonl': solved, 'README.md': 'hello' });
    const ben = await zip('ben.zip', { 'lesson-1.run.jsonl': solved });
    const cut = save('cut.jsonl', solved.split('\n').slice(0, 4).join('\n'));
    const { code, out } = await command(verify, [ana, ben, save('own.jsonl', prose)]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^\? .*ana\.zip: lesson-1\.run\.jsonl +No check failed over \d+ records\. Its origin is unknown/m,
    );
    expect(out).toMatch(/Equal heads, so one and the same run: .*ana\.zip.*, .*ben\.zip/);
    expect(out).not.toContain('README.md');
    const worse = await command(verify, [
      ana,
      cut,
      save('lied.jsonl', solved.replace('"accepted":true', '"accepted":false')),
      '--json',
    ]);
    expect([worse.code, worse.json.files.map((file) => file.code)]).toEqual([2, [0, 2, 1]]);
  });

  test('verify --quiet prints the files that are not consistent and the sum', async () => {
    const good = save('quiet/good.jsonl', solved);
    const bad = save('quiet/bad.jsonl', solved.split('\n').slice(0, 4).join('\n'));
    const { code, out } = await command(verify, [good, bad, '--quiet']);
    expect(code).toBe(2);
    expect(out).not.toContain('good.jsonl');
    expect(out.split('\n')).toEqual([expect.stringContaining('bad.jsonl'), '2 files: 1 consistent, 1 not.']);
    expect(await command(verify, [good, '--quiet'])).toMatchObject({ code: 0, out: '' });
  });

  test('show --from and --only print a part of the records', async () => {
    const file = save('part.jsonl', solved);
    const { out } = await command(show, [file, '--from', '3', '--only', 'receipt,seal']);
    const kinds = out.split('\n').flatMap((line) => /^ *(\d+)  [0-9a-f]{12}  (\w+)/.exec(line)?.[2] ?? []);
    expect(new Set(kinds)).toEqual(new Set(['receipt', 'seal']));
    await expect(command(show, [file, '--only', 'receipts'])).rejects.toThrow('receipts is none');
    await expect(command(show, [file, '--from', 'x'])).rejects.toThrow('--from takes the number of a record');
  });

  test('verify reads a folder with the folders and zips in it', async () => {
    const one = save('class/ana/lesson-1.run.jsonl', solved);
    save('class/ben/lesson-1.run.jsonl', prose);
    save('class/notes.txt', 'not an export');
    save('class/carl.zip', readFileSync(await zip('c.zip', { 'a.jsonl': prose }), 'latin1'));
    writeFileSync(join(folder, 'class/carl.zip'), readFileSync(join(folder, 'c.zip')));
    const { code, json } = await command(verify, [join(folder, 'class'), '--lesson', '1', '--json']);
    expect(code).toBe(0);
    expect(json.files).toHaveLength(3);
    expect(json.lessons.map(({ name, tasks, solved: all }) => [basename(name), tasks, all])).toEqual([
      ['ana', [true, true], true],
      ['ben', [true, false], false],
      ['carl.zip', [true, false], false],
    ]);
    expect(json.lessons.map(({ shared }) => shared.length)).toEqual([0, 1, 1]);
    const { out } = await command(verify, [join(one, '..'), '--lesson', '1']);
    expect(out).toMatch(/^ana +✓ {2}1 of 1$/m);
  });

  test('verify counts no lesson as solved by an altered file or by a run of another lesson', async () => {
    const altered = save('altered.jsonl', solved.replace('Please', 'Plense'));
    const { json } = await command(verify, [altered, '--lesson', '1', '--json']);
    expect([json.code, json.lessons[0]?.tasks]).toEqual([1, [false, false]]);
    const other = await command(verify, [save('solved.jsonl', solved), '--lesson', '2', '--json']);
    expect(other.json.lessons[0]?.solved).toBe(false);
  });

  test('verify solves lessons 10 and 11 by falsified files that stand beside their original run', async () => {
    const cutOff = await falsified(solved, -1);
    const renamed = rewrite(solved, ({ kind, body }) => (kind === 'configuration' ? { ...body, model: 'x' } : body));
    const flipped = solved.replace('"accepted":true', '"accepted":false');
    const deleted = solved.split('\n').toSpliced(4, 1).join('\n');
    const ten = await zip('ten.zip', { 'a.jsonl': solved, 'b.jsonl': flipped, 'c.jsonl': deleted, 'd.jsonl': cutOff });
    const eleven = await zip('eleven.zip', { 'a.jsonl': solved, 'b.jsonl': renamed });
    const alone = await zip('alone.zip', { 'a.jsonl': solved });
    const tasks = async (file: string, lesson: number) =>
      (await command(verify, [file, '--lesson', String(lesson), '--json'])).json.lessons[0]?.tasks;
    expect(await tasks(ten, 10)).toEqual([true, true, true]);
    expect(await tasks(eleven, 11)).toEqual([true, true]);
    expect(await tasks(alone, 10)).toEqual([false, false, false]);
    expect(await tasks(alone, 11)).toEqual([false, false]);
  });

  test('verify prints hostile file names and broken zips without control characters', async () => {
    const evil = await zip('evil.zip', { '\u001b[2J\u202e✓.jsonl': solved });
    const broken = save('broken.zip', 'PK\u0003\u0004 and nothing more');
    const { out, code } = await command(verify, [evil, broken]);
    expect(code).toBe(2);
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    expect(out).toMatch(/✕ .*broken\.zip +Not read: /);
  });

  test('verify unpacks no zip bomb and no zip with more than a thousand entries', async () => {
    const bomb = await zip('bomb.zip', { 'a.jsonl': 'x' });
    const bytes = readFileSync(bomb);
    // the size that the central directory declares
    bytes.writeUInt32LE(65 << 20, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    writeFileSync(bomb, bytes);
    const { json } = await command(verify, [bomb, '--json']);
    expect(json.files[0]?.fault).toContain('unpacks to 68157440 bytes, which is over the limit');
    const names = Array.from({ length: 1_001 }, (_, n) => [`${n}.jsonl`, '']);
    const many = await zip('many.zip', Object.fromEntries(names), 0);
    expect((await command(verify, [many, '--json'])).json.files[0]?.fault).toContain('1001 entries');
  });

  test('verify reports a single file with its records, and takes an anchor only for a single file', async () => {
    const file = save('one.jsonl', solved);
    const { records, run_id } = parseExport(solved);
    expect(run_id).toBeDefined();
    expect((await command(verify, [file, '--json'])).json).toMatchObject({ ok: true, records: records.length });
    const head = `${records.length}:${records.at(-1)?.record.hash}`;
    const { out, code } = await command(verify, [file, '--anchor', ` head  ${head.toUpperCase()}`]);
    expect([code, out.includes('and the head is the one that was kept elsewhere')]).toEqual([0, true]);
    await expect(command(verify, [file, '--anchor', 'hello'])).rejects.toBeInstanceOf(UsageError);
    await expect(command(verify, [file, file, '--anchor', head])).rejects.toBeInstanceOf(UsageError);
    await expect(command(verify, [file, '--lesson', '99'])).rejects.toBeInstanceOf(UsageError);
    await expect(command(verify, [file, '--deadline', 'soon'])).rejects.toBeInstanceOf(UsageError);
    expect((await command(replay, [file, '--deadline', '0'])).out).toMatch(/more time than the verifier spends/);
  });
});

test('the worst exit code is 2, then 1, 4, 3 and 0', () => {
  expect([[], [0], [0, 3], [3, 4], [4, 1, 3], [1, 2, 4]].map(worstOf)).toEqual([0, 0, 3, 4, 1, 2]);
});

test('the playground has the sixteen lessons that verify knows', () => {
  expect(LESSONS).toHaveLength(16);
});

/** Export of the run without its last records, with a fitting end line. */
async function falsified(text: string, cut: number): Promise<string> {
  const { run_id = '', records, payloads } = parseExport(text);
  let head = NO_RECORDS;
  const texts = records.slice(0, cut).flatMap((line) => {
    if (line === undefined) return [];
    const link = extend(head, line.record as LedgerRecord, line.record);
    head = { records: head.records + 1, head: link.record.hash };
    return [link.text];
  });
  const named = [...payloads].filter(([sha256]) => texts.some((each) => each.includes(sha256)));
  return formatExport(
    run_id,
    texts,
    named.map(([sha256, bytes]) => ({ sha256, bytes })),
  );
}
