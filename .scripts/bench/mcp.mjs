// A call of an MCP tool through the gateway, beside the same call without it, and beside a relay of the same SDK: the
// least that any process between a host and a server costs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {{name: string, args: (ledger: string) => readonly string[]}} Way a way to start the server */

const SERVER = join(import.meta.dirname, 'mcp-server.mjs');
const RELAY = join(import.meta.dirname, 'mcp-relay.mjs');
const CALLS = 200;
const [CALL_ROUNDS, START_ROUNDS] = [7, 5];
/** Goals of a call and of a start beside a relay: the server alone has one process less. */
const [CALL_GOAL, START_GOAL] = [{ ratio: 2.5 }, { ratio: 1.3 }];

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function gatewayInNode({ bench: { median, race, rowsOf }, trees }) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-mcp-'));
  const gateway = [join(trees.now.home, 'dist/cli.js'), 'mcp', '--no-page', '--allow', 'read'];
  /** @type {readonly [Way, Way, Way]} */
  const ways = [
    {
      name: 'through the gateway',
      args: (ledger) => [...gateway, '--ledger', join(folder, ledger), '--', 'node', SERVER],
    },
    { name: 'the server alone', args: () => [SERVER] },
    { name: 'a relay of the SDK', args: () => [RELAY, process.execPath, SERVER] },
  ];
  let ledgers = 0;
  /** @param {Way} way */
  const connect = async ({ args }) => {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    const command = {
      command: process.execPath,
      args: [...args(`ledger-${ledgers++}`)],
      stderr: /** @type {const} */ ('ignore'),
    };
    await client.connect(new StdioClientTransport(command));
    return { client, tool: (await client.listTools()).tools.find(({ name }) => name.endsWith('add'))?.name ?? '' };
  };
  const opened = await Promise.all(ways.map(connect));
  const calls = ways.map(({ name }, at) => ({
    name,
    sample: async () => {
      const { client, tool } = /** @type {Awaited<ReturnType<typeof connect>>} */ (opened[at]);
      const times = [];
      for (let n = 0; n < CALLS; n++) {
        const start = performance.now();
        const { isError } = await client.callTool({ name: tool, arguments: { a: n, b: 1 } });
        if (isError) throw new Error('The call was refused.');
        times.push(performance.now() - start);
      }
      return median(times) * 1000;
    },
  }));
  const starts = ways.map((way) => ({
    name: way.name,
    sample: async () => {
      const start = performance.now();
      const { client } = await connect(way);
      const ms = performance.now() - start;
      await client.close();
      return ms * 1000;
    },
  }));
  try {
    return [
      ...rowsOf('MCP call through the gateway', await race(calls, CALL_ROUNDS), undefined, CALL_GOAL),
      ...rowsOf('start of the gateway to the list of tools', await race(starts, START_ROUNDS), undefined, START_GOAL),
    ];
  } finally {
    await Promise.all(opened.map(({ client }) => client.close()));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
