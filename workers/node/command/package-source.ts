import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/** How a new project installs this very package. */
export interface PackageSource {
  /** Its place or version, as a manifest of npm names it. */
  readonly dependency: string;
  /** A tarball to copy into the project, which `dependency` names. */
  readonly tarball?: string;
  /** `dependency` is a folder. */
  readonly isFolder?: true;
}

/**
 * Finds how npm installed the package at `root`. From a registry: its exact version. From a tarball: that file. From
 * another address: that address. A folder that npm did not install, or whose tarball is gone: the folder.
 */
export async function packageSource(root: string, version: string): Promise<PackageSource> {
  const folder = { dependency: `file:${root.replaceAll('\\', '/')}`, isFolder: true } as const;
  const home = dirname(root);
  if (basename(home) !== 'node_modules') return folder;
  const resolved = await resolvedIn(join(home, '.package-lock.json'));
  if (resolved === undefined || resolved.endsWith(`/sallyport/-/sallyport-${version}.tgz`))
    return { dependency: version };
  if (!resolved.startsWith('file:')) return { dependency: resolved };
  const tarball = resolve(dirname(home), resolved.slice('file:'.length));
  const isThere = await stat(tarball).then(
    (found) => found.isFile(),
    () => false,
  );
  return isThere ? { dependency: `file:${basename(tarball)}`, tarball } : folder;
}

/** The place from which npm installed the package; undefined where npm noted none. */
async function resolvedIn(lock: string): Promise<string | undefined> {
  try {
    const { packages } = JSON.parse(await readFile(lock, 'utf8')) as {
      readonly packages?: { readonly [path: string]: { readonly resolved?: string } };
    };
    return packages?.['node_modules/sallyport']?.resolved;
  } catch {
    return undefined;
  }
}
