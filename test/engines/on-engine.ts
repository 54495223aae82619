import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import type { Pins } from '../../sandbox/pins.ts';

/**
 * The product on another engine: the three modules that name the engine name another one. So a suite of the product
 * runs through the same driver, and an upgrade is tried before any file is changed.
 */
export function onEngine(pins: Pins): Plugin {
  const wasm = wasmPath(pins);
  const read = `import { readFile } from 'node:fs/promises';\nconst read = () => readFile(${JSON.stringify(wasm)});`;
  const modules: { readonly [path: string]: string } = {
    'core/capability/engine.ts': `export const ENGINE = ${JSON.stringify(pins.engine)};`,
    'sandbox/pins.ts': `export const PINS = ${JSON.stringify(pins)};`,
    'workers/node/wasm.ts': `${read}\nexport { read as readWasm };`,
    'test/sandbox/wasm.ts': `${read}\nexport const wasmBytes = async () => new Uint8Array(await read());`,
  };
  return {
    name: 'sallyport:second-engine',
    enforce: 'pre',
    load(id) {
      const path = Object.keys(modules).find((each) => id.split('?')[0]?.endsWith(`/${each}`));
      return path === undefined ? null : modules[path];
    },
  };
}

/** The WebAssembly of an engine's package. */
function wasmPath({ engine }: Pins): string {
  return createRequire(import.meta.url).resolve(`${engine.name.split(' ')[0]}/wasm`);
}

export function wasmOf(pins: Pins): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(wasmPath(pins)));
}
