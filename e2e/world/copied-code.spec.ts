import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { binOf } from '../../.scripts/steps.mjs';
import { HOSTILE_SETUP } from '../../test/web/playground/copy-code/hostile.ts';
import type { CopiedProposer, CopiedSetup } from '../../web/playground/copy-code/copied-setup.ts';
import { formatNodeCode } from '../../web/playground/copy-code/formats/node-code.ts';
import { formatPageCode } from '../../web/playground/copy-code/formats/page-code.ts';
import { installPackage } from '../install.ts';

/** A project that has installed the package as `npm pack` makes it. */
let consumer: string;

test.beforeAll(() => {
  consumer = installPackage();
  symlinkSync(resolve('node_modules/@types'), join(consumer, 'node_modules/@types'));
});
test.afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** Runs a copied program with these lines at its terminal; the lines that it prints. */
async function run(setup: CopiedSetup, typed: readonly string[]): Promise<readonly string[]> {
  writeFileSync(join(consumer, 'agent.mjs'), formatNodeCode(setup));
  const child = spawn(process.execPath, ['agent.mjs'], { cwd: consumer, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(typed.map((line) => `${line}\n`).join(''));
  const pieces: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  return pieces.join('').trimEnd().split('\n');
}

const { proposer } = HOSTILE_SETUP;
const script = proposer.kind === 'script' ? proposer.script : [];
const receipts = (lines: readonly string[]) => lines.filter((line) => /^(SUCCESS|FAILURE)/.test(line));

test('a copied program runs in Node as it was set up, with hostile names and texts in it', async () => {
  const told = await run(HOSTILE_SETUP, ['yes']);
  expect(receipts(told).map((line) => line.trimEnd())).toEqual([
    'SUCCESS',
    'FAILURE grant_constraint',
    'FAILURE json_syntax',
    'SUCCESS',
  ]);
  expect(told.join('\n')).toContain('completed');
  expect(told.join('\n')).not.toContain('pwned=1}}');
});

test('a line that is not yes denies, and a person at the terminal proposes', async () => {
  expect(receipts(await run(HOSTILE_SETUP, ['YES please']))[0]).toBe('FAILURE approval_denied');
  const [call = '', , , end = ''] = script;
  const told = await run({ ...HOSTILE_SETUP, proposer: { kind: 'person' } }, [call, 'yes', end]);
  expect(receipts(told).map((line) => line.trimEnd())).toEqual(['SUCCESS', 'SUCCESS']);
});

test('the copied code compiles as TypeScript, for Node and for a page, with each proposer', () => {
  const server = { kind: 'server', baseUrl: 'http://localhost:11434/v1', model: 'm', tools: 'json' } as const;
  const proposers: readonly CopiedProposer[] = [proposer, { kind: 'person' }, server];
  const papers = { 'notes/a.md': '# A\n\n`b`\n' };
  const row = {
    symbol_id: '@A',
    target_type: 'FILE',
    target_ref: 'notes/a.md',
    default_slice_policy: 'head(1)',
  } as const;
  const names = proposers.flatMap((each, i) => {
    const setup = { ...HOSTILE_SETUP, proposer: each, limits: { steps: 9 }, files: papers, symbols: [row] };
    writeFileSync(join(consumer, `node-${i}.ts`), formatNodeCode(setup));
    writeFileSync(join(consumer, `page-${i}.ts`), formatPageCode(setup));
    return [`node-${i}.ts`, `page-${i}.ts`];
  });
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
      types: ['node'],
      skipLibCheck: true,
    },
    files: names,
  };
  writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(options));
  const check = () =>
    spawnSync(process.execPath, [binOf('typescript#tsc'), '-p', consumer], { encoding: 'utf8' }).stdout;
  expect(check()).toBe('');
  // a fault in the code is seen
  writeFileSync(
    join(consumer, 'node-0.ts'),
    readFileSync(join(consumer, 'node-0.ts'), 'utf8').replace("mode: 'ask'", "mode: 'maybe'"),
  );
  expect(check()).toContain('node-0.ts');
});
