import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import manifest from '../../package.json' with { type: 'json' };
import { buildId } from './build-id.ts';
import { finished } from './finished.ts';

/** Files of the playground's build that the page names in its head. */
const HEAD = [
  { source: '/web/style/icon.svg', asset: /^icon-.+\.svg$/ },
  { source: '/web/style/page.css', asset: /^index-.+\.css$/ },
];

/**
 * Builds `selftest.html` beside the playground, from the exports of the package, like any page. It has a script of its
 * own, because the chunks of the playground start a kernel over the playground's ledger. Workers, engine and style are
 * files of the playground's build.
 */
export async function buildSelftest(root: string): Promise<void> {
  const assets = join(root, 'dist/assets');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    plugins: [buildId(root), finished((name) => `./${fileOf(assets, name)}`)],
    define: { SALLYPORT_VERSION: JSON.stringify(manifest.version) },
    // Built as for a server, so that addresses stay as written, and with the conditions for browsers.
    ssr: { noExternal: true, resolve: { conditions: ['browser', 'module', 'import', 'default'] } },
    build: {
      ssr: true,
      target: 'es2024',
      outDir: assets,
      emptyOutDir: false,
      rolldownOptions: {
        input: { selftest: 'web/selftest/main.ts' },
        output: { entryFileNames: '[name]-[hash].js', chunkFileNames: 'selftest-[name]-[hash].js', minify: true },
      },
    },
  });
  const files = readdirSync(assets);
  const entry = files.find((file) => /^selftest-[\w-]{8}\.js$/.test(file));
  const found = [
    ...HEAD.map(({ source, asset }) => [source, files.find((file) => asset.test(file))] as const),
    ['/web/selftest/main.ts', entry] as const,
  ];
  let page = readFileSync(join(root, 'web/selftest/selftest.html'), 'utf8');
  for (const [source, file] of found) {
    if (file === undefined) throw new Error(`The build has nothing for ${source}.`);
    page = page.replace(source, `./assets/${file}`);
  }
  writeFileSync(join(root, 'dist/selftest.html'), page);
}

/** The file of the playground's build for a finished file: its name has a hash. */
export function fileOf(assets: string, name: string): string {
  const [stem = '', extension = ''] = name.split('.');
  const file = readdirSync(assets).find((each) => each.startsWith(`${stem}-`) && each.endsWith(`.${extension}`));
  if (file === undefined) throw new Error(`The playground's build has nothing for ${name}.`);
  return file;
}
