import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { WarmRealms } from '../../sandbox/index.ts';
import { bundled } from '../bundled.ts';
import { temporaryFolder } from '../folder.ts';
import { call, load } from './guest.ts';
import type { idleKiB } from './idle-memory.ts';

const IDLE_KIB_MAX = 250;
const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

/** Resident memory after the garbage of finished work is gone. */
const RESIDENT = `async () => {
  for (let i = 0; i < 4; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return process.memoryUsage.rss() / 1024;
}`;

async function measured(): ReturnType<typeof idleKiB> {
  const folder = temporaryFolder();
  const file = join(folder, 'idle-memory.mjs');
  await writeFile(file, await bundled('test/sandbox/idle-memory.ts'));
  const script = `
    import { readFile } from 'node:fs/promises';
    import { idleKiB } from ${JSON.stringify(pathToFileURL(file).href)};
    const wasm = new Uint8Array(await readFile(${JSON.stringify(WASM)}));
    console.log(JSON.stringify(await idleKiB(wasm, ${RESIDENT})));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '-e', script]);
  return JSON.parse(stdout) as Awaited<ReturnType<typeof idleKiB>>;
}

it(`an idle trivial capability takes at most ${IDLE_KIB_MAX} KiB beyond the first`, async () => {
  const { each, answered } = await measured();
  // Each capability is still loaded and answers.
  expect(answered).toBe(240);
  expect(each).toBeLessThan(IDLE_KIB_MAX);
  expect(each).toBeGreaterThan(50);
});

it('WarmRealms rests all instances except the last used', async () => {
  const warm = new WarmRealms(2);
  const [a, b, c] = [
    await load('export default () => 1'),
    await load('export default () => 2'),
    await load('export default () => 3'),
  ];
  for (const capability of [a, b, c, a]) {
    call(capability);
    warm.use(capability.realm);
  }
  expect([a, b, c].map(({ realm }) => realm.rest())).toEqual([true, false, true]);
});
