import { suiteFiles } from '../../setup/suites.ts';

export interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** Groups of a draft in JSON-Schema-Test-Suite; undefined when the suite is not installed, or not with this draft. */
export function suiteGroups(draft = 'draft2020-12'): readonly Group[] | undefined {
  return suiteFiles(`json-schema-test-suite/tests/${draft}`)?.flatMap(({ name, bytes }) => {
    const groups = JSON.parse(new TextDecoder().decode(bytes)) as readonly Omit<Group, 'file'>[];
    return groups.map((group) => ({ ...group, file: name }));
  });
}
