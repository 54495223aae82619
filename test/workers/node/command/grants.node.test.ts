import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfiguration } from '../../../../workers/bridges/mcp/gateway/config.ts';
import { type Command, runCommand, type Terminal } from '../../../../workers/node/command/command.ts';
import { grantsPropose, grantsTry } from '../../../../workers/node/command/grants.ts';
import { grantsList } from '../../../../workers/node/command/grants-list.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';
import { defineTool } from '../../../../workers/node.ts';
import { lockDirectory } from '../../../../workers/store/directory/lock.ts';
import { openRuntime } from '../../../runtime/shared.ts';

const PATH = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
} as const;
const tool = (name: string, effect: 'read' | 'write') =>
  defineTool({ version: '1.0.0', description: 'A test.', name, effect, labels: [], args: PATH, run: () => 'done' });
const tools = [tool('files.read', 'read'), tool('files.write', 'write'), tool('files.list', 'read')];

const folder = mkdtempSync(join(tmpdir(), 'grants-'));
const ledger = join(folder, 'ledger');
const at = (name: string) => join(folder, name);
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(async () => {
  const runtime = await openRuntime({
    store: { directory: ledger },
    tools,
    grants: tools.map(({ name }) => ({ capability: name, mode: 'allow' as const })),
  });
  const session = runtime.openSession();
  for (let nth = 0; nth < 9; nth++) await session.call('files.read', { path: `/home/u/docs/${nth}.md` });
  await session.call('files.write', { path: '/home/u/out.md' });
  await session.close();
  writeFileSync(at('run.jsonl'), await runtime.ledger.export(session.run.id));
  await runtime.close();
});

async function run(command: Command, ...words: readonly string[]) {
  const said = { out: '', err: '', json: undefined as unknown };
  const terminal: Terminal = {
    ...processTerminal(),
    color: false,
    print: (text) => void (said.out += `${text}\n`),
    complain: (text) => void (said.err += `${text}\n`),
    printJson: (value) => void (said.json = value),
  };
  const code = await runCommand(command, words, terminal);
  return { ...said, code };
}

