import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The pinned engine's bytes. The build of the package reads `quickjs.wasm` beside its entries instead. */
export function readWasm(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
}
