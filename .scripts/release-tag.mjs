// `npm run release -- tag vX.Y.Z`: refuses a tag that does not name the version in package.json and in the changelog.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionPart } from './release-text.mjs';
import { ROOT } from './steps.mjs';

const tag = process.argv[2] ?? process.env.GITHUB_REF_NAME ?? '';
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const part = versionPart(readFileSync(join(ROOT, 'web/docs/changelog.md'), 'utf8'), version);
const faults = [
  ...(tag === `v${version}` ? [] : [`The tag is ${tag === '' ? 'missing' : tag}; package.json has ${version}.`]),
  ...(part ? [] : [`web/docs/changelog.md has no part for ${version}.`]),
];
for (const fault of faults) console.error(fault);
if (faults.length === 0) console.log(`${tag}\n\n${part}`);
process.exitCode = faults.length === 0 ? 0 : 1;
