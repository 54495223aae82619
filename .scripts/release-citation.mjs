// `npm run release -- citation [-- --check]`: writes CITATION.cff from package.json, or says that the two differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { authorOf, repositoryOf } from './publish-address.mjs';
import { ROOT } from './steps.mjs';

const FILE = join(ROOT, 'CITATION.cff');

/** The citation of a version, in the Citation File Format 1.2.0.
 * @param {import('./publish-address.mjs').Manifest & {version: string, license: string, description: string}} manifest
 * @param {string} [date] day of the release, as YYYY-MM-DD
 * @returns {string} */
export function citationOf(manifest, date) {
  const repository = repositoryOf(manifest);
  const members = [
    ['cff-version', '1.2.0'],
    ['message', 'If you use this software, please cite it as below.'],
    ['type', 'software'],
    ['title', 'Sallyport'],
    ['abstract', manifest.description],
    ['version', manifest.version],
    ['license', manifest.license],
    ...(date === undefined ? [] : [['date-released', date]]),
    ...(repository === undefined ? [] : [['repository-code', repository]]),
  ];
  const lines = members.map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `${[...lines, 'authors:', `  - name: ${JSON.stringify(authorOf(manifest) ?? '')}`].join('\n')}\n`;
}

/** @param {string} text
 * @returns {string | undefined} */
function dateOf(text) {
  return /^date-released: "(.+)"$/m.exec(text)?.[1];
}

function main() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const there = readFileSync(FILE, 'utf8');
  const wanted = citationOf(manifest, dateOf(there));
  if (repositoryOf(manifest) === undefined)
    console.log('CITATION.cff names no repository, because `repository` in package.json has no address.');
  if (there === wanted) console.log('CITATION.cff agrees with package.json.');
  else if (process.argv.includes('--check')) {
    console.error('CITATION.cff differs from package.json. Run: npm run release -- citation');
    process.exitCode = 1;
  } else {
    writeFileSync(FILE, wanted);
    console.log('CITATION.cff was written from package.json.');
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
