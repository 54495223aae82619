// The five texts that name versions, and how a release changes each: manifest, lockfile, changelog, older versions of
// the documentation, citation.
import { citationOf } from './release-citation.mjs';

/** The version that `wanted` means behind `current`; undefined when it is no later version.
 * @param {string} current
 * @param {string} wanted `minor`, `patch` or a version of three numbers
 * @returns {string | undefined} */
export function nextVersion(current, wanted) {
  const [major = 0, minor = 0, patch = 0] = current.split('.').map(Number);
  if (wanted === 'minor') return `${major}.${minor + 1}.0`;
  if (wanted === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(wanted)) return undefined;
  return isLater(wanted, current) ? wanted : undefined;
}

/** @param {string} version
 * @param {string} other */
function isLater(version, other) {
  const [left, right] = [version, other].map((each) => each.split('.').map(Number));
  const place = left?.findIndex((number, index) => number !== right?.[index]) ?? -1;
  return place >= 0 && (left?.[place] ?? 0) > (right?.[place] ?? 0);
}

const UNRELEASED = '## Unreleased\n';

/** The unreleased part of the changelog, without its heading; undefined when it is missing or has no line.
 * @param {string} changelog
 * @returns {string | undefined} */
export function unreleasedPart(changelog) {
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) return undefined;
  const [part = ''] = changelog.slice(start + UNRELEASED.length).split(/^## /m);
  return part.trim() === '' ? undefined : part.trim();
}

/** The part of the changelog beneath a version; undefined when the version has no heading.
 * @param {string} changelog
 * @param {string} version
 * @returns {string | undefined} */
export function versionPart(changelog, version) {
  const part = changelog.split(/^## /m).find((each) => /^[\d.]+/.exec(each)?.[0] === version);
  return part?.replace(/^.*\n/, '').trim();
}

/** Every text as the release has it, by its key in `texts`.
 * @param {{manifest: string, lock: string, changelog: string, versions: string}} texts
 * @param {{version: string, date: string, isTagged: boolean}} release `date` as YYYY-MM-DD; `isTagged`: the replaced
 *   version has a tag, at which readers find its documentation
 * @returns {{manifest: string, lock: string, changelog: string, versions: string, citation: string}} */
export function releasedTexts(texts, { version, date, isTagged }) {
  const manifest = texts.manifest.replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);
  const lock = JSON.parse(texts.lock);
  const replaced = lock.version;
  lock.version = version;
  lock.packages[''].version = version;
  return {
    manifest,
    lock: `${JSON.stringify(lock, null, 2)}\n`,
    changelog: texts.changelog.replace(UNRELEASED, () => `${UNRELEASED}\n## ${version}, ${date}\n`),
    versions: isTagged ? `${JSON.stringify([replaced, ...JSON.parse(texts.versions)])}\n` : texts.versions,
    citation: citationOf(JSON.parse(manifest), date),
  };
}
