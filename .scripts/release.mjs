// `npm run release -- minor|patch|X.Y.Z [--dry-run] [--commit]`: version, lockfile, citation, changelog and older versions at once.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextVersion, releasedTexts, unreleasedPart } from './release-text.mjs';
import { ROOT } from './steps.mjs';

const USAGE = `Usage: npm run release -- minor|patch|X.Y.Z [--dry-run] [--commit]

Sets the version in package.json, package-lock.json and CITATION.cff, and moves the
unreleased part of web/docs/changelog.md beneath the new version with today's date.
Adds the version that it replaces to web/docs/versions.json if that version has a tag:
the pages of the documentation then name it.

  --dry-run   says what would change, and changes no file
  --commit    commits the five files and tags the commit vX.Y.Z; without it nothing is committed

Refuses while the working tree has changes, while the unreleased part is empty, and
for a version that is not later than the present one.`;

/** @type {Record<keyof ReturnType<typeof releasedTexts>, string>} */
const FILES = {
  manifest: 'package.json',
  lock: 'package-lock.json',
  changelog: 'web/docs/changelog.md',
  citation: 'CITATION.cff',
  versions: 'web/docs/versions.json',
};

const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith('-'));
const options = words.filter((word) => word.startsWith('-'));
const [dryRun, commit] = ['--dry-run', '--commit'].map((option) => options.includes(option));

if (options.includes('--help')) console.log(USAGE);
else if (wanted.length !== 1 || options.some((option) => !['--dry-run', '--commit'].includes(option))) {
  console.error(USAGE);
  process.exitCode = 64;
} else release(wanted[0] ?? '');

/** @param {string} word */
function release(word) {
  const { manifest, lock, changelog, versions } = FILES;
  const texts = { manifest: read(manifest), lock: read(lock), changelog: read(changelog), versions: read(versions) };
  const { version: current } = JSON.parse(texts.manifest);
  const version = nextVersion(current, word) ?? refuse(`${word} is no version later than ${current}.`);
  const part = unreleasedPart(texts.changelog) ?? refuse(`The unreleased part of ${FILES.changelog} is empty.`);
  if (git('status', '--porcelain') !== '') refuse('The working tree has changes. Commit or remove them first.');
  if (git('tag', '--list', `v${version}`) !== '') refuse(`The tag v${version} is there already.`);
  const isTagged = git('tag', '--list', `v${current}`) !== '';
  const released = releasedTexts(texts, { version, date: new Date().toISOString().slice(0, 10), isTagged });
  console.log(`${current} -> ${version}\n\n${part}\n`);
  if (dryRun) console.log(`Dry run: ${Object.values(FILES).join(', ')} would change.`);
  else write(released, version);
}

/** @param {ReturnType<typeof releasedTexts>} released
 * @param {string} version */
function write(released, version) {
  for (const [key, file] of Object.entries(FILES)) writeFileSync(join(ROOT, file), Reflect.get(released, key));
  if (!commit) {
    console.log(`${Object.values(FILES).join(', ')} were written. Nothing is committed.`);
    return;
  }
  git('commit', '--quiet', '--message', `release: set the version ${version}`, '--', ...Object.values(FILES));
  git('tag', '--annotate', `v${version}`, '--message', `Sallyport ${version}`);
  console.log(`Committed, and tagged v${version}. To publish: git push --follow-tags`);
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** The output of git; a failed command ends the release with its message.
 * @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) refuse(`git ${args[0]} failed: ${(stderr ?? '').trim()}`);
  return stdout.trim();
}

/** @param {string} reason
 * @returns {never} */
function refuse(reason) {
  console.error(`Release refused: ${reason}`);
  process.exit(1);
}
