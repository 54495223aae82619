import { expect, test } from 'vitest';
import type { CallSettled } from '../../../core/capability/call.ts';
import type { CapabilityManifest } from '../../../core/capability/capability.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import { withFiles } from '../../../sandbox/capabilities/index.ts';
import { type CapabilityRealm, loadCapability } from '../../../sandbox/index.ts';
import { CORPUS } from '../../../web/playground/demo/corpus.ts';
import { engine } from '../guest.ts';

export type Guest = (args: JsonObject) => Promise<JsonValue>;

export const CAPABILITIES: readonly CapabilityManifest[] = withFiles(CORPUS);

export function capability(name: string): CapabilityManifest {
  const found = CAPABILITIES.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no capability ${name}`);
  return found;
}

/** Loads exactly the text that the sandbox gets, as a module. */
export async function load({ source }: Pick<CapabilityManifest, 'source'>): Promise<Guest> {
  const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
  const module = (await import(/* @vite-ignore */ url)) as { readonly default: Guest };
  return module.default;
}

/** Runs a call in the real sandbox, within the limits of its manifest. */
export async function sandboxed(name: string, args: JsonObject): Promise<CallSettled> {
  const realm = loaded.get(name) ?? loadCapability(await engine(), capability(name));
  loaded.set(name, realm);
  const step = realm.prepare({ seed: 0, now: 0 }).begin(JSON.stringify(args));
  if (!step.done) throw new Error(`${name} waits for a power`);
  return step.settled;
}

const loaded = new Map<string, CapabilityRealm>();

export interface Case {
  readonly title: string;
  readonly args: JsonObject;
  /** The result of the call. Without it, `throws` matches the error. */
  readonly gives?: JsonValue;
  readonly throws?: RegExp;
}

/** Two tests per row: the guest as a module here, and the same guest in the sandbox. */
export function cases(name: string, rows: readonly Case[]): void {
  test.each(rows)('a built-in capability $title, as a module', async ({ args, gives, throws }) => {
    const guest = await load(capability(name));
    const outcome = await guest(args).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: String(error) }),
    );
    if (throws === undefined) expect(outcome).toEqual({ value: gives });
    else expect('error' in outcome ? outcome.error : 'no error').toMatch(throws);
  });

  test.each(rows)('a built-in capability $title, in the sandbox', async ({ args, gives, throws }) => {
    const settled = await sandboxed(name, args);
    if (settled.ok) expect({ value: JSON.parse(settled.text) as JsonValue }).toEqual({ value: gives });
    else
      expect(`${settled.kind} ${settled.error?.name}: ${settled.error?.message}`.replace(/^threw /, '')).toMatch(
        throws ?? /^no error$/,
      );
  });
}
