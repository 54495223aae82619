// Ways to call a guest that adds two numbers, each on its own ground: a fresh context, compartment or machine.

/**
 * @typedef {import('./steps.mjs').Load} Load
 * @typedef {(name: string) => Uint8Array<ArrayBuffer>} Read reads a file of a package
 * @typedef {() => unknown} Call makes one call, and returns or resolves to the JSON text of its result
 * @typedef {{name: string, package: string, open: (load: Load, read: Read) => Promise<Call>,
 *   isLast?: true}} Sandbox
 */

/** The text of the call, and of its result. */
const SOURCE = 'JSON.stringify((({ a, b }) => ({ sum: a + b }))({ a: 20, b: 22 }))';
export const RESULT = '{"sum":42}';

/** @type {Sandbox} */
const quickJsEmscripten = {
  name: 'quickjs-emscripten, a fresh context',
  package: 'quickjs-emscripten',
  async open(load) {
    const module = await (await load('quickjs-emscripten')).getQuickJS();
    return () => {
      const context = module.newContext();
      const handle = context.unwrapResult(context.evalCode(SOURCE));
      const text = context.getString(handle);
      handle.dispose();
      context.dispose();
      return text;
    };
  },
};

/** @type {Sandbox} */
const quickJsWasi = {
  name: 'quickjs-wasi, a fresh machine',
  package: 'quickjs-wasi',
  async open(load, read) {
    const { QuickJS } = await load('quickjs-wasi');
    const wasm = await WebAssembly.compile(read('quickjs-wasi/quickjs.wasm'));
    return async () => {
      const machine = await QuickJS.create({ wasm });
      const handle = machine.evalCode(SOURCE);
      const text = handle.toString();
      handle.dispose();
      machine.dispose();
      return text;
    };
  },
};

/** @type {Sandbox} */
const isolatedVm = {
  name: 'isolated-vm, a fresh context of an isolate',
  package: 'isolated-vm',
  async open(load) {
    const { default: ivm } = await load('isolated-vm');
    const isolate = new ivm.Isolate({ memoryLimit: 32 });
    const script = isolate.compileScriptSync(SOURCE);
    return () => {
      const context = isolate.createContextSync();
      const text = script.runSync(context);
      context.release();
      return text;
    };
  },
};

/** Its lockdown changes the globals of the process, so that it comes last. @type {Sandbox} */
const ses = {
  name: 'SES, a fresh Compartment of the same heap',
  package: 'ses',
  isLast: true,
  async open(load) {
    await load('ses');
    const { lockdown, Compartment } = /** @type {any} */ (globalThis);
    lockdown({ errorTaming: 'unsafe', consoleTaming: 'unsafe', overrideTaming: 'severe' });
    return () => new Compartment().evaluate(SOURCE);
  },
};

export const SANDBOX_PEERS = [quickJsEmscripten, quickJsWasi, isolatedVm, ses];
