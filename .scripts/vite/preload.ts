import { join } from 'node:path';
import type { HtmlTagDescriptor, Plugin } from 'vite';
import { buildScript } from './script.ts';

/** Name of the chunk with the views of the first screen. */
export const VIEWS = 'views';

/** Name of the chunk that starts the workers. */
export const START = 'start';

/**
 * Has the chunk that starts the workers run as soon as it is there, and names the first workers and the code of the views
 * in the page's head, so that they load beside it. Without these links a first visit asks for them in turn. The engine is
 * not among them: it is as large as all of them, and only a call needs it, so it comes behind them.
 */
export function preload(): Plugin {
  return {
    name: 'sallyport:preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const files = Object.keys(bundle);
        const workers = files.filter((file) => /\/worker-(kernel|sandbox)-[^/]+\.js$/.test(file)).map(moduleLink);
        const views = files.filter((file) => file.includes(`/${VIEWS}-`)).map(moduleLink);
        // a build of another page, which has no views, starts no workers early
        if (views.length === 0) return { html, tags: workers };
        return { html: withStart(html), tags: [boot, ...views, ...workers] };
      },
    },
    /** Its name has no hash: it stands beside the files of every build. */
    async generateBundle() {
      const { code } = await buildScript(join(import.meta.dirname, '../../web/playground/boot.ts'));
      this.emitFile({ type: 'asset', fileName: 'boot.js', source: code });
    },
  };
}

const boot: HtmlTagDescriptor = { tag: 'script', attrs: { async: true, src: './boot.js' }, injectTo: 'head' };

/** A module script without `async` runs when the whole page is parsed, after the modules before it. */
function withStart(html: string): string {
  const written = html.replace(new RegExp(`<script (?=[^>]*/${START}-)`), '<script async ');
  if (written === html) throw new Error('The page has no script that starts the workers.');
  return written;
}

/** A worker's script is a module, too; no browser lets a page preload it as a worker. */
function moduleLink(file: string): HtmlTagDescriptor {
  return head({ rel: 'modulepreload', crossorigin: '', href: `./${file}` });
}

function head(attrs: { readonly [name: string]: string }): HtmlTagDescriptor {
  return { tag: 'link', attrs, injectTo: 'head' };
}
