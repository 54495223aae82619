import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { formatKey } from '../core/ledger/checkpoint.ts';
import { rewrite } from '../test/core/replay/rewrite.ts';

const CLI = resolve('dist/cli.js');

let folder = '';
let made: { readonly jsonl: string; readonly checkpoint: string; readonly key: string };
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-command-'));
  made = make(join(folder, 'ledger'));
});
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A run made by the built package in a process of its own. */
function make(ledger: string): typeof made {
  const text = execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { fromScript, openRuntime } from ${JSON.stringify(resolve('dist/node.js'))};
    const rt = await openRuntime({
      store: { directory: ${JSON.stringify(ledger)} },
      capabilities: [{
        name: 'math.add', version: '1.0.0', description: 'Adds.', effect: 'pure',
        args: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'], additionalProperties: false },
        source: 'export default ({ a, b }) => a + b;',
      }],
      grants: [{ capability: 'math.add', mode: 'allow' }],
    });
    const call = (b) => ({ next_step: { tool: 'math.add', arguments: { a: 2, b }, goal: 'add' } });
    const run = rt.start({ dialect: 'xct', task: 'Add.', model: fromScript([call(40), call('1'), { done: true, message: 'ok' }]) });
    await run.result;
    const { text, key } = await rt.ledger.checkpoint();
    process.stdout.write(JSON.stringify({ jsonl: await rt.ledger.export(run.id), checkpoint: text, key }));
    await rt.close();`,
    ],
    { encoding: 'utf8', timeout: 30_000 },
  );
  return JSON.parse(text) as typeof made;
}

function sallyport(args: readonly string[], input = made.jsonl, env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', input, env, timeout: 30_000 });
}

test('verify says of an intact run that no check failed, in the words of the page, and ends with 0', () => {
  const { status, stdout } = sallyport(['verify']);
  expect(stdout).toContain('✓ Form: the file is well-formed');
  expect(stdout).toContain('No check failed over 15 records.');
  expect(stdout).not.toContain('\u001b');
  expect(status).toBe(0);
});

test('verify ends with 1 for a record that was altered, and with 2 for a text that is no export', () => {
  const altered = sallyport(['verify', '--json'], made.jsonl.replace('"accepted":true', '"accepted":false'));
  expect(JSON.parse(altered.stdout)).toMatchObject({ ok: false });
  expect(altered.status).toBe(1);
  for (const text of ['', '{}', 'x'.repeat(99), '\n\n']) expect(sallyport(['verify'], text).status).toBe(2);
});

test('replay makes the calls again, from the file alone, with the engine that is in the command', () => {
  const { status, stdout } = sallyport(['replay'], made.jsonl, { PATH: '/nowhere' });
  expect(stdout).toMatch(/✓ Replay: run again, it does the same +15\n/);
  expect(status).toBe(0);
});

test('replay ends with 3 if a call of an intact run differs, and with 4 if a decision differs', () => {
  const cheaper = rewrite(made.jsonl, ({ body }) =>
    Object.hasOwn(Object(body['evidence']), 'fuel')
      ? { ...body, evidence: { ...(body['evidence'] as object), fuel: 1 } }
      : body,
  );
  const replayed = sallyport(['replay'], cheaper);
  expect(replayed.stdout).toContain('Intact, but run again it differs at record 6.');
  expect(replayed.stdout).toContain('/evidence/fuel');
  expect([replayed.status, sallyport(['verify'], cheaper).status]).toEqual([3, 0]);
  const kinder = rewrite(made.jsonl, ({ kind, body }) =>
    kind === 'decision' ? { ...body, labels: ['private'] } : body,
  );
  expect(sallyport(['replay'], kinder).status).toBe(4);
});

test('verify compares the head and number of records with an anchor, and refuses a malformed anchor', () => {
  const { head, records } = JSON.parse(sallyport(['verify', '--json']).stdout) as { head: string; records: number };
  const exits = [`${records}:${head}`, head.slice(1), `${records + 1}:${head}`].map(
    (anchor) => sallyport(['verify', '--anchor', anchor]).status,
  );
  expect(exits).toEqual([0, 64, 1]);
});

test('verify against a signed checkpoint fails for a shortened run, another key and a mistyped key', () => {
  const file = join(folder, 'monday.txt');
  writeFileSync(file, made.checkpoint);
  const verify = (text: string, by: string) => sallyport(['verify', '--checkpoint', file, '--key', by], text).status;
  const shorter = rewrite(made.jsonl, ({ run_seq, body }) => (run_seq < 12 ? body : undefined));
  const mistyped = made.key.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const others = formatKey({ name: made.key.split('+')[0] ?? '', publicKey: new Uint8Array(32).fill(7) });
  expect([
    verify(made.jsonl, made.key),
    verify(shorter, made.key),
    verify(made.jsonl, others),
    verify(made.jsonl, mistyped),
  ]).toEqual([0, 1, 1, 64]);
});

test('diff compares two runs of a ledger or of files, with the exit codes of diff', () => {
  const file = join(folder, 'own.jsonl');
  writeFileSync(file, made.jsonl);
  const { run_id } = JSON.parse(made.jsonl.split('\n')[0] ?? '') as { run_id: string };
  const place = ['--store', join(folder, 'ledger')];
  const same = sallyport(['diff', run_id.slice(0, 8), run_id, ...place]);
  expect([same.stdout, same.status]).toEqual([expect.stringContaining('The runs are the same over 3 steps'), 0]);
  const changed = rewrite(made.jsonl, ({ kind, body }) =>
    kind === 'observation' && body['step'] === 2 ? { ...body, status: 'success' } : body,
  );
  const other = sallyport(['diff', file, '-'], changed);
  expect(other.stdout).toContain('@@ step 2 @@\n  /observation/status\n    - error\n    + success\n');
  expect([other.status, sallyport(['diff', 'zzz', run_id, ...place]).status]).toEqual([1, 2]);
});

test('fsck accepts the log of a directory, and fails for another key, a flipped byte and an absent folder', () => {
  writeFileSync(join(folder, 'later.txt'), made.checkpoint);
  const against = ['fsck', join(folder, 'ledger'), '--checkpoint', join(folder, 'later.txt'), '--key'];
  const whole = sallyport([...against, made.key]);
  expect([whole.status, whole.stdout.includes('The log is whole: 15 records')]).toEqual([0, true]);
  const other = sallyport([...against, formatKey({ name: 'sallyport.local', publicKey: new Uint8Array(32).fill(7) })]);
  expect([other.status, other.stdout.includes('it is not signed with this key')]).toEqual([1, true]);
  const journal = join(join(folder, 'ledger'), 'ledger.journal');
  const bytes = readFileSync(journal);
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
  writeFileSync(journal, bytes);
  expect([1, 2]).toContain(sallyport(['fsck', join(folder, 'ledger')]).status);
  expect(sallyport(['fsck', join(folder, 'nothing')]).status).toBe(64);
});

test('show prints all records, or a single record with its payloads, and escapes control characters', () => {
  const { stdout, status } = sallyport(['show']);
  expect([stdout.split('\n').length - 1, status]).toEqual([18, 0]);
  expect(stdout).toContain('the receipts say');
  expect(stdout).toMatch(/^ +\d+ {2}[0-9a-f]{12} {2}receipt {7}status=SUCCESS$/m);
  const first = sallyport(['show', '--record', '1']).stdout;
  expect(first).toContain('"kind": "task"');
  expect(first).toContain('Add.');
  const hostile = sallyport(
    ['show', '--record', '1'],
    made.jsonl.replace('"text":"Add."', '"text":"\\u001b]0;owned\\u0007"'),
  );
  expect(hostile.stdout).toContain('\\u001b]0;owned');
  expect(hostile.stdout).not.toContain('\u001b');
});

/** A file is a ledger of SQLite, which this Node may lack. */
const WITHOUT_SQLITE =
  process.getBuiltinModule('node:sqlite') === undefined
    ? ([[['fsck', 'package.json'], 'Try sallyport fsck --help']] as const)
    : [];

test('a wrong command line is answered in a single line, and ends with 64', () => {
  for (const [args, why] of [
    [['verifi'], 'There is no command "verifi" among verify, replay, show'],
    [['verify', '--anchr', 'x'], "Unknown option '--anchr'. Try sallyport verify --help"],
    [['verify', 'no such file'], 'no such file cannot be read (ENOENT). Try sallyport verify --help'],
    [['show', 'a.jsonl', 'b.jsonl'], 'show takes one operand, and b.jsonl is a second'],
    [['show', '--record', 'zz'], 'There is no record zz'],
    [['verify', '--checkpoint', 'package.json'], 'package.json is no checkpoint as it was saved'],
    [['verify', '--key', made.key], '--key is of a checkpoint, and there is no --checkpoint'],
    [['verify', '--anchor', `15:${'0'.repeat(64)}`, '--checkpoint', 'x'], 'two anchors: name one'],
    [['serve', 'package.json'], 'package.json is not a folder'],
    [['serve', '.', '--package', '../x'], '--package takes a path of letters, digits and hyphens'],
    [['new'], 'new takes the folder of the project, as in sallyport new agent'],
    [['new', 'core', '--template', 'vite'], 'and nothing was written. Try sallyport new --help'],
    [['doctor', 'example.com'], 'the URL of a page, as in https://example.com/'],
    [['doctor', 'http://127.0.0.1:1/'], 'http://127.0.0.1:1/ cannot be reached'],
    ...WITHOUT_SQLITE,
  ] as const) {
    const { status, stderr, stdout } = sallyport(args);
    expect([status, stdout, stderr.trim().split('\n').length], args.join(' ')).toEqual([64, '', 1]);
    expect(stderr).toContain(why);
    expect(stderr).not.toContain('.. Try');
  }
  const stdin = openSync(folder, 'r');
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'verify'], { encoding: 'utf8', stdio: [stdin] });
  closeSync(stdin);
  expect([status, stderr.trim()]).toEqual([64, 'sallyport: Standard input is a folder. Try sallyport verify --help']);
});

test('verify keeps its exit code when its output is not read, and ends with 70 when it cannot be written', () => {
  const file = join(folder, 'run.jsonl');
  writeFileSync(file, 'no export\n');
  const script = `"$0" "$1" verify "$2" | true; echo "\${PIPESTATUS[0]}"`;
  const piped = spawnSync('bash', ['-c', script, process.execPath, CLI, file], { encoding: 'utf8', timeout: 30_000 });
  expect([piped.stdout, piped.stderr]).toEqual(['2\n', '']);
  // A full disk must not look like an altered file.
  const full = spawnSync('bash', ['-c', '"$0" "$1" verify "$2" > /dev/full', process.execPath, CLI, file]);
  expect([full.status, String(full.stderr)]).toEqual([70, 'sallyport: What was found cannot be written (ENOSPC)\n']);
});

test('every command has help with examples', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
  expect(sallyport(['--version']).stdout).toBe(`${version}\n`);
  const help = sallyport(['verify', '--help']).stdout;
  expect([sallyport(['help', 'verify']).stdout, sallyport(['verify', '-h']).stdout]).toEqual([help, help]);
  const overview = sallyport(['--help']).stdout;
  const names = [...overview.matchAll(/^ {2}(\w+(?: [a-z]+)?) +[A-Z]/gm)].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['verify', 'show', 'mcp doctor', 'grants propose', 'grants try']));
  expect(sallyport(['grants', '--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('grants try') });
  for (const name of names) {
    const { stdout, status } = sallyport([...name.split(' '), '--help']);
    expect([status, stdout.includes('Examples:'), stdout.includes('--json')], name).toEqual([0, true, true]);
  }
});

test('serve sends the playground with its headers, passes doctor, and sends no file outside its folder', async () => {
  const server = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
    const { address } = JSON.parse(line) as { readonly address: string };
    const looked = sallyport(['doctor', address, '--json'], '');
    expect(JSON.parse(looked.stdout)).toMatchObject({ ok: true });
    expect(looked.status).toBe(0);
    for (const path of [
      '../package.json',
      '%2e%2e/package.json',
      '..%2fpackage.json',
      '%2e%2e%5cpackage.json',
      'types%00',
    ]) {
      expect(await statusOf(address, path), path).toBe(404);
    }
    expect((await fetch(address, { method: 'POST' })).status).toBe(405);
  } finally {
    server.kill();
  }
});

/** Status of a path that is sent as it is written: `fetch` would resolve the dots. */
function statusOf(address: string, path: string): Promise<number> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    get({ hostname, port, path: `/${path}` }, (response) => resolve(response.resume().statusCode ?? 0)).on(
      'error',
      reject,
    );
  });
}

test('doctor writes the configuration of a host for the built files, and refuses an unknown host', () => {
  const { stdout, status } = sallyport(['doctor', '--for', 'netlify', resolve('dist')], '');
  expect(stdout).toMatch(/^\/assets\/worker-kernel-[\w-]+\.js$/m);
  expect(stdout).toContain("script-src 'wasm-unsafe-eval'; worker-src 'none'");
  expect(status).toBe(0);
  expect(sallyport(['doctor', '--for', 'nowhere'], '').status).toBe(64);
  expect(sallyport(['doctor', 'ftp://x'], '').status).toBe(64);
});

test('index prints the hash of a folder, which does not depend on where it lies', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-index-'));
  mkdirSync(join(folder, 'notes'));
  writeFileSync(join(folder, 'notes/a.md'), '# One\n\nText.\n\n# Two\n');
  writeFileSync(join(folder, 'notes/b.txt'), 'no');
  const all = JSON.parse(sallyport(['index', folder, '--globs', '**/*.md', '--json'], '').stdout) as Record<
    string,
    unknown
  >;
  const inside = JSON.parse(sallyport(['index', `${folder}/`, '--globs', 'notes/*.md', '--json'], '').stdout) as object;
  expect(all).toMatchObject({ files: 1, sections: [{ file_path: 'notes/a.md' }, { file_path: 'notes/a.md' }] });
  expect(inside).toEqual(all);
  const none = sallyport(['index', folder], '');
  expect(none.stdout).toMatch(/^0 files, 0 sections\nindex [0-9a-f]{64}$/m);
  expect(none.stderr).toMatch(/matches LAW\/CANON\/\*\.md, .*--globs/);
  symlinkSync('/etc/hostname', join(folder, 'notes/link.md'));
  const linked = sallyport(['index', folder, '--globs', '**/*.md'], '');
  expect([linked.status, linked.stderr]).toEqual([64, expect.stringContaining('notes/link.md is not a file')]);
  rmSync(join(folder, 'notes/link.md'));
  // Links in a circle, out of the folder, to themselves, and outside every glob.
  symlinkSync('..', join(folder, 'notes/round'));
  symlinkSync(tmpdir(), join(folder, 'out'));
  for (const name of ['notes/itself', 'gone']) symlinkSync(basename(name), join(folder, name));
  const told = sallyport(['index', folder, '--globs', '**/*.md', '--json'], '');
  expect(JSON.parse(told.stdout)).toEqual({ ...all, links: ['notes/round', 'out'] });
  expect(told.stderr).toContain('notes/round is a link to a folder, and not followed');
  const deep = (globs: string) => sallyport(['index', folder, '--globs', globs, '--json'], '').stdout;
  expect(JSON.parse(deep('notes/*.md,notes/r*/deep/*.md'))).toMatchObject({ links: ['notes/round'] });
  expect(JSON.parse(deep('notes/*.md'))).toMatchObject({ links: [] });
  writeFileSync(join(folder, 'notes\\b.md'), '# Another name\n');
  expect(sallyport(['index', folder, '--globs', '**/*.md'], '').status).toBe(2);
  rmSync(join(folder, 'notes\\b.md'));
  writeFileSync(join(folder, 'notes/c.md'), Buffer.from([0xff]));
  expect(sallyport(['index', folder, '--globs', '**/*.md'], '').status).toBe(2);
  expect(sallyport(['index', join(folder, 'nowhere')], '').status).toBe(64);
  rmSync(folder, { recursive: true });
});

test('every command of the documentation ends with 0', ({}, info) => {
  // The documentation names a folder with the runs that a class has handed in.
  const handedIn = info.outputPath('handed-in');
  mkdirSync(handedIn, { recursive: true });
  writeFileSync(join(handedIn, 'run.jsonl'), made.jsonl);
  const blocks = readdirSync('web/docs')
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => [...readFileSync(`web/docs/${file}`, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)])
    .flatMap(([, code = '']) => code.trim().split('\n'));
  expect(blocks.length).toBeGreaterThan(8);
  for (const line of blocks) {
    const [name, ...args] = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect(name, line).toBe('sallyport');
    const words = args.map((word) => (word === 'handed-in/' ? handedIn : word));
    expect(sallyport(words, '').status, line).toBe(0);
  }
});
