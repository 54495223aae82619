import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import { sha256Hex } from '../../core/hash.ts';
import { PINS } from '../../sandbox/pins.ts';
import { prepareWasm } from '../../sandbox/wasm/prepare.ts';

const ENGINE = '@jitl/quickjs-wasmfile-release-sync/wasm';

/**
 * Emits the engine as the sandbox runs it. `prepareWasm` takes a tenth of a second, which each start of a site or of a
 * program would spend again.
 */
export function engine(): Plugin {
  return {
    name: 'sallyport:engine',
    apply: 'build',
    enforce: 'pre',
    resolveId: (source) => (source === `${ENGINE}?url` ? `\0${ENGINE}` : null),
    load(id) {
      if (id !== `\0${ENGINE}`) return null;
      const asset = this.emitFile({ type: 'asset', name: 'quickjs.wasm', source: preparedEngine() });
      return `export default import.meta.ROLLUP_FILE_URL_${asset};`;
    },
  };
}

function preparedEngine(): Uint8Array {
  const wasm = new Uint8Array(readFileSync(createRequire(import.meta.url).resolve(ENGINE)));
  if (sha256Hex(wasm) !== PINS.engine.hash) throw new Error('The installed engine is not pinned.');
  return prepareWasm(wasm, PINS.pagesMin);
}
