import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const home = process.env['SALLYPORT_SUITES'];
const folder = home === undefined ? undefined : join(home, 'json-schema-test-suite/tests/draft2020-12');
export const SUITE: string | undefined = folder !== undefined && existsSync(folder) ? folder : undefined;

/** The groups of one folder of the JSON-Schema-Test-Suite. */
export function groups(under: string): readonly Group[] {
  const path = join(SUITE ?? '', under);
  const files = readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name);
  return files.sort().flatMap((file) => {
    const found = JSON.parse(readFileSync(join(path, file), 'utf8')) as Omit<Group, 'file'>[];
    return found.map((group) => ({ ...group, file: join(under, file) }));
  });
}
