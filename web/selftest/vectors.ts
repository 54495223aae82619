import type { JsonObject, JsonValue } from '../../core/index.ts';
import { encodeText } from '../../core/index.ts';

/** Bytes in the form of JSON: text in UTF-8, hex, either of them repeated, or several in a row. */
export type Part =
  | { readonly text: string }
  | { readonly hex: string }
  | { readonly repeat: Part; readonly times: number }
  | readonly Part[];

export interface Vector {
  readonly file: string;
  readonly name: string;
  readonly clause: string;
  readonly input: JsonObject;
  readonly expect: JsonObject;
}

const FOLDER = '../../test/vectors/';

/** Read as text and parsed here: as JavaScript literals, a member `__proto__` would become a prototype. */
const texts = import.meta.glob<string>('../../test/vectors/*.json', { query: '?raw', import: 'default', eager: true });

function read(file: string): JsonValue {
  return JSON.parse(texts[`${FOLDER}${file}.json`] ?? 'null') as JsonValue;
}

/** Vectors of the named file, or of all files. */
export function vectors(only?: string): readonly Vector[] {
  const files = Object.keys(texts).map((path) => path.slice(FOLDER.length, -'.json'.length));
  const wanted = only === undefined ? files.filter((file) => file !== 'registries') : [only];
  return wanted.flatMap((file) =>
    (read(file) as unknown as Omit<Vector, 'file'>[]).map((vector) => ({ file, ...vector })),
  );
}

/** Definitions of a registry that vectors name. */
export function definitions(registry: string): readonly JsonObject[] {
  return (read('registries') as { readonly [name: string]: readonly JsonObject[] })[registry] ?? [];
}

export function bytesOf(part: Part): Uint8Array {
  if ('text' in part) return encodeText(part.text);
  if ('hex' in part) return Uint8Array.from(part.hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  if ('repeat' in part) return repeated(bytesOf(part.repeat), part.times);
  return joined(part.map(bytesOf));
}

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const all = new Uint8Array(bytes.length * times);
  for (let at = 0; at < times; at++) all.set(bytes, at * bytes.length);
  return all;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
