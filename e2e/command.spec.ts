import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from '@playwright/test';

const CLI = resolve('dist/cli.js');

/** A run made by the built package in a process of its own. */
const jsonl = execFileSync(
  process.execPath,
  [
    '--input-type=module',
    '--eval',
    `import { fromScript, openRuntime } from ${JSON.stringify(resolve('dist/node.js'))};
    const rt = await openRuntime({
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
    process.stdout.write(await rt.ledger.export(run.id));
    await rt.close();`,
  ],
  { encoding: 'utf8', timeout: 30_000 },
);

function sallyport(args: readonly string[], input = jsonl, env: NodeJS.ProcessEnv = {}): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8', input, env, timeout: 30_000 });
}

test('verify says of an intact run that no check failed, in the words of the page, and ends with 0', () => {
  const { status, stdout } = sallyport(['verify']);
  expect(stdout).toContain('✓ Form: the file is well-formed');
  expect(stdout).toContain('No check failed over 15 records.');
  expect(stdout).not.toContain('\u001b');
  expect(status).toBe(0);
});

test('verify ends with 1 for a record that was altered, and with 2 for what is no export', () => {
  const altered = sallyport(['verify', '--json'], jsonl.replace('"accepted":true', '"accepted":false'));
  expect(JSON.parse(altered.stdout)).toMatchObject({ ok: false });
  expect(altered.status).toBe(1);
  for (const text of ['', '{}', 'x'.repeat(99), '\n\n']) expect(sallyport(['verify'], text).status).toBe(2);
});

test('an anchor tells a run from a shorter one, and from any other', () => {
  const { head, records } = JSON.parse(sallyport(['verify', '--json']).stdout) as { head: string; records: number };
  for (const anchor of [`${records}:${head}`, head]) {
    expect(sallyport(['verify', '--anchor', anchor]).status).toBe(0);
    expect(sallyport(['verify', '--anchor', anchor.replace(/.$/, 'x')]).status).toBe(64);
  }
  expect(sallyport(['verify', '--anchor', `${records + 1}:${head}`]).status).toBe(1);
});

test('show lists the records, and shows one with its payloads; nothing in them reaches the terminal as it is', () => {
  const { stdout, status } = sallyport(['show']);
  expect([stdout.split('\n').length - 1, status]).toEqual([15, 0]);
  const first = sallyport(['show', '--record', '1']).stdout;
  expect(first).toContain('"kind": "task"');
  expect(first).toContain('Add.');
  const hostile = sallyport(
    ['show', '--record', '1'],
    jsonl.replace('"text":"Add."', '"text":"\\u001b]0;owned\\u0007"'),
  );
  expect(hostile.stdout).toContain('\\u001b]0;owned');
  expect(hostile.stdout).not.toContain('\u001b');
});

test('what is asked wrongly is told in one line, and ends with 64', () => {
  for (const args of [['verifi'], ['verify', '--anchr', 'x'], ['verify', 'no such file'], ['show', '--record', 'zz']]) {
    const { status, stderr, stdout } = sallyport(args);
    expect([status, stdout, stderr.trim().split('\n').length], args.join(' ')).toEqual([64, '', 1]);
  }
});

test('every command has help with examples', () => {
  const overview = sallyport(['--help']).stdout;
  const names = [...overview.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
  expect(names).toEqual(expect.arrayContaining(['verify', 'show']));
  for (const name of names) {
    const { stdout, status } = sallyport([name, '--help']);
    expect([status, stdout.includes('Examples:'), stdout.includes('--json')], name).toEqual([0, true, true]);
  }
});
