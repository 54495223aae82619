import type { HtmlTagDescriptor, Plugin } from 'vite';

/**
 * Names the engine and the first workers in the page's head, so that they load beside the page's code. Without these
 * links a page asks for the engine when all its code has run, and for the workers after that.
 */
export function preload(): Plugin {
  return {
    name: 'sallyport:preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const files = Object.keys(bundle);
        const engine = files.filter((file) => file.endsWith('.wasm')).map(engineLink);
        const workers = files.filter((file) => /\/worker-(kernel|sandbox)-[^/]+\.js$/.test(file)).map(workerLink);
        return [...engine, ...workers];
      },
    },
  };
}

function engineLink(file: string): HtmlTagDescriptor {
  return head({ rel: 'preload', as: 'fetch', type: 'application/wasm', crossorigin: '', href: `./${file}` });
}

/** A worker's script is a module; no browser lets a page preload it as a worker. */
function workerLink(file: string): HtmlTagDescriptor {
  return head({ rel: 'modulepreload', crossorigin: '', href: `./${file}` });
}

function head(attrs: { readonly [name: string]: string }): HtmlTagDescriptor {
  return { tag: 'link', attrs, injectTo: 'head' };
}
