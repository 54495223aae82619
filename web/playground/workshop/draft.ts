import {
  CALL_LIMITS,
  type CallLimits,
  type CapabilityDefinition,
  decode,
  define,
  type Effect,
  encodeText,
  isObject,
  type JsonObject,
  lint,
  type Refusal,
} from '../../../core/index.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import { lex } from '../parts/json-lexer.ts';

/** A capability while it is written: texts that need not be valid yet. */
export interface CapabilityDraft {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly effect: Effect;
  readonly powers: readonly string[];
  /** Only the limits that differ from the default. */
  readonly limits: Partial<CallLimits>;
  readonly args: string;
  /** Empty: any JSON. */
  readonly result: string;
  readonly source: string;
}

export type DraftField = keyof CapabilityDraft;

/** A fault of a draft, and its place. */
export interface Problem extends Partial<Position> {
  readonly field: DraftField;
  readonly message: string;
  /** Language of a message of the kernel. Absent for a message in the language of the interface. */
  readonly lang?: 'en';
}

/** The parsed draft: a definition with its hash, or every problem that can be found without running code. */
export type Reading =
  | { readonly ok: true; readonly definition: CapabilityDefinition; readonly hash: string }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export const BLANK: CapabilityDraft = {
  name: 'my.greeting',
  version: '0.1.0',
  description: 'Greets somebody by name.',
  effect: 'pure',
  powers: [],
  limits: {},
  args: `{
  "type": "object",
  "properties": {
    "name": { "type": "string", "minLength": 1, "maxLength": 40 }
  },
  "required": ["name"],
  "additionalProperties": false
}`,
  result: `{
  "type": "object",
  "properties": {
    "greeting": { "type": "string" }
  },
  "required": ["greeting"],
  "additionalProperties": false
}`,
  source: `export default ({ name }) => {
  console.log('greeting', name);
  return { greeting: \`Good morning, \${name}!\` };
};
`,
};

export function draftOf(definition: CapabilityDefinition): CapabilityDraft {
  const { name, version, description, effect, powers = [], limits = {}, args, result, source } = definition;
  const own = Object.entries(limits).filter(([limit, value]) => CALL_LIMITS[limit as keyof CallLimits] !== value);
  return {
    name,
    version,
    description,
    effect,
    powers,
    limits: Object.fromEntries(own),
    args: JSON.stringify(args, null, 2),
    result: result === undefined ? '' : JSON.stringify(result, null, 2),
    source,
  };
}

/** Reads a draft. Schemas are judged in place; whether the source can be loaded, only the sandbox can say. */
export function readDraft(draft: CapabilityDraft): Reading {
  const args = readSchema('args', draft.args);
  const result = draft.result.trim() === '' ? undefined : readSchema('result', draft.result);
  const problems = [...problemsOf(args), ...problemsOf(result)];
  if (problems.length > 0 || args === undefined || !('schema' in args)) return { ok: false, problems };
  const { name, version, description, effect, powers, limits, source } = draft;
  const given = result !== undefined && 'schema' in result ? { result: result.schema } : {};
  const definition = { name, version, description, args: args.schema, ...given, effect, powers, limits, source };
  const defined = define(definition);
  if (defined.ok) return { ok: true, definition, hash: defined.value.hash };
  return { ok: false, problems: [{ field: fieldOf(defined.refusal), ...messageOf(defined.refusal) }] };
}

/** Hash of the definition; undefined for a draft with problems. */
export function hashOf(reading: Reading): string | undefined {
  return reading.ok ? reading.hash : undefined;
}

type Schema = { readonly schema: JsonObject } | { readonly problem: Problem };

function problemsOf(read: Schema | undefined): readonly Problem[] {
  return read !== undefined && 'problem' in read ? [read.problem] : [];
}

function readSchema(field: 'args' | 'result', text: string): Schema {
  const decoded = decode(encodeText(text));
  if (!decoded.ok) return { problem: { field, ...messageOf(decoded.refusal), ...placeOf(decoded.refusal, text) } };
  if (!isObject(decoded.value)) return { problem: { field, message: texts().fields.noObject } };
  const linted = lint(decoded.value);
  if (!linted.ok) return { problem: { field, ...messageOf(linted.refusal), ...placeOf(linted.refusal, text) } };
  return { schema: decoded.value };
}

function messageOf({ message }: Refusal): Pick<Problem, 'message' | 'lang'> {
  return { message, lang: 'en' };
}

/** The place a refusal names: by line and column, or by pointer. */
function placeOf({ details, pointer }: Refusal, text: string): Partial<Position> {
  const { line, column } = details;
  if (typeof line === 'number' && typeof column === 'number') return { line, column };
  return (pointer === undefined ? undefined : positionOf(text, pointer)) ?? {};
}

const FIELDS: readonly DraftField[] = [
  'name',
  'version',
  'description',
  'effect',
  'powers',
  'limits',
  'args',
  'result',
];

function fieldOf({ pointer = '' }: Refusal): DraftField {
  return FIELDS.find((field) => pointer === `/${field}` || pointer.startsWith(`/${field}/`)) ?? 'source';
}

/** The next patch version, for a changed definition that is published again. */
export function bumped(version: string): string {
  const parts = /^(\d+\.\d+\.)(\d{1,8})$/.exec(version);
  return parts === null ? version : `${parts[1]}${Number(parts[2]) + 1}`;
}

/** A place in a text, counted from 1, as editors do. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** The start of the value that a pointer names in a JSON text, or of its member's name if there is a name. */
function positionOf(text: string, pointer: string): Position | undefined {
  let at = 0;
  for (const token of lex(text)) {
    if (token.kind !== 'space' && token.pointer === pointer) return positionAt(text, at);
    at += token.text.length;
  }
  const cut = pointer.lastIndexOf('/');
  // a missing member is shown at the object that lacks it
  return cut < 0 ? undefined : positionOf(text, pointer.slice(0, cut));
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/** Proposals as a text: each stands between lines of three dashes, byte for byte. */
const BETWEEN = '\n---\n';

export function formatScript(script: readonly string[]): string {
  return script.join(BETWEEN);
}

export function parseScript(text: string): readonly string[] {
  return text.split(BETWEEN).filter((proposal) => proposal.trim() !== '');
}
