import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** The pinned engine's bytes, from the installed package. In the command's bundle this file is the bytes themselves. */
export function readWasm(): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
}
