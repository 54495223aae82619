import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { installPackage } from '../install.ts';
import { installNode } from './install-node.ts';

/** The protocol's own tests. They need a newer Node than the package does. */
const CONFORMANCE = '@modelcontextprotocol/conformance@0.1.16';

/** Scenarios for a client that apply: each of their checks passes. */
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
  'auth/offline-access-not-supported',
];

/** Reasons why a scenario does not apply. */
const OTHERS: { readonly [scenario: string]: string } = {
  'elicitation-sep1034-client-defaults': 'a question of a server is refused, and told to the program',
  'sse-retry': 'it measures times, which a busy machine makes longer; it passes on an idle one',
  'auth/2025-03-26-oauth-metadata-backcompat': 'the server names another issuer than its own, which is refused',
  'auth/client-credentials-jwt': 'a sign-in needs a person; a program without one gives its token by a function',
  'auth/client-credentials-basic': 'a sign-in needs a person; a program without one gives its token by a function',
  'auth/cross-app-access-complete-flow': 'a sign-in at one authorization server gives no token of another',
};

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

test('each scenario for a client is passed, or has a reason', () => {
  if (!('binary' in newer)) return;
  const program = join(consumer, 'tools/node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const { stdout } = spawnSync(newer.binary, [program, 'list'], { cwd: consumer, encoding: 'utf8' });
  const [, listed = ''] = stdout.split('Client scenarios');
  const names = [...listed.matchAll(/^ +- (\S+)/gm)].map(([, name = '']) => name);
  console.log(
    names
      .map((name) => `${OTHERS[name] === undefined ? 'passes' : 'refused'}  ${name}  ${OTHERS[name] ?? ''}`.trimEnd())
      .join('\n'),
  );
  expect(names.toSorted()).toEqual([...SCENARIOS, ...Object.keys(OTHERS)].toSorted());
});

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
