// The sandbox benchmark in Node: `node test/bench/sandbox.mjs`. In Chromium: `npm run bench`.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runnerImport } from 'vite';

const wasm = await readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
const { module } = await runnerImport(join(import.meta.dirname, 'sandbox-cases.ts'), { configFile: false });
for (const race of await module.races(new Uint8Array(wasm))) console.log(module.tableOf(module.measure(race)));
