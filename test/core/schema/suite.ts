import { suiteFiles } from '../../setup/suites.ts';

export interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Groups of JSON-Schema-Test-Suite, draft 2020-12; undefined when the suite is not installed. */
export function suiteGroups(): readonly Group[] | undefined {
  return suiteFiles('json-schema-test-suite/tests/draft2020-12')?.flatMap(({ name, bytes }) => {
    const groups = JSON.parse(new TextDecoder().decode(bytes)) as readonly Omit<Group, 'file'>[];
    return groups.map((group) => ({ ...group, file: name }));
  });
}