describe('sallyport grants', () => {
  test('propose tells each rule in a sentence, and prints a configuration that is valid', async () => {
    const { code, out } = await run(grantsPropose, '--ledger', ledger);
    expect(code).toBe(0);
    expect(out).toContain('Calls: 10, runs: 1.\n');
    expect(out).toContain(
      '• files.read runs without a question, path is inside of /home/u/docs; at most 9 times in a run. Seen in 9 calls of one run, on ',
    );
    expect(out).toContain(
      '• files.write asks a person, path is "/home/u/out.md"; once in a run. It leaves something behind.',
    );
    expect(out).toContain('Not used, leave out: ');
    expect(out).not.toContain('Nobody vouches');
    const { grants } = JSON.parse(out.slice(out.indexOf('\n{'))) as { readonly grants: readonly unknown[] };
    const read = readConfiguration(Buffer.from(JSON.stringify({ grants })), {});
    expect(read).toMatchObject({
      ok: true,
      value: {
        grants: [
          { tool: 'files.read', uses: 9 },
          { tool: 'files.write', mode: 'ask' },
        ],
      },
    });
  });

  test('propose keeps what a configuration says, and its denials', async () => {
    const before = {
      mcpServers: { files: { command: 'server' } },
      grants: [
        { tool: 'files.read', mode: 'allow' },
        { tool: 'files.read', mode: 'deny', where: { properties: { path: { const: '/etc/passwd' } } } },
        { tool: 'mail.send', mode: 'ask' },
      ],
    };
    writeFileSync(at('servers.json'), JSON.stringify(before));
    await run(grantsPropose, '--ledger', ledger, '--config', at('servers.json'), '--out', at('narrow.json'));
    const { mcpServers, grants } = JSON.parse(readFileSync(at('narrow.json'), 'utf8'));
    expect(mcpServers).toEqual(before.mcpServers);
    expect(grants.map(({ tool: of, mode }: { tool: string; mode: string }) => [of, mode])).toEqual([
      ['files.read', 'deny'],
      ['mail.send', 'ask'],
      ['files.read', 'allow'],
      ['files.write', 'ask'],
    ]);
    await expect(run(grantsPropose, '--ledger', ledger, '--out', at('narrow.json'))).rejects.toThrow('narrow.json');
  });

  test('try says what the proposal changes, and ends with 5 where a call that ran would be refused', async () => {
    const same = await run(grantsTry, at('narrow.json'), '--ledger', ledger, '--json');
    expect([same.code, same.json]).toMatchObject([
      0,
      { counts: { same: 9, asked: 1, refused: 0 }, changed: [{ name: 'files.write', as: 'asked' }] },
    ]);
    writeFileSync(at('tight.json'), JSON.stringify({ grants: [{ tool: 'files.read', mode: 'allow', uses: 3 }] }));
    const tight = await run(grantsTry, at('tight.json'), '--ledger', ledger);
    expect(tight.code).toBe(5);
    expect(tight.out).toContain('      7  would be refused\n');
    expect(tight.out).toContain('files.write: would be refused (no_grant)');
  });

  test('try leaves out a tool that the configuration does not offer, and a grant for another definition than the pinned one', async () => {
    const grants = ['read', 'write'].map((name) => ({
      tool: `files.${name}`,
      mode: 'allow',
      definition: 'a'.repeat(64),
    }));
    const files = { command: 'server', env: { KEY: '${NO_SUCH_VARIABLE}' } };
    writeFileSync(
      at('off.json'),
      JSON.stringify({ mcpServers: { files: { ...files, tools: { write: { enabled: false } } } }, grants }),
    );
    const off = await run(grantsTry, at('off.json'), '--ledger', ledger, '--json');
    expect([off.code, off.json]).toMatchObject([
      5,
      { counts: { same: 9, refused: 1 }, changed: [{ name: 'files.write', code: 'capability_disabled' }], others: [] },
    ]);
    const pins = { 'files x': { 'files.read': { definition: 'b'.repeat(64), declaration: {} } } };
    writeFileSync(join(ledger, 'pins.json'), JSON.stringify({ servers: pins }));
    writeFileSync(at('void.json'), JSON.stringify({ mcpServers: { files }, grants }));
    const none = await run(grantsTry, at('void.json'), '--ledger', ledger);
    rmSync(join(ledger, 'pins.json'));
    expect(none.out).toContain('files.read: a grant is for another definition than the pinned one, so it is void.');
    expect(none.out).toContain('      9  would be refused');
  });

  test('propose asks for no key of the environment, and files of strangers are told as such', async () => {
    const servers = { mcpServers: { files: { command: 'server', env: { KEY: '${NO_SUCH_VARIABLE}' } } } };
    writeFileSync(at('keys.json'), JSON.stringify(servers));
    const { code, json } = await run(grantsPropose, '--ledger', ledger, '--config', at('keys.json'), '--json');
    expect([code, json]).toMatchObject([0, { configuration: servers }]);
    for (const words of [
      [grantsPropose, at('run.jsonl')],
      [grantsTry, at('keys.json'), at('run.jsonl')],
    ] as const) {
      const [command, ...rest] = words;
      expect((await run(command, ...rest)).out).toContain('Nobody vouches for these files');
    }
  });

  test('list tells what the newest run permits and why, its uses, and how it is taken back', async () => {
    writeFileSync(
      at('rules.json'),
      JSON.stringify({
        grants: [
          { tool: 'files.read', mode: 'allow', definition: 'a'.repeat(64) },
          { tool: 'files.list', mode: 'allow' },
        ],
      }),
    );
    const { out, code } = await run(grantsList, '--ledger', ledger, '--config', at('rules.json'));
    expect(code).toBe(0);
    expect(out).toMatch(
      /• files.read runs because a person said Always: used 9 times in one run, last on \d{4}-.*\. Take back: remove it from/,
    );
    expect(out).toMatch(/• files.list runs by the configuration: never used\./);
    expect(out).toMatch(/• files.write runs by the program or the command line: used once, last on/);
    expect(out).toContain('Uses are counted since ');
    const { json } = await run(grantsList, '--ledger', ledger, '--json');
    expect(json).toMatchObject({ rows: [{ by: 'program' }, { uses: 9 }, { uses: 1 }], sources: [] });
  });

  test('list tells also what an undo, and what other principals may', async () => {
    const place = join(folder, 'people');
    const shelf = defineTool({
      name: 'shelf.add',
      version: '1.0.0',
      description: 'For a test.',
      effect: 'write',
      labels: [],
      args: {},
      run: () => 1,
      revert: () => undefined,
    });
    const runtime = await openRuntime({ store: { directory: place }, tools: [...tools, shelf] });
    await runtime.grants.grant({ capability: 'shelf.add', mode: 'allow' });
    await runtime.grants.grant({ capability: 'files.read', mode: 'allow', for: ['ada'] });
    await runtime.grants.grant({ revert: 'shelf.add', mode: 'allow' });
    const [ada, bob] = ['ada', 'bob'].map((principal) => runtime.openSession({ principal }));
    for (const session of [ada, bob]) {
      await session?.call('shelf.add', {});
      await session?.close();
    }
    await runtime.undo({ run: bob?.run.id ?? '' });
    await runtime.close();
    const { out } = await run(grantsList, '--ledger', place);
    for (const name of ['shelf.add', 'files.read', 'revert.shelf.add']) expect(out).toContain(`• ${name} runs by`);
    expect(out.match(/•/g)).toHaveLength(3);
  });

  test('a ledger that another process is writing is told to be locked, and none of it is read', async () => {
    const held = lockDirectory(ledger);
    const path = join(ledger, 'lock');
    const { began: _, ...members } = JSON.parse(readFileSync(path, 'utf8')) as { readonly began?: unknown };
    if (held.ok) held.value.release();
    // the parent process is certainly alive
    writeFileSync(path, JSON.stringify({ ...members, pid: process.ppid }));
    for (const command of [grantsList, grantsPropose])
      await expect(run(command, '--ledger', ledger)).rejects.toThrow(`${process.ppid}`);
    rmSync(path);
    expect((await run(grantsList, '--ledger', ledger)).code).toBe(0);
  });

  test('keys in addresses are not quoted, and no character of a value reaches the terminal unseen', async () => {
    const place = join(folder, 'other');
    const runtime = await openRuntime({
      store: { directory: place },
      tools,
      grants: [{ capability: 'files.read', mode: 'allow' }],
    });
    const session = runtime.openSession();
    await session.call('files.read', { path: 'https://a.example/x?token=abcdefghijklmnop1234567890' });
    await session.call('files.list', { path: 'x' });
    await session.close();
    await runtime.close();
    const { out } = await run(grantsPropose, '--ledger', place);
    expect(out).toContain('path is an address at https://a.example');
    expect(out).not.toContain('abcdefghij');
    const hidden = JSON.stringify({ mcpServers: { a: { command: 'x\u009b31m\u202e' } } });
    writeFileSync(at('hidden.json'), hidden);
    const shown = await run(grantsPropose, '--ledger', place, '--config', at('hidden.json'));
    expect(shown.out).not.toMatch(/[\u0080-\u009f\u202e]/u);
    expect(JSON.parse(shown.out.slice(shown.out.indexOf('\n{'))).mcpServers).toEqual(JSON.parse(hidden).mcpServers);
  });

  test('a file of someone else is told as such, and an altered one is not used', async () => {
    const { out } = await run(grantsPropose, at('run.jsonl'));
    expect(out).toContain('Nobody vouches for these files');
    writeFileSync(at('altered.jsonl'), readFileSync(at('run.jsonl'), 'utf8').replace('"write"', '"read"'));
    expect(await run(grantsPropose, at('altered.jsonl'))).toMatchObject({ code: 1, out: '' });
  });

  test('a place without a ledger, and an unknown configuration, are named', async () => {
    await expect(run(grantsPropose, '--ledger', at('nothing'))).rejects.toThrow('holds no ledger');
    await expect(run(grantsTry, at('nothing.json'), '--ledger', ledger)).rejects.toThrow('nothing.json');
    await expect(run(grantsTry)).rejects.toThrow('No configuration was named');
  });
});
