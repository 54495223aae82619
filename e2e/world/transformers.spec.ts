import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { binOf } from '../../.scripts/steps.mjs';

/** The version over whose rules the tests of the adapter run, and the package whose tokenizer its types name. */
const PACKAGES = ['@huggingface/transformers@4.3.1', '@huggingface/tokenizers@0.2.0'] as const;

let home: string;
let reason: string | undefined;
test.beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-transformers-'));
  for (const each of PACKAGES) reason ??= fetchPackage(each);
});
test.afterAll(() => rmSync(home, { recursive: true, force: true }));

/**
 * Unpacks a package as the registry has it. Its dependencies, engines of some 300 MB, stay away: no type of the adapter
 * is theirs. Returns the reason where the package cannot be fetched.
 */
function fetchPackage(named: string): string | undefined {
  const place = join(home, 'node_modules', named.replace(/@[\d.]+$/, ''));
  mkdirSync(place, { recursive: true });
  const { status, stderr } = spawnSync('npm', ['pack', '--loglevel=error', '--pack-destination', place, named], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) return `${named} cannot be fetched: ${/^npm error .+/m.exec(stderr)?.[0]}`;
  const tarball = readdirSync(place).find((file) => file.endsWith('.tgz')) ?? '';
  const unpacked = spawnSync('tar', ['-xzf', tarball, '--strip-components=1'], { cwd: place, encoding: 'utf8' });
  expect(unpacked.status, unpacked.stderr).toBe(0);
  return undefined;
}

/** A program that gives the package to the adapter, and calls it as the adapter does. */
function programOf(adapter: string, streamerOption: string): string {
  return `
    import { InterruptableStoppingCriteria, pipeline, TextStreamer } from '@huggingface/transformers';
    import { fromTransformers } from ${JSON.stringify(adapter)};

    const generator = await pipeline('text-generation', 'onnx-community/Qwen3-0.6B-ONNX', { device: 'webgpu' });
    export const model = fromTransformers(generator, { model: 'Qwen3-0.6B', TextStreamer, InterruptableStoppingCriteria });

    const stopping_criteria = new InterruptableStoppingCriteria();
    stopping_criteria.interrupt();
    const streamer = new TextStreamer(generator.tokenizer, {
      ${streamerOption}: true,
      skip_special_tokens: true,
      callback_function: (text: string) => void text,
      token_callback_function: ({ length }: bigint[]) => void length,
    });
    const chat = [{ role: 'user', content: 'Add 1 and 2.' }];
    const answer = await generator(chat, { max_new_tokens: 64, do_sample: false, streamer, stopping_criteria });
    export const said: unknown = answer[0]?.generated_text.at(-1)?.content;
  `;
}

/** Faults that the compiler finds in a program, under the options of this repository. */
function faultsIn(program: string): string {
  writeFileSync(join(home, 'program.ts'), program);
  const compilerOptions = { lib: ['es2023', 'es2024.string', 'webworker'], isolatedDeclarations: false };
  const config = { extends: resolve('tsconfig.json'), compilerOptions, files: ['program.ts'] };
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = spawnSync(process.execPath, [binOf('typescript#tsc'), '-p', home], { encoding: 'utf8' });
  return stdout;
}

test('the adapter for transformers.js calls the package by its own types', () => {
  test.skip(reason !== undefined, reason);
  const adapter = resolve('workers/bridges/models/device/transformers.ts');
  expect(faultsIn(programOf(adapter, 'skip_prompt'))).toBe('');
  // The types are there: a wrong name is found.
  expect(faultsIn(programOf(adapter, 'skip_promt'))).toContain("'skip_promt' does not exist");
});
