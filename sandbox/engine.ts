import { sha256Hex } from '../core/hash.ts';
import { misuse } from '../core/sallyport-error.ts';
import type { PageRun } from './image.ts';
import { PINS, type Pins } from './pins.ts';
import { prepareWasm } from './wasm/prepare.ts';

/** QuickJS, compiled once per thread; every realm is an instance of it with a memory of its own. */
export interface Engine {
  readonly wasmHash: string;
  readonly pins: Pins;
  readonly module: WebAssembly.Module;
  /** Static data of the first image; later images share equal pages. */
  shared?: readonly PageRun[];
}

/** Bytes, as built or prepared, are checked against the pins; a compiled module comes from a thread that has checked them. */
export type EngineSource =
  | { readonly wasm: ArrayBuffer | Uint8Array }
  | { readonly module: WebAssembly.Module; readonly wasmHash: string };

/** Rejects with `engine_unknown` when the bytes are not the build that these pins describe. */
export async function createEngine(source: EngineSource, pins: Pins = PINS): Promise<Engine> {
  const { hash: wasmHash } = pins.engine;
  if ('module' in source) {
    if (source.wasmHash !== wasmHash) throw misuse('engine_unknown', { hash: source.wasmHash });
    return { wasmHash, pins, module: source.module };
  }
  const bytes = source.wasm instanceof Uint8Array ? source.wasm : new Uint8Array(source.wasm);
  const hash = sha256Hex(bytes);
  if (hash !== wasmHash && hash !== pins.preparedHash) throw misuse('engine_unknown', { hash });
  const prepared = hash === wasmHash ? prepareWasm(bytes, pins.pagesMin) : bytes;
  return { wasmHash, pins, module: await WebAssembly.compile(prepared as Uint8Array<ArrayBuffer>) };
}
