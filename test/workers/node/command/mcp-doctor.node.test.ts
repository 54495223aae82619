import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand, type Terminal } from '../../../../workers/node/command/command.ts';
import { mcpDoctor } from '../../../../workers/node/command/mcp-doctor.ts';

const SERVER = fileURLToPath(new URL('../../bridges/mcp/gateway/scripted-server.mjs', import.meta.url));
const READ = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } };
const SEND = { name: 'send', description: 'Sends.', inputSchema: { type: 'object' } };
/** No schema that can be checked. */
const BROKEN = { name: 'broken', description: 'Breaks.', inputSchema: { type: 'object', unevaluatedItems: 7 } };

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'doctor-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => join(folder, name);

function server(name: string, tools: readonly object[]) {
  writeFileSync(at(`${name}.tools`), JSON.stringify(tools));
  return { command: process.execPath, args: [SERVER], env: { TOOLS: at(`${name}.tools`), CALLS: at(`${name}.calls`) } };
}

/** A child that says nothing, and does not end when it is asked to. */
function silent() {
  const program = `require('fs').writeFileSync(${JSON.stringify(at('silent.pid'))}, String(process.pid));
    console.error('still loading'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`;
  return { command: process.execPath, args: ['-e', program] };
}

async function tried(config: object | string, words: readonly string[] = []) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal: Terminal = {
    color: false,
    print: (text) => void out.push(text),
    printJson: (value) => void out.push(JSON.stringify(value)),
    complain: (text) => void err.push(text),
    read: () => Promise.reject(new Error('The command reads no input')),
  };
  writeFileSync(at('servers.json'), typeof config === 'string' ? config : JSON.stringify(config, null, 2));
  const code = await runCommand(mcpDoctor, ['--ledger', folder, ...words, at('servers.json')], terminal);
  return { code, out: out.join('\n'), err: err.join('\n') };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const pidOf = (name: string): number =>
  (JSON.parse(readFileSync(at(`${name}.calls`), 'utf8').split('\n')[0] ?? '') as { started: number }).started;

describe('sallyport mcp doctor', () => {
  test('names tools and what a call comes to, ends the child, and writes no pins', async () => {
    const config = {
      mcpServers: { a: server('a', [READ, SEND]), off: { command: 'nothing', disabled: true } },
      grants: [
        { tool: 'a.read', mode: 'allow' },
        { tool: 'off.x', mode: 'allow' },
      ],
    };
    const { code, out, err } = await tried(config);
    expect(err).toBe('');
    expect(out).toMatch(/✓ a has started \(scripted 1\.0\.0\) with 2 tools/);
    expect(out).toMatch(/a\.read +egress +runs\n/);
    expect(out).toMatch(/a\.send +egress +asks\n/);
    expect(out).toContain('off is disabled, and was not started');
    expect(out).toContain('1 tools may ask a person. A page at http://127.0.0.1');
    expect(out).toContain('declares "elicitation"');
    expect(code).toBe(0);
    expect(isAlive(pidOf('a'))).toBe(false);
    expect(existsSync(at('pins.json'))).toBe(false);
  });

  test('names a refused tool with its reason, and a grant for no tool with the nearest name', async () => {
    const config = {
      mcpServers: { a: { ...server('a', [READ, SEND, BROKEN]), tools: { sent: { effect: 'read' } } } },
      grants: [
        { tool: 'a.reed', mode: 'allow' },
        { tool: 'a.send', mode: 'allow', definition: '0'.repeat(64) },
      ],
    };
    const { code, out } = await tried(config, ['--json']);
    expect(code).toBe(1);
    const trial = JSON.parse(out) as Record<string, unknown>;
    expect(trial).toMatchObject({ ok: false, servers: [{ name: 'a', ok: true, refused: [{ name: 'broken' }] }] });
    expect(trial['faults']).toEqual([
      `${at('servers.json')} /grants/0: no tool has the name a.reed now, so the grant is for none. The nearest name is a.read`,
      `${at('servers.json')} /mcpServers/a/tools: the server has no tool sent now, so its terms are for none. The nearest name is send`,
      `${at('servers.json')} /grants/1: the grant is for another definition of a.send than its server gives now, so it is void`,
    ]);
  });

  test('ends a server that does not start within its time, and blames no grant for it', async () => {
    const config = {
      mcpServers: { slow: silent(), gone: { command: at('nothing') }, a: server('a', [READ]) },
      grants: [{ tool: 'slow.x', mode: 'allow' }],
    };
    const { code, out } = await tried(config, ['--timeout', '4']);
    expect(code).toBe(1);
    expect(out).toContain('✕ slow has not started: It has not started within 4 seconds');
    expect(out).toContain('still loading');
    expect(out).toMatch(/✕ gone has not started: .*cannot be started/);
    expect(out).toContain('✓ a has started');
    expect(out).not.toContain('/grants/0');
    expect(isAlive(Number(readFileSync(at('silent.pid'), 'utf8')))).toBe(false);
  });

  test('a definition that differs from its pin is refused', async () => {
    const config = { mcpServers: { a: server('a', [READ]) } };
    const pin = { definition: '1'.repeat(64), declaration: {} };
    const origin = `mcp:stdio:${process.execPath} ${SERVER}`;
    writeFileSync(at('pins.json'), JSON.stringify({ version: 1, servers: { [`a ${origin}`]: { 'a.read': pin } } }));
    const { code, out } = await tried(config);
    expect(out).toContain('✕ a.read is refused: Its definition differs from the pinned definition');
    expect(code).toBe(1);
  });

  test('a fault of the configuration has its place, as text and as JSON', async () => {
    const broken = { mcpServers: { a: { command: 'x', effect: 'raed' } } };
    const { code, err } = await tried(broken);
    expect([code, err]).toEqual([64, expect.stringMatching(/servers\.json:5:17 \/mcpServers\/a\/effect: Write/)]);
    const { out } = await tried(broken, ['--json']);
    expect(JSON.parse(out)).toMatchObject({ ok: false, faults: [expect.stringContaining(':5:17')] });
    expect((await tried('{}')).err).toContain('names no server');
  });
});
