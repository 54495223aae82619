import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url';
import { bench, describe } from 'vitest';
import { races } from './sandbox-cases.ts';

const wasm = new Uint8Array(await (await fetch(wasmUrl)).arrayBuffer());

for (const { workload, contestants } of await races(wasm)) {
  describe(`one ${workload} call`, () => {
    for (const { name, call } of contestants) bench(name, () => void call(), { time: 600 });
  });
}
