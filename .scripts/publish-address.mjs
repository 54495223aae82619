// The address of the project, read from its only place: `author`, `repository` and `bugs` in package.json.

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

/** The address to which problems are reported: a page or a mailbox; undefined when the manifest has none.
 * @param {Manifest} manifest
 * @returns {string | undefined} */
export function contactOf({ bugs }) {
  const text = typeof bugs === 'string' ? bugs : (bugs?.url ?? bugs?.email);
  return text === '' ? undefined : text;
}

/** @param {Manifest} manifest
 * @returns {string | undefined} */
export function authorOf({ author }) {
  const text = typeof author === 'string' ? author : author?.name;
  return text === '' ? undefined : text;
}

/** The page on which a file of the main branch is edited; undefined while the repository has no address.
 * @param {Manifest} manifest
 * @param {string} path from the root of the repository
 * @returns {string | undefined} */
export function editAddress(manifest, path) {
  const repository = repositoryOf(manifest);
  return repository === undefined ? undefined : `${repository}/edit/main/${path}`;
}

/** Fields that publishing needs and the manifest lacks, each with the sentence that tells how to fill it.
 * @param {Manifest} manifest
 * @returns {string[]} */
export function missingFields(manifest) {
  /** @type {Array<[string | undefined, string]>} */
  const fields = [
    [authorOf(manifest), '`author` is empty. Write the name of the author there.'],
    [
      repositoryOf(manifest),
      '`repository` has no https address. Write {"type": "git", "url": "git+https://HOST/OWNER/NAME.git"} there: provenance, edit links and the citation read it.',
    ],
    [
      contactOf(manifest),
      '`bugs` has no address. Write {"url": "https://…"} or {"email": "…"} there: it is the contact that the package shows.',
    ],
  ];
  return fields.flatMap(([value, sentence]) => (value === undefined ? [sentence] : []));
}
