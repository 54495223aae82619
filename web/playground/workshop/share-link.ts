import {
  type CapabilityDefinition,
  canonicalText,
  decode,
  define,
  isObject,
  type JsonObject,
  type JsonValue,
  lint,
} from '../../../core/index.ts';
import { type PackedBounds, packText, unpackBytes } from '../parts/packed-text.ts';

/** The content of a share link: a capability, and proposals to try it with. A link carries no keys, grants or runs. */
export interface SharePayload {
  readonly capability: CapabilityDefinition;
  readonly script: readonly string[];
}

/** A link that was opened and parsed. None of its code has been loaded or run. */
export interface OpenedLink {
  readonly shared: SharePayload;
  readonly hash: string;
  /** Characters of the link, and bytes of its unpacked content. */
  readonly packed: number;
  readonly bytes: number;
}

export type LinkResult =
  | { readonly ok: true; readonly opened: OpenedLink }
  | { readonly ok: false; readonly reason: string };

/** A link that browsers and chats still carry. A few kilobytes can unfold to gigabytes: reading stops at the bound. */
const BOUNDS: PackedBounds = { charactersMax: 64 << 10, bytesMax: 1 << 20 };
const SCRIPT_MAX = 200;

/** Packs canonical JSON for the fragment of a link. */
export function packShared({ capability, script }: SharePayload): Promise<string> {
  return packText(canonicalText({ capability: capability as unknown as JsonValue, script }));
}

/**
 * Reads a stranger's packed text, under limits, strictly, and without running code. A fault is returned as a sentence
 * for a person.
 */
export async function openShared(packed: string): Promise<LinkResult> {
  const unpacked = await unpackBytes(packed, BOUNDS);
  if (!unpacked.ok) return no(unpacked.reason);
  const { bytes } = unpacked;
  const value = decode(bytes);
  if (!value.ok) return no(`what is inside is refused. ${value.refusal.message}`);
  return judge(value.value, packed.length, bytes.length);
}

function judge(value: JsonValue, packed: number, bytes: number): LinkResult {
  const wrong = misshapen(value);
  if (wrong !== undefined) return no(wrong);
  const { capability, script } = value as unknown as SharePayload;
  const defined = define(capability);
  if (!defined.ok) return no(`its capability is refused. ${defined.refusal.message}`);
  for (const schema of [capability.args, capability.result]) {
    const linted = schema === undefined ? undefined : lint(schema);
    if (linted?.ok === false) return no(`one of its schemas is refused. ${linted.refusal.message}`);
  }
  return { ok: true, opened: { shared: { capability, script }, hash: defined.value.hash, packed, bytes } };
}

function misshapen(value: JsonValue): string | undefined {
  if (!isObject(value)) return 'what is inside is no object';
  const { capability, script, ...rest } = value as JsonObject & { capability?: JsonValue; script?: JsonValue };
  const [stray] = Object.keys(rest);
  if (stray !== undefined) return `it carries something unknown: ${JSON.stringify(stray.slice(0, 40))}`;
  if (!isObject(capability)) return 'it carries no capability';
  const texts = Array.isArray(script) && script.every((text: JsonValue) => typeof text === 'string');
  if (!texts) return 'its script is not a list of texts';
  return script.length > SCRIPT_MAX
    ? `its script has ${script.length} proposals, the limit is ${SCRIPT_MAX}`
    : undefined;
}

function no(reason: string): LinkResult {
  return { ok: false, reason: `This link cannot be opened: ${reason}. Nothing was loaded, and nothing was run.` };
}
