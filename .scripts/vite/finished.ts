import { basename, dirname } from 'node:path';
import type { Plugin } from 'vite';
import { threadId, threadName } from './thread.ts';

/**
 * Workers, threads and the WASM file ship finished beside the entries. They are named by
 * `new URL('./file', import.meta.url)`, which browsers, Node and other bundlers all understand. `place` is the address of
 * a file from the built module.
 */
export function finished(place: (name: string) => string = (name) => `./${name}`): Plugin {
  const files = new Map<string, string>();
  return {
    name: 'sallyport:finished',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (source.endsWith('?thread')) return threadId.call(this, source, importer);
      const name = finishedName(source);
      if (name === undefined) return null;
      files.set(`\0finished:${name}`, name);
      return `\0finished:${name}`;
    },
    load(id) {
      if (id.endsWith('?thread')) {
        const name = threadName(id.replace(/\?thread$/, ''));
        return `export default new URL(${JSON.stringify(`./${name}.js`)}, import.meta.url);`;
      }
      if (ENGINE_OF_NODE.test(id)) return READ_ENGINE;
      const name = files.get(id);
      return name === undefined
        ? null
        : `export default new URL(${JSON.stringify(place(name))}, import.meta.url).href;`;
    },
  };
}

/** In the package, Node reads the engine from beside the entries, as a page does. From source it reads it from `@jitl`. */
const ENGINE_OF_NODE = /[\\/]workers[\\/]node[\\/]wasm\.ts$/;
const READ_ENGINE = `import { readFile } from 'node:fs/promises';
export const readWasm = () => readFile(new URL('./quickjs.wasm', import.meta.url));`;

function finishedName(source: string): string | undefined {
  const worker = /^(?<file>.*\/worker\.ts)\?worker&url$/.exec(source)?.groups?.['file'];
  if (worker !== undefined) return `worker-${basename(dirname(worker))}.js`;
  return /^@jitl\/quickjs-.*\/wasm\?url$/.test(source) ? 'quickjs.wasm' : undefined;
}
