import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SuiteFile {
  /** Path inside the suite, with `/`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * The files of one of the public suites that lie outside the repository, in the folder SALLYPORT_SUITES; undefined when
 * the folder does not exist, which a test then says in its title.
 */
export function suiteFiles(folder: string): readonly SuiteFile[] | undefined {
  const home = process.env['SALLYPORT_SUITES'];
  if (home === undefined || !existsSync(join(home, folder))) return undefined;
  const names = readdirSync(join(home, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return names.toSorted().map((path) => ({
    name: path.slice(join(home, folder).length + 1).replaceAll('\\', '/'),
    bytes: readFileSync(path),
  }));
}
