import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { installPackage } from '../install.ts';
import { installNode } from './install-node.ts';

/** The lowest version that the manifest permits, the lines with long support behind it, and the newest version. */
const VERSIONS = ['20.19.0', '22', '24', 'latest'];

/** Imports every entry that runs, and makes one call through all gates. */
const PROGRAM = `
  import { readFileSync } from 'node:fs';
  const { exports } = JSON.parse(readFileSync('node_modules/sallyport/package.json', 'utf8'));
  const names = Object.entries(exports).filter(([, target]) => target.default !== undefined).map(([name]) => 'sallyport' + name.slice(1));
  const entries = await Promise.all(names.map((name) => import(name)));
  const { fromScript, openRuntime } = await import('sallyport/node');
  const rt = await openRuntime({
    capabilities: [{
      name: 'math.add', version: '1.0.0', description: 'Adds.', effect: 'pure',
      args: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'], additionalProperties: false },
      source: 'export default async ({ a, b }) => a + b;',
    }],
    grants: [{ capability: 'math.add', mode: 'allow' }],
  });
  const call = { next_step: { tool: 'math.add', arguments: { a: 2, b: 40 }, goal: 'add' } };
  const run = rt.start({ dialect: 'xct', task: 'Add.', model: fromScript([call, { done: true, message: 'Added.' }]) });
  const { state, message, steps } = await run.result;
  const { ok } = await rt.ledger.verify(run.id);
  await rt.close();
  const empty = names.filter((_, index) => Object.keys(entries[index]).length === 0);
  console.log(JSON.stringify({ version: process.versions.node, entries: names.length, empty, state, message, steps, ok }));
`;

let consumer: string;
let nodes: string;
test.beforeAll(() => {
  consumer = installPackage();
  writeFileSync(join(consumer, 'main.js'), PROGRAM);
  nodes = mkdtempSync(join(tmpdir(), 'sallyport-nodes-'));
});
test.afterAll(() => {
  for (const folder of [consumer, nodes]) rmSync(folder, { recursive: true, force: true });
});

test('the lowest version tested is the lowest that the manifest permits', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  expect(`>=${VERSIONS[0]?.replace(/\.0$/, '')}`).toBe(engines.node);
});

for (const version of VERSIONS) {
  test(`in Node ${version} every entry of the package is imported, and a call passes every gate`, () => {
    const installed = installNode(version, nodes);
    test.skip('reason' in installed, 'reason' in installed ? installed.reason : '');
    if (!('binary' in installed)) return;
    const end = JSON.parse(
      execFileSync(installed.binary, ['main.js'], { cwd: consumer, encoding: 'utf8', timeout: 120_000 }),
    ) as { readonly version: string };
    expect(end).toMatchObject({ entries: 18, empty: [], state: 'completed', message: 'Added.', steps: 2, ok: true });
    if (version !== 'latest') expect(`${end.version}.`).toContain(`${version}.`);
    rmSync(join(nodes, version), { recursive: true, force: true });
  });
}
