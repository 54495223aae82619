import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { installPackage } from '../install.ts';
import { installNode } from './install-node.ts';

/** The protocol's own tests. They need a newer Node than the package does. */
const CONFORMANCE = '@modelcontextprotocol/conformance@0.1.16';

/**
 * Scenarios for a client. Others ask for parts that are not there: elicitation, and tokens without a person. In
 * `auth/2025-03-26-oauth-metadata-backcompat` the server names another issuer than its own, which is refused.
 * `sse-retry` measures times.
 */
const SCENARIOS = [
  'initialize',
  'tools_call',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
];

/** Connects, calls each tool once, and closes. The person of the sign-in agrees to everything. */
const CLIENT = `
  import { fromMcp } from 'sallyport/mcp';
  import { openRuntime } from 'sallyport/node';
  const { MCP_CONFORMANCE_SCENARIO: scenario = '', MCP_CONFORMANCE_CONTEXT: given = '{}' } = process.env;
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(given);
  const redirect = async (url) => (await fetch(url, { redirect: 'manual' })).headers.get('location');
  const client = clientId === undefined ? {} : { clientId, clientSecret };
  const clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  const authorization = { redirectUrl: 'http://localhost:3000/callback', clientMetadataUrl, redirect, ...client };
  const source = await fromMcp({ url: process.argv.at(-1), authorization }, { prefix: 'srv', effect: 'read', labels: [] });
  const names = (await source.list()).map(({ name }) => name);
  const runtime = await openRuntime({ tools: [source], grants: names.map((capability) => ({ capability, mode: 'allow' })) });
  const session = runtime.openSession();
  for (const name of names) await session.call(name, scenario === 'tools_call' ? { a: 2, b: 3 } : {});
  await session.close();
  await runtime.close();
`;

let consumer: string;
let newer: ReturnType<typeof installNode>;
let reason: string | undefined;

test.beforeAll(() => {
  consumer = installPackage();
  const tools = join(consumer, 'tools');
  mkdirSync(tools);
  newer = installNode('24', tools);
  writeFileSync(join(tools, 'package.json'), '{ "type": "module" }');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--prefer-offline', CONFORMANCE];
  const { status, stderr } = spawnSync('npm', args, {
    cwd: tools,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) reason = `${CONFORMANCE} cannot be installed: ${/^npm error .+/m.exec(stderr)?.[0]}`;
  if ('reason' in newer) ({ reason } = newer);
  writeFileSync(join(consumer, 'client.mjs'), CLIENT);
});
test.beforeEach(() => test.skip(reason !== undefined, reason));
test.afterAll(() => rmSync(consumer, { recursive: true, force: true }));

for (const scenario of SCENARIOS)
  test(`a client passes ${scenario}`, () => {
    if (!('binary' in newer)) return;
    const command = `${process.execPath} ${join(consumer, 'client.mjs')}`;
    const program = join(consumer, 'tools/node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const { stdout, stderr } = spawnSync(
      newer.binary,
      [program, 'client', '--command', command, '--scenario', scenario, '--output-dir', join(consumer, 'results')],
      { cwd: consumer, encoding: 'utf8', timeout: 120_000 },
    );
    const [, passed, all, failed, warned] =
      /Passed: (\d+)\/(\d+), (\d+) failed, (\d+) warnings/.exec(stdout + stderr) ?? [];
    expect({ passed, failed, warned }, stdout + stderr).toEqual({ passed: all, failed: '0', warned: '0' });
    expect(Number(all)).toBeGreaterThan(0);
  });
