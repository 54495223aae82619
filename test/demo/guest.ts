import { expect, test } from 'vitest';
import type { CapabilityManifest, JsonObject, JsonValue } from '../../core/index.ts';
import { withFiles } from '../../sandbox/capabilities/index.ts';
import { CORPUS } from '../../web/demo/corpus.ts';

export type Guest = (args: JsonObject) => Promise<JsonValue>;

export const CAPABILITIES: readonly CapabilityManifest[] = withFiles(CORPUS);

export function capability(name: string): CapabilityManifest {
  const found = CAPABILITIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no capability ${name}`);
  return found;
}

/** Loads exactly the text that the sandbox gets, as the module it is. */
export async function load({ source }: Pick<CapabilityManifest, 'source'>): Promise<Guest> {
  const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
  const module = (await import(/* @vite-ignore */ url)) as { readonly default: Guest };
  return module.default;
}

export interface Case {
  readonly title: string;
  readonly args: JsonObject;
  /** What comes back, or what the error says. */
  readonly gives?: JsonValue;
  readonly throws?: RegExp;
}

/** One test per row, against the guest as a module. */
export function cases(name: string, rows: readonly Case[]): void {
  test.each(rows)('$title', async ({ args, gives, throws }) => {
    const guest = await load(capability(name));
    const outcome = await guest(args).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: String(error) }),
    );
    if (throws === undefined) expect(outcome).toEqual({ value: gives });
    else expect('error' in outcome ? outcome.error : 'no error').toMatch(throws);
  });
}
