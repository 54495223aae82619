import { headersFor, type Role, roleOf } from '../../lock/headers.ts';

/** A static host, and the configuration that makes it send the lock's headers. */
export interface Host {
  readonly file: string;
  /** Writes the configuration. `files` are the paths that the host serves, for example `/assets/x.js`. */
  readonly write: (files: readonly string[]) => string;
}

/** Patterns for hosts whose rules match patterns: each file matches exactly a single role. */
const PATTERNS: readonly { readonly role: Role; readonly pattern: string }[] = [
  { role: 'service-worker', pattern: '(^|/)service-worker\\.js$' },
  { role: 'endpoint-worker', pattern: '(^|/)worker-endpoint[^/]*\\.js$' },
  { role: 'gguf-worker', pattern: '(^|/)worker-model-gguf(?:[-.][^/]*)?\\.js$' },
  { role: 'model-worker', pattern: '(^|/)worker-model(?!-gguf[-.])[^/]*\\.js$' },
  { role: 'worker', pattern: '(^|/)worker-(?!endpoint|model)[^/]+\\.js$' },
];

const entries = (role: Role) => Object.entries(headersFor(role));

/** Names every file a single time: two rules for a file would send two policies, and the browser would apply both. */
function byPath(files: readonly string[]): string {
  // A name with a line break would add rules of its own.
  const plain = files.filter((path) => !/[\s\p{Cc}]/u.test(path));
  const named = plain.filter((path) => roleOf({ path }) !== 'page' || path.endsWith('.html'));
  const paths = named.flatMap((path) =>
    path.endsWith('/index.html') ? [path, path.replace(/index\.html$/, '')] : [path],
  );
  const rules = paths.map((path) => {
    const lines = entries(roleOf({ path })).map(([name, value]) => `  ${name}: ${value}`);
    return [path, ...lines].join('\n');
  });
  return `${rules.join('\n')}\n`;
}

function vercel(files: readonly string[]): string {
  const named = files.filter((path) => roleOf({ path }) !== 'page');
  const rule = (source: string, role: Role) => ({
    source,
    headers: entries(role).map(([key, value]) => ({ key, value })),
  });
  const page = rule('/((?!.*(?:worker-[^/]+|service-worker)\\.js$).*)', 'page');
  return `${JSON.stringify({ headers: [page, ...named.map((path) => rule(path, roleOf({ path })))] }, null, 2)}\n`;
}

function nginx(): string {
  const block = (place: string, role: Role) =>
    [
      `location ${place} {`,
      ...entries(role).map(([name, value]) => `  add_header ${name} "${value}" always;`),
      '}',
    ].join('\n');
  const blocks = PATTERNS.map(({ role, pattern }) => block(`~ "${pattern.replace('(^|/)', '/')}"`, role));
  return `# inside server { … }\n${[...blocks, block('/', 'page')].join('\n')}\n`;
}

function apache(): string {
  const set = (role: Role) => entries(role).map(([name, value]) => `  Header always set ${name} "${value}"`);
  const files = PATTERNS.map(({ role, pattern }) =>
    [`<FilesMatch "${pattern.replace('(^|/)', '^')}">`, ...set(role), '</FilesMatch>'].join('\n'),
  );
  // Apache merges sections for files in order: the later section wins.
  const page = ['<FilesMatch ".">', ...set('page'), '</FilesMatch>'].join('\n');
  return `# needs mod_headers\n${[page, ...files.reverse()].join('\n')}\n`;
}

function caddy(): string {
  const wasm = PATTERNS.map(({ role, pattern }) => {
    // Go's expressions have no lookahead; the narrower rules come first, and handle blocks exclude each other.
    const plain = pattern.replace('(^|/)', '/').replace(/\(\?!.*?\)/, '');
    const lines = entries(role).map(([name, value]) => `    header ${name} "${value}"`);
    return [`  @${role} path_regexp ${plain}`, `  handle @${role} {`, ...lines, '    file_server', '  }'].join('\n');
  });
  const page = [
    '  handle {',
    ...entries('page').map(([name, value]) => `    header ${name} "${value}"`),
    '    file_server',
    '  }',
  ];
  return `example.com {\n  root * /srv/site\n${[...wasm, page.join('\n')].join('\n')}\n}\n`;
}

/**
 * Policy of a page of Next.js. Next writes scripts and styles into its pages, so their sources need a nonce, which only
 * the program can make; the rest of the lock's policy for pages holds.
 */
const NEXT_PAGE = ['connect-src', 'worker-src', 'base-uri', 'frame-ancestors'];

function next(): string {
  const rule = (source: string, role: Role) => ({
    source,
    headers: entries(role).map(([key, value]) => ({ key, value: role === 'page' ? partOf(value, NEXT_PAGE) : value })),
  });
  const rules = PATTERNS.map(({ role, pattern }) => {
    return rule(`/(${pattern.replace('(^|/)', '(?:.*/)?').replace(/\$$/, '')})`, role);
  });
  const page = rule('/((?!(?:.*/)?(?:worker-[^/]+|service-worker)\\.js$).*)', 'page');
  const list = JSON.stringify([...rules, page], null, 2);
  return `// next.config.mjs. The rules match the workers by name, in /_next/static/media/ and in a folder of public/.\nconst headers = ${list};\n\nexport default { headers: async () => headers };\n`;
}

/** A policy with these directives alone. A value that is no policy of them stays as it is. */
function partOf(value: string, directives: readonly string[]): string {
  const parts = value.split('; ').filter((part) => directives.includes(part.split(' ')[0] ?? ''));
  return parts.length === 0 ? value : parts.join('; ');
}

/** Configuration for hosts without custom headers: the service worker adds them, from the first visit on. */
const serviceWorker = (): string =>
  'This host sends no headers of your own. Serve service-worker.js beside the page, over https: it adds the headers of workers before the kernel is started. The policy of the page itself is in its <meta> element.\n';

export const HOSTS: { readonly [name: string]: Host } = {
  netlify: { file: '_headers', write: byPath },
  cloudflare: { file: '_headers', write: byPath },
  vercel: { file: 'vercel.json', write: vercel },
  nginx: { file: 'nginx.conf', write: nginx },
  apache: { file: '.htaccess', write: apache },
  caddy: { file: 'Caddyfile', write: caddy },
  next: { file: 'next.config.mjs', write: next },
  'github-pages': { file: 'README', write: serviceWorker },
};
