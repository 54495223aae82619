// The parts of a release that npm leaves to the package. `npm version minor|patch|X.Y.Z` runs the stages `preversion` and
// `version` of this file, `npm publish` the stage `prepublishOnly`, and the workflow of a tag the stage `tag`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A field of package.json as npm permits it: a text, or an object with one of these members.
 * @typedef {string | {url?: string, email?: string, name?: string}} Field */
/** @typedef {{author?: Field, repository?: Field, bugs?: Field}} Manifest */

/** The https address of the repository, without `git+` and `.git`; undefined when the manifest has none.
 * @param {Manifest} manifest
 * @returns {string | undefined} */
export function repositoryOf({ repository }) {
  const text = typeof repository === 'string' ? repository : repository?.url;
  return /^(?:git\+)?(https:\/\/[^/\s]+\/\S+?)(?:\.git)?\/?$/.exec(text ?? '')?.[1];
}

/** Fields that publishing needs and the manifest lacks, each with the sentence that tells how to fill it.
 * @param {Manifest} manifest
 * @returns {string[]} */
export function missingFields(manifest) {
  const textOf = (/** @type {Field | undefined} */ field) =>
    typeof field === 'string' ? field : (field?.url ?? field?.email ?? field?.name);
  return [
    ...(textOf(manifest.author) ? [] : ['`author` is empty. Write the name of the author there.']),
    ...(repositoryOf(manifest)
      ? []
      : [
          '`repository` has no https address. Write {"type": "git", "url": "git+https://HOST/OWNER/NAME.git"} there: provenance, edit links and the citation read it.',
        ]),
    ...(textOf(manifest.bugs)
      ? []
      : [
          '`bugs` has no address. Write {"url": "https://…"} or {"email": "…"} there: it is the contact that the package shows.',
        ]),
  ];
}

const [CHANGELOG, CITATION, VERSIONS] = ['web/docs/changelog.md', 'CITATION.cff', 'web/docs/versions.json'];

/** Each stage returns the reasons to refuse the release.
 * @type {Readonly<Record<string, () => string[]>>} */
const STAGES = {
  /** Before npm changes a file. */
  preversion() {
    const { npm_old_version: old = '', npm_new_version: next = '' } = process.env;
    return [
      ...(isEarlier(next, old) ? [`${next} is earlier than ${old}.`] : []),
      ...(isTagged(next) ? [`The tag v${next} is there already.`] : []),
      ...(partOf('Unreleased') ? [] : [`The unreleased part of ${CHANGELOG} is empty.`]),
    ];
  },
  /** Behind npm's change of package.json and of its lockfile, before npm commits and tags: the other texts that name a
   * version. Readers find the documentation of a replaced version at its tag. */
  version() {
    const { npm_old_version: old = '', npm_new_version: next = '' } = process.env;
    const date = new Date().toISOString().slice(0, 10);
    rewrite(CHANGELOG, (text) => text.replace('## Unreleased\n', () => `## Unreleased\n\n## ${next}, ${date}\n`));
    rewrite(CITATION, (text) =>
      text
        .replace(/^date-released: .*\n/m, '')
        .replace(/^version: .*$/m, `version: ${JSON.stringify(next)}\ndate-released: "${date}"`),
    );
    if (old !== next && isTagged(old)) rewrite(VERSIONS, (text) => `${JSON.stringify([old, ...JSON.parse(text)])}\n`);
    git('add', CHANGELOG, CITATION, VERSIONS);
    return [];
  },
  prepublishOnly() {
    return missingFields(manifestOf()).map((sentence) => `In package.json, ${sentence}`);
  },
  /** npm runs no stage for a tarball: the workflow asks before it packs one. */
  tag() {
    const tag = process.argv[3] ?? process.env.GITHUB_REF_NAME ?? '';
    const { version } = manifestOf();
    return [
      ...(tag === `v${version}` ? [] : [`The tag is ${tag || 'missing'}; package.json has ${version}.`]),
      ...(partOf(version) ? [] : [`${CHANGELOG} has no part for ${version}.`]),
      ...(STAGES['prepublishOnly']?.() ?? []),
    ];
  },
};

/** @returns {Manifest & {version: string}} */
function manifestOf() {
  return JSON.parse(readFileSync('package.json', 'utf8'));
}

/** The text beneath a heading of the changelog, which may have a date; empty without the heading.
 * @param {string} heading */
function partOf(heading) {
  const parts = readFileSync(CHANGELOG, 'utf8').split(/^## /m);
  const [, ...lines] = parts.find((part) => /^[^,\n]*/.exec(part)?.[0] === heading)?.split('\n') ?? [];
  return lines.join('\n').trim();
}

/** @param {string} version
 * @param {string} other */
function isEarlier(version, other) {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}

/** @param {string} version */
function isTagged(version) {
  return git('tag', '--list', `v${version}`) !== '';
}

/** @param {string} file
 * @param {(text: string) => string} change */
function rewrite(file, change) {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const faults = STAGES[process.argv[2] ?? '']?.() ?? [`Stages are ${Object.keys(STAGES).join(', ')}.`];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
