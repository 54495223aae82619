import { refuse } from '../../../core/errors.ts';
import { canonicalize } from '../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';

/** A declaration of a function in one form for all shapes. Its texts and schemas are a stranger's. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  /** Schema of the arguments, of any draft, with its pointer in the list. */
  readonly args: DeclaredSchema;
  readonly result?: DeclaredSchema;
}

export interface DeclaredSchema {
  readonly schema: JsonValue;
  readonly at: string;
}

/** A declaration, or the reason why it cannot be taken, with its pointer in the list. */
export interface ReadDeclaration {
  readonly at: string;
  /** Name as declared, where it could be read. */
  readonly name?: string;
  readonly read: Outcome<FunctionDeclaration>;
}

/** Places of a shape: the object with the members, and the members that hold its schemas. */
interface DeclarationForm {
  readonly at: string;
  readonly body: JsonObject;
  readonly args: string;
  readonly result?: string;
  /** Gemini's own schemas have types in upper case and counts as text. */
  readonly isGemini?: true;
}

const DESCRIPTION_MAX = 16_384;

/** An empty list of parameters, which some shapes leave out. */
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {}, additionalProperties: false };

/** Reads a list of declarations. Each value is copied through its canonical text, so that it is read once. */
export function readDeclarations(list: readonly unknown[]): readonly ReadDeclaration[] {
  return list.flatMap((value, nth) => {
    const at = pointerTo('', nth);
    const text = canonicalize(value);
    if (!text.ok) return [{ at, read: invalid(at, `a declaration must be JSON (${text.refusal.code})`) }];
    const given = JSON.parse(text.value) as JsonValue;
    const group = isObject(given) ? groupIn(given) : undefined;
    if (group === undefined) return [readOne(given, at)];
    const { name, each } = group;
    return each.map((one, index) => readOne(one, pointerTo(pointerTo(at, name), index)));
  });
}

/** Gemini lists its declarations within a tool. */
function groupIn(tool: JsonObject): { readonly name: string; readonly each: readonly JsonValue[] } | undefined {
  for (const name of ['functionDeclarations', 'function_declarations']) {
    const each = member(tool, name);
    if (Array.isArray(each)) return { name, each: each as readonly JsonValue[] };
  }
  return undefined;
}

function readOne(given: JsonValue, at: string): ReadDeclaration {
  const form = isObject(given) ? formOf(given, at) : undefined;
  if (form === undefined) return { at, read: invalid(at, 'this is no declaration of a function in a known shape') };
  const name = member(form.body, 'name');
  if (typeof name !== 'string' || name === '')
    return { at, read: invalid(pointerTo(form.at, 'name'), 'the name must be a text that is not empty') };
  return { at, name, read: declarationIn(form, name) };
}

/** The shape of a declaration. A tool that a server carries out itself has none. */
function formOf(given: JsonObject, at: string): DeclarationForm | undefined {
  const inner = member(given, 'function');
  const type = member(given, 'type');
  if (isObject(inner)) return { at: pointerTo(at, 'function'), body: inner, args: 'parameters' };
  if (type === 'function') return { at, body: given, args: 'parameters' };
  if (Object.hasOwn(given, 'input_schema')) return { at, body: given, args: 'input_schema' };
  if (Object.hasOwn(given, 'inputSchema')) return { at, body: given, args: 'inputSchema', result: 'outputSchema' };
  if (type !== undefined || !Object.hasOwn(given, 'name')) return undefined;
  if (Object.hasOwn(given, 'parametersJsonSchema') || Object.hasOwn(given, 'responseJsonSchema'))
    return { at, body: given, args: 'parametersJsonSchema', result: 'responseJsonSchema' };
  return { at, body: given, args: 'parameters', result: 'response', isGemini: true };
}

function declarationIn(form: DeclarationForm, name: string): Outcome<FunctionDeclaration> {
  const { at, body } = form;
  const description = member(body, 'description') ?? '';
  const place = pointerTo(at, 'description');
  if (typeof description !== 'string') return invalid(place, 'the description must be a string');
  if (description.length > DESCRIPTION_MAX)
    return invalid(place, `the description has ${description.length} characters, the limit is ${DESCRIPTION_MAX}`);
  const args = schemaIn(form, form.args) ?? { schema: NO_PARAMETERS, at };
  const result = form.result === undefined ? undefined : schemaIn(form, form.result);
  return pass({ name, description, args, ...(result && { result }) });
}

function schemaIn({ at, body, isGemini }: DeclarationForm, name: string): DeclaredSchema | undefined {
  const schema = member(body, name);
  if (schema === undefined || schema === null) return undefined;
  return { schema: isGemini ? fromGemini(schema) : schema, at: pointerTo(at, name) };
}

const COUNTS: ReadonlySet<string> = new Set(
  'minItems maxItems minLength maxLength minProperties maxProperties'.split(' '),
);

/** A schema in the words of JSON Schema: Gemini writes `STRING` for `string`, and counts as text. */
function fromGemini(schema: JsonValue): JsonValue {
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema) as [string, JsonValue][];
  const stated = members.filter(([name, value]) => name !== 'type' || value !== 'TYPE_UNSPECIFIED');
  return Object.fromEntries(stated.map(([name, value]) => [name, geminiMember(name, value)]));
}

function geminiMember(name: string, value: JsonValue): JsonValue {
  if (name === 'type' && typeof value === 'string') return value.toLowerCase();
  if (name === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([each, schema]) => [each, fromGemini(schema as JsonValue)]));
  if (name === 'items') return fromGemini(value);
  if (name === 'anyOf' && Array.isArray(value)) return value.map(fromGemini);
  return COUNTS.has(name) && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

function invalid(pointer: string, reason: string): Refused {
  return refuse('definition_invalid', { reason }, { pointer });
}
