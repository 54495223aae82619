import type { HtmlTagDescriptor, Plugin } from 'vite';

/** Name of the chunk with the views of the first screen. */
export const VIEWS = 'views';

/**
 * Names the first workers and the code of the views in the page's head, so that they load beside the code that starts the
 * kernel. Without these links a page asks for them in turn. The engine is not among them: it is as large as all of them,
 * and only a call needs it, so it comes behind them.
 */
export function preload(): Plugin {
  return {
    name: 'sallyport:preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const files = Object.keys(bundle);
        const workers = files.filter((file) => /\/worker-(kernel|sandbox)-[^/]+\.js$/.test(file)).map(moduleLink);
        const views = files.filter((file) => file.includes(`/${VIEWS}-`)).map(moduleLink);
        return [...views, ...workers];
      },
    },
  };
}

/** A worker's script is a module, too; no browser lets a page preload it as a worker. */
function moduleLink(file: string): HtmlTagDescriptor {
  return head({ rel: 'modulepreload', crossorigin: '', href: `./${file}` });
}

function head(attrs: { readonly [name: string]: string }): HtmlTagDescriptor {
  return { tag: 'link', attrs, injectTo: 'head' };
}
