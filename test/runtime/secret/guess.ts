import { hash as digest } from 'node:crypto';
import { approvalDigest } from '../../../core/capability/approval.ts';
import type { Grant } from '../../../core/capability/grant.ts';
import { sectionId } from '../../../core/content/section.ts';
import { structureHash } from '../../../core/hash.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { type ExportFile, parseExport } from '../../../core/ledger/export.ts';

/** The number that a step keeps secret, and all that it could be. */
export const PIN = 4711;
const PINS = Array.from({ length: 10_000 }, (_, pin) => pin);

/** A text that held the secret, as whoever guesses it would write it with another number. */
type Template = (pin: number) => string;

const PURPOSES = [
  'approval',
  'body',
  'capability',
  'grant',
  'limits',
  'policy',
  'power',
  'record',
  'registry',
  'salt',
  'schema',
  'step',
] as const;

const sha = (text: string): string => digest('sha256', text);

/** UUID v8 of a run, a step and the hash of its proposal, as the code makes it. */
function stepId(run_id: string, step: number, proposal: string): string {
  const hex = sha(`sallyport/step/1\n${run_id}:${step}:${proposal}`);
  const variant = (8 | (Number.parseInt(hex.charAt(16), 16) & 3)).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Every object that stands in a value. */
function objectsIn(value: unknown): readonly JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = isObject(value as JsonValue) ? [value as JsonObject] : [];
  return [...own, ...Object.values(value).flatMap(objectsIn)];
}

const bodiesOf = ({ records }: ExportFile) => records.flatMap((line) => (line === undefined ? [] : [line.record]));

/** Every payload with the secret in it, without the salt that stands before its text, as a template. */
export function templatesOf(whole: string): readonly Template[] {
  const file = parseExport(whole);
  const salts = new Map(objectsIn(bodiesOf(file)).map(({ sha256, salt }) => [sha256, Number(salt ?? 0)]));
  const texts = [...file.payloads].map(([hash, bytes]) => decodeUtf8(bytes.subarray(salts.get(hash) ?? 0)) ?? '');
  const told = texts.filter((text) => text.includes(String(PIN)));
  return told.map((text) => (pin) => text.replaceAll(String(PIN), String(pin)));
}

/**
 * What a stranger who has only this text finds out: each hash in it that he makes himself of one of the templates and a
 * number. He knows the code and all that is public: ids, nonces, capabilities, grants.
 */
export function guesses(text: string, bare: string, templates: readonly Template[]): readonly string[] {
  const seen = new Set(text.match(/[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g));
  const file = parseExport(bare);
  const run_id = file.run_id ?? '';
  const bodies = bodiesOf(file);
  const steps = new Set(bodies.flatMap(({ body }) => ('step' in body ? [body.step as number] : [])));
  const asked = bodies.flatMap(({ kind, body }) => (kind === 'approval' && body.event === 'asked' ? [body] : []));
  const grants = objectsIn(bodies).filter(({ args_hash, mode }) => args_hash !== undefined && mode !== undefined);
  const found: string[] = [];
  for (const pin of PINS) {
    for (const template of templates) {
      const plain = sha(template(pin));
      const made: [string, string][] = [['the bytes', plain]];
      for (const step of steps) made.push([`step_id ${step}`, stepId(run_id, step, plain)]);
      for (const { capability_hash, step_id, nonce } of asked)
        made.push(['digest', approvalDigest({ capability_hash, args_hash: plain, run_id, step_id, nonce })]);
      for (const { id: _, ...grant } of grants) {
        const again = { ...grant, args_hash: plain } as unknown as Grant;
        made.push(['grant', structureHash('grant', canonicalText(again))]);
      }
      if (pin === PIN) made.push(...elaborate(bodies, template(pin), plain));
      for (const [how, hash] of made) if (seen.has(hash)) found.push(`${pin} by ${how}`);
    }
  }
  return [...new Set(found)];
}

/** What is made of one text by every rule that the code has. One that does not find the secret here finds it nowhere. */
function elaborate(bodies: readonly { readonly body: unknown }[], text: string, plain: string): [string, string][] {
  const made: [string, string][] = PURPOSES.flatMap((purpose) => [
    [`${purpose} of the text`, structureHash(purpose, text)],
    [`${purpose} of its hash`, structureHash(purpose, plain)],
    [`${purpose} of its quote`, structureHash(purpose, JSON.stringify(text))],
  ]);
  made.push(['its quote', sha(JSON.stringify(text))], ['a line', sha(`${text}\n`)], ['its hash', sha(plain)]);
  for (const { bytes } of objectsIn(bodies)) {
    const ref = { bytes: bytes ?? 0, sha256: plain };
    made.push(['its name', sha(canonicalText(ref))]);
  }
  for (const { path } of objectsIn(bodies)) {
    if (typeof path !== 'string') continue;
    const ends = [0, 1, 2, 3];
    for (const line_start of ends)
      for (const line_end of ends)
        made.push(['section', sectionId({ file_path: path, line_start, line_end, content_hash: plain })]);
  }
  return made;
}
