/** A field of package.json as npm permits it: a text, or an object with some of these members. */
type Field = string | { readonly url?: string; readonly email?: string; readonly name?: string };

export interface Manifest {
  readonly author?: Field;
  readonly repository?: Field;
  readonly bugs?: Field;
}

/** The https address of the repository, without `git+` and `.git`; undefined when the manifest has none. */
export function repositoryOf(manifest: Manifest): string | undefined;

/** The address to which problems are reported: a page or a mailbox; undefined when the manifest has none. */
export function contactOf(manifest: Manifest): string | undefined;

export function authorOf(manifest: Manifest): string | undefined;

/** The page on which a file of the main branch is edited; undefined while the repository has no address. */
export function editAddress(manifest: Manifest, path: string): string | undefined;

/** Fields that publishing needs and the manifest lacks, each with the sentence that tells how to fill it. */
export function missingFields(manifest: Manifest): string[];
