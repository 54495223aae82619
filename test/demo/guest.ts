import type { CapabilityManifest, JsonValue } from '../../core/index.ts';

type Guest = (args: JsonValue) => Promise<JsonValue>;

/** Loads exactly the text that the sandbox gets, as the module it is. */
export async function load({ source }: Pick<CapabilityManifest, 'source'>): Promise<Guest> {
  const url = `data:text/javascript;charset=utf-8,${encodeURIComponent(source)}`;
  const module = (await import(/* @vite-ignore */ url)) as { readonly default: Guest };
  return module.default;
}
