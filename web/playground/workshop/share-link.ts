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
import { workshop as texts, type WorkshopTexts } from '../../texts/en/workshop.ts';
import { packText } from '../parts/pack-text.ts';
import { type PackedBounds, unpackBytes } from '../parts/packed-text.ts';

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
  /** The reason is a sentence in the language of the interface, at the moment it is read. */
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
  if (!unpacked.ok) return no(() => unpacked.reason);
  const { bytes } = unpacked;
  const value = decode(bytes);
  if (!value.ok) return no(({ content }) => content(value.refusal.message));
  return judge(value.value, packed.length, bytes.length);
}

function judge(value: JsonValue, packed: number, bytes: number): LinkResult {
  const wrong = misshapen(value);
  if (wrong !== undefined) return no(wrong);
  const { capability, script } = value as unknown as SharePayload;
  const defined = define(capability);
  if (!defined.ok) return no(({ capability: refused }) => refused(defined.refusal.message));
  for (const schema of [capability.args, capability.result]) {
    const linted = schema === undefined ? undefined : lint(schema);
    if (linted?.ok === false) return no(({ schema: refused }) => refused(linted.refusal.message));
  }
  return { ok: true, opened: { shared: { capability, script }, hash: defined.value.hash, packed, bytes } };
}

/** Says a part of the sentence that refuses a link. */
type Fault = (refused: WorkshopTexts['refused']) => string;

function misshapen(value: JsonValue): Fault | undefined {
  if (!isObject(value)) return ({ noObject }) => noObject;
  const { capability, script, ...rest } = value as JsonObject & { capability?: JsonValue; script?: JsonValue };
  const [stray] = Object.keys(rest);
  if (stray !== undefined) return ({ unknown }) => unknown(JSON.stringify(stray.slice(0, 40)));
  if (!isObject(capability)) return ({ noCapability }) => noCapability;
  const isTexts = Array.isArray(script) && script.every((text: JsonValue) => typeof text === 'string');
  if (!isTexts) return ({ noScript }) => noScript;
  return script.length > SCRIPT_MAX ? ({ longScript }) => longScript(script.length, SCRIPT_MAX) : undefined;
}

function no(fault: Fault): LinkResult {
  return {
    ok: false,
    get reason() {
      const { refused } = texts();
      return refused.sentence(fault(refused));
    },
  };
}
