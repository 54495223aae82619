import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Runtime } from '../../../../workers/api.ts';
import { placesFor } from '../../../../workers/bridges/mcp/gateway/data-folder.ts';
import { openGateway } from '../../../../workers/bridges/mcp/gateway/gateway.ts';
import { fromMcp } from '../../../../workers/mcp.ts';
import { EXIT, runCommand, type Terminal, UsageError } from '../../../../workers/node/command/command.ts';
import { undo } from '../../../../workers/node/command/undo.ts';
import { openRuntime } from '../../../../workers/node.ts';

const SERVER = fileURLToPath(new URL('../../bridges/mcp/gateway/scripted-server.mjs', import.meta.url));
const text = (name: string) => ({
  type: 'object',
  required: [name],
  properties: { [name]: { type: 'string' } },
  additionalProperties: false,
});
const TOOLS = [
  { name: 'write', description: 'Writes.', inputSchema: text('text') },
  { name: 'remove', description: 'Removes.', inputSchema: text('text') },
];

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'undo-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const ledger = () => at('ledger');
const removed = () =>
  readFileSync(at('calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { name?: string; args?: { text?: string } })
    .flatMap(({ name, args }) => (name === 'remove' ? [args?.text] : []));

/** A run with two calls of a server behind the gateway, whose host has left; its id. */
async function made(): Promise<string> {
  writeFileSync(at('tools'), JSON.stringify(TOOLS));
  const env = { TOOLS: at('tools'), CALLS: at('calls') };
  const reverse = { tool: 'remove', args: { '/text': '/args/text' } };
  const a = {
    command: process.execPath,
    args: [SERVER],
    env,
    effect: 'write',
    labels: [],
    tools: { write: { reverse } },
  };
  const config = { mcpServers: { a }, grants: [{ tool: 'a.write', mode: 'allow' }] };
  writeFileSync(at('servers.json'), JSON.stringify(config));
  let runtime: Runtime | undefined;
  const gateway = await openGateway(
    {
      places: placesFor(ledger(), false, folder),
      config: at('servers.json'),
      policy: { allow: [], deny: [] },
      hasPage: false,
      environment: {},
      signal: new AbortController().signal,
      say: () => undefined,
    },
    {
      openRuntime: (given) => openRuntime({ ...given, store: { directory: ledger() } }),
      connect: fromMcp,
      serve: async (opened) => {
        runtime = opened;
        return { closed: new Promise<void>(() => undefined), close: async () => undefined };
      },
    },
  );
  const session = runtime?.openSession();
  for (const word of ['one', 'two']) await session?.call('a.write', { text: word });
  await session?.close();
  await gateway.close();
  return session?.run.id ?? '';
}

async function tried(words: readonly string[], answers?: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const left = [...(answers ?? [])];
  const terminal: Terminal = {
    color: false,
    print: (line) => void out.push(line),
    printJson: (value) => void out.push(JSON.stringify(value)),
    complain: (line) => void err.push(line),
    read: () => Promise.reject(new Error('The command reads no input')),
    ...(answers && { ask: async () => left.shift() ?? '' }),
  };
  const code = await runCommand(undo, ['--ledger', ledger(), '--config', at('servers.json'), ...words], terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

test('sallyport undo starts the servers, says what it would do, asks about each call, and says what stands', async () => {
  const run = await made();
  const plan = await tried([run.slice(0, 8), '--plan']);
  expect(plan).toMatchObject({
    code: EXIT.ok,
    out: 'step 2  a.write  {"text":"two"}\nstep 1  a.write  {"text":"one"}',
  });
  expect(removed()).toEqual([]);
  const half = await tried([run], ['yes', 'no']);
  expect(half.code).toBe(EXIT.failed);
  expect(half.out).toContain('It takes back what a.write did in step 2');
  expect(half.out).toMatch(/step 2 {2}a\.write {2}taken back\nstep 1 {2}a\.write {2}stands: .*A person said no/);
  expect(removed()).toEqual(['two']);
  expect(await tried([run, '2'], [])).toMatchObject({
    code: EXIT.failed,
    err: expect.stringContaining('taken back before'),
  });
  expect(await tried([run, '--back-to', '0', '--yes', '--json'])).toMatchObject({ code: EXIT.ok });
  expect(removed()).toEqual(['two', 'one']);
});

test.each([
  [[], 'No run was named'],
  [['a', '1', '2'], 'Name one run and one step'],
  [['a', '1', '--back-to', '0'], 'name one'],
  [['a', 'x', '--yes'], 'STEP takes the number of a step'],
  [['a'], 'add --yes'],
])('sallyport undo %j is refused', async (words, why) => {
  await expect(tried(words)).rejects.toThrow(UsageError);
  await expect(tried(words)).rejects.toThrow(why);
});
