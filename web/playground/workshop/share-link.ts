import {
  type CapabilityDefinition,
  canonicalText,
  decode,
  define,
  encodeText,
  isObject,
  type JsonObject,
  type JsonValue,
  lint,
} from '../../../core/index.ts';

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

const FORMAT = 1;
/** A link that browsers and chats still carry. */
const PACKED_MAX = 64 << 10;
/** A few kilobytes can unfold to gigabytes: reading stops here. */
const BYTES_MAX = 1 << 20;
const SCRIPT_MAX = 200;

/** Packs for the fragment of a link: `1.` and base64url of deflated canonical JSON. */
export async function packShared({ capability, script }: SharePayload): Promise<string> {
  const json = canonicalText({ capability: capability as unknown as JsonValue, script });
  const packed = await collect(encodeText(json), new CompressionStream('deflate-raw'), Infinity);
  return `${FORMAT}.${toBase64Url(packed ?? new Uint8Array())}`;
}

/**
 * Reads a stranger's packed text, under limits, strictly, and without running code. A fault is returned as a sentence
 * for a person.
 */
export async function openShared(packed: string): Promise<LinkResult> {
  if (packed.length > PACKED_MAX)
    return no(`it has ${packed.length.toLocaleString()} characters, the limit is ${PACKED_MAX.toLocaleString()}`);
  const parts = /^(\d{1,4})\.([A-Za-z0-9_-]+)$/.exec(packed);
  if (parts === null) return no('it was cut off or changed on its way');
  if (Number(parts[1]) !== FORMAT) return no(`it was made for format ${parts[1]}, and this page knows ${FORMAT}`);
  const bytes = await inflate(parts[2] ?? '');
  if (typeof bytes === 'string') return no(bytes);
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

async function inflate(text: string): Promise<Uint8Array | string> {
  const packed = fromBase64Url(text);
  if (packed === undefined) return 'it was cut off or changed on its way';
  try {
    const bytes = await collect(packed, new DecompressionStream('deflate-raw'), BYTES_MAX);
    return bytes ?? `it unfolds to more than ${BYTES_MAX.toLocaleString()} bytes`;
  } catch {
    return 'it was cut off or changed on its way';
  }
}

/** Runs bytes through a stream, and gives up (undefined) as soon as there are too many. */
async function collect(
  bytes: Uint8Array<ArrayBuffer>,
  through: GenericTransformStream,
  max: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const stream = new Blob([bytes]).stream().pipeThrough<Uint8Array<ArrayBuffer>>(through);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += value.length;
    if (size > max) return void reader.cancel().catch(() => undefined);
    chunks.push(value);
  }
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/u, '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
