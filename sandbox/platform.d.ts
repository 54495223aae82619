// What the sandbox uses of its host beyond ECMAScript: the WASM engine and a clock that only runs forward.
declare namespace WebAssembly {
  interface MemoryDescriptor {
    readonly initial: number;
    readonly maximum?: number;
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor);
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array | ArrayBuffer);
  }
  type Exports = { readonly [name: string]: unknown };
  type Imports = { readonly [module: string]: { readonly [name: string]: unknown } };
  class Instance {
    constructor(module: Module, imports?: Imports);
    readonly exports: Exports;
  }
  class Global {
    value: number;
  }
  class RuntimeError extends Error {}
  function compile(bytes: Uint8Array | ArrayBuffer): Promise<Module>;
  function instantiate(module: Module, imports?: Imports): Promise<Instance>;
}
/** Milliseconds since some start; for deadlines only, never seen by a guest. */
declare const performance: { now(): number };
