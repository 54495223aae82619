import { realpath } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import type { Plugin } from 'vite';
import { isCompressed } from '../../workers/lock/media-types.ts';
import { answerAbsent, makeFileAnswer, readFileOf } from '../../workers/node/command/site.ts';

/**
 * Has the preview server send the built files as `sallyport serve` does: compressed, the engine too, and `404.html` to a
 * person who asks for a missing page. Vite compresses no WASM, and the engine is half of the bytes of a first visit. Comes
 * behind the plugin that sends the headers of the lock. Vite refuses requests for foreign hosts before this, and answers
 * every request that this leaves.
 */
export function compressed(): Plugin {
  return {
    name: 'sallyport:compressed',
    configurePreviewServer({ config, middlewares }) {
      const folder = resolve(config.root, config.build.outDir);
      middlewares.use(sender(folder));
      // behind Vite's own answers
      return () => void middlewares.use(absent(folder));
    },
  };
}

/**
 * True for a file of the build whose name has its hash. A page loads its workers' scripts ahead; without a lasting answer,
 * the browser would ask for each again when the page starts the worker.
 */
function isNamedByHash(url: string): boolean {
  return /^\/assets\/[\w.-]+-[\w-]{8}\.\w+(?:\?|$)/.test(url);
}

/** Vite answers a missing page with no words. */
function absent(folder: string) {
  return passing(async (request, response) => {
    const root = await realpath(folder);
    const found = await readFileOf(root, request.url ?? '/');
    return found === undefined && answerAbsent(root, request, response);
  });
}

function sender(folder: string) {
  const answer = makeFileAnswer(isNamedByHash);
  return passing(async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return false;
    const file = await readFileOf(await realpath(folder), request.url ?? '/');
    if (file === undefined || !isCompressed(file.path)) return false;
    await answer(file, request, response);
    return true;
  });
}

/** A middleware that leaves to Vite what `send` does not answer. */
function passing(send: (request: IncomingMessage, response: ServerResponse) => Promise<boolean>) {
  const sendOrPass = async (request: IncomingMessage, response: ServerResponse, next: () => void): Promise<void> => {
    const isOver = await send(request, response).catch(() => response.destroy());
    if (isOver === false) next();
  };
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void =>
    void sendOrPass(request, response, next);
}
