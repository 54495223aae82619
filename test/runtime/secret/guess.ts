import * as crypto from 'node:crypto';
import type { Grant } from '../../../core/capability/policy.ts';
import { sectionId } from '../../../core/content/section.ts';
import { structureHash } from '../../../core/hash.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { decodeUtf8 } from '../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { type ExportFile, parseExport } from '../../../core/ledger/export.ts';
import { approvalDigest } from '../../../core/run/authorize/question.ts';
import { caseCount } from '../../cases.ts';

/** The number that a step keeps secret, and the numbers that a stranger tries. */
export const PIN = 4711;
const PINS = Array.from({ length: caseCount(10_000) }, (_, nth) => (4_000 + nth) % 10_000);

/** A text that held the secret. */
export interface Template {
  readonly text: string;
  /** SHA-256 of the text with each number of `PINS` in place of the secret. */
  readonly hashes: readonly string[];
}

/** Many runs hold the same texts, which are hashed once. */
const TEMPLATES = new Map<string, Template>();

function templateOf(text: string): Template {
  const known = TEMPLATES.get(text);
  if (known !== undefined) return known;
  const parts = text.split(String(PIN));
  const made = { text, hashes: PINS.map((pin) => sha(parts.join(String(pin)))) };
  TEMPLATES.set(text, made);
  return made;
}

/** Lets go of the hashes of all templates. */
export function forgetTemplates(): void {
  TEMPLATES.clear();
}

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

/** Read from its module once: the test runner looks an import up at each use, and there are millions. */
const digest = crypto.hash;
const sha = (text: string): string => digest('sha256', text);

/** UUID v8 of a run, a step and the hash of its proposal, as the code makes it from the hash of the three. */
function stepId(hex: string): string {
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
  return texts.filter((text) => text.includes(String(PIN))).map(templateOf);
}

/**
 * The hashes of this text that a stranger can compute from one of the templates and a number. The stranger knows the
 * code and all public values: ids, nonces, capabilities, grants.
 */
export function guesses(text: string, bare: string, templates: readonly Template[]): readonly string[] {
  const seen = new Set(text.match(/[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g));
  const file = parseExport(bare);
  const run_id = file.run_id ?? '';
  const bodies = bodiesOf(file);
  /** The first digits of each name: a step id is only made of a hash that starts like one. */
  const starts = new Set([...seen].map((one) => one.slice(0, 8)));
  const idOf = (step: number) => (plain: string) => {
    const hex = sha(`sallyport/step/1\n${run_id}:${step}:${plain}`);
    return starts.has(hex.slice(0, 8)) ? stepId(hex) : '';
  };
  const steps = new Set(bodies.flatMap(({ body }) => ('step' in body ? [body.step as number] : [])));
  const asked = bodies.flatMap(({ kind, body }) => (kind === 'approval' && body.event === 'asked' ? [body] : []));
  const grants = objectsIn(bodies).filter(({ args_hash, mode }) => args_hash !== undefined && mode !== undefined);
  const digestsOf = asked.map(({ capability_hash, step_id, nonce }) => {
    const question = (args_hash: string) => ({ capability_hash, args_hash, run_id, step_id, nonce });
    return makerOf('approval', question, (args_hash) => approvalDigest(question(args_hash)));
  });
  const idsOf = grants.map(({ id: _, ...terms }) => {
    const grant = (args_hash: string) => ({ ...terms, args_hash }) as unknown as Grant;
    return makerOf('grant', grant, (args_hash) => structureHash('grant', canonicalText(grant(args_hash))));
  });
  const makers: readonly Maker[] = [
    { how: 'the bytes', made: (plain) => plain },
    ...[...steps].map((step) => ({ how: `step_id ${step}`, made: idOf(step) })),
    ...digestsOf.map((made) => ({ how: 'digest', made })),
    ...idsOf.map((made) => ({ how: 'grant', made })),
  ];
  const found = new Set<string>();
  // Equal texts have payloads of their own, each with its salt. They are guessed once.
  for (const { text: told, hashes } of new Set(templates)) {
    for (const { how, made } of makers)
      for (const [pin, plain] of hashes.entries()) if (seen.has(made(plain))) found.add(`${pin} by ${how}`);
    for (const [how, hash] of elaborate(bodies, told, sha(told))) if (seen.has(hash)) found.add(`${PIN} by ${how}`);
  }
  return [...found];
}

/** The hash that the code computes from the hash of a text, by its name. */
interface Maker {
  readonly how: string;
  readonly made: (plain: string) => string;
}

const MARK = 'f'.repeat(64);

/** The hash of a structure with this hash of arguments in it, as the code makes it, for a stranger who makes many. */
function makerOf(
  purpose: 'approval' | 'grant',
  structure: (args_hash: string) => object,
  byTheCode: (args_hash: string) => string,
): (args_hash: string) => string {
  const [head, tail, ...more] = canonicalText(structure(MARK) as JsonValue).split(MARK);
  const make = (args_hash: string): string => sha(`sallyport/${purpose}/1\n${head}${args_hash}${tail}`);
  if (more.length > 0 || make(sha('')) !== byTheCode(sha(''))) throw new Error('the code makes it otherwise');
  return make;
}

/** The hashes of one text by every rule of the code. No other rule can reveal the secret. */
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
