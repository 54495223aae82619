import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Plugin } from 'vite';
import { headersFor, roleOf } from '../../workers/lock/headers.ts';

/** Sends the lock's headers from the development and the preview server. */
export function lock(): Plugin {
  return {
    name: 'sallyport:lock',
    configureServer: (server) => void server.middlewares.use(sender(true)),
    configurePreviewServer: (server) => void server.middlewares.use(sender(false)),
  };
}

function sender(development: boolean) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const destination = request.headers['sec-fetch-dest'];
    const role = roleOf({ path: request.url ?? '/', destination: String(destination), development });
    for (const [name, value] of Object.entries(headersFor(role))) response.setHeader(name, value);
    next();
  };
}

/** Fails a build whose worker is more than a single file: under the lock a second file could not be loaded. */
export function singleFile(): Plugin {
  return {
    name: 'sallyport:single-file',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk') continue;
        // An inlined module is still listed, as an import of the chunk itself.
        const others = [...chunk.imports, ...chunk.dynamicImports].filter((file) => file !== chunk.fileName);
        if (others.length > 0) this.error(`${chunk.fileName} imports ${others.join(', ')}: a worker is one file.`);
      }
    },
  };
}
