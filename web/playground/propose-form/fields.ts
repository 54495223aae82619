import { isObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { type ProposeFormTexts, proposeForm } from '../../texts/en/propose-form.ts';

interface Described {
  /** Constraints of the schema as short texts. The gate checks them; the form only names them. */
  readonly hints: readonly string[];
  readonly description?: string;
  readonly preset?: JsonValue;
}

export interface FormMember {
  readonly name: string;
  readonly field: FormField;
  readonly required: boolean;
}

/** A part of a form, made from a part of a JSON Schema. `json` takes JSON text: a form cannot express this schema. */
export type FormField = Described &
  (
    | { readonly kind: 'text'; readonly isLong: boolean }
    | { readonly kind: 'number' | 'json' }
    | { readonly kind: 'choice'; readonly choices: readonly JsonValue[] }
    | { readonly kind: 'object'; readonly members: readonly FormMember[] }
    | { readonly kind: 'list'; readonly item: FormField; readonly itemsMin: number; readonly itemsMax: number }
  );

/** A schema may be a stranger's, and may name itself: below this depth and after so many fields, members are JSON. */
const DEPTH_MAX = 5;
const FIELDS_MAX = 200;
const CHOICES_MAX = 100;
/** A text of at most this length has a field of one line. */
const LINE_MAX = 60;

/** The form of the arguments that a schema describes. */
export function formOf(schema: JsonValue): FormField {
  return new FormReader(schema).read(schema, 0);
}

class FormReader {
  readonly #root: JsonValue;
  #left = FIELDS_MAX;

  constructor(root: JsonValue) {
    this.#root = root;
  }

  read(given: JsonValue | undefined, depth: number): FormField {
    this.#left -= 1;
    const schema = this.#resolved(given);
    if (schema === undefined) return { kind: 'json', hints: [] };
    const described = describedBy(schema);
    if (depth > DEPTH_MAX || this.#left < 0) return { kind: 'json', ...described };
    const choices = choicesOf(schema);
    if (choices !== undefined) return { kind: 'choice', choices, ...described };
    const make = Object.hasOwn(MAKERS, typeOf(schema)) ? MAKERS[typeOf(schema)] : undefined;
    return { ...described, ...(make?.call(this, schema, depth) ?? { kind: 'json' }) };
  }

  /** A reference to a place of the same schema is followed; each other reference is left to the gate. */
  #resolved(given: JsonValue | undefined): JsonObject | undefined {
    if (!isObject(given)) return undefined;
    const { $ref: reference, ...rest } = given;
    if (reference === undefined) return given;
    const target = typeof reference === 'string' ? placeIn(this.#root, reference) : undefined;
    return isObject(target) && target['$ref'] === undefined ? { ...target, ...rest } : undefined;
  }
}

type Made = FormField extends infer F ? (F extends FormField ? Omit<F, keyof Described> : never) : never;
type Make = (this: FormReader, schema: JsonObject, depth: number) => Made | undefined;

const MAKERS: { readonly [type: string]: Make } = {
  string: ({ maxLength, format, pattern }) => {
    const isLine = Number(maxLength ?? Infinity) <= LINE_MAX || format !== undefined || pattern !== undefined;
    return { kind: 'text', isLong: !isLine };
  },
  number: () => ({ kind: 'number' }),
  integer: () => ({ kind: 'number' }),
  boolean: () => ({ kind: 'choice', choices: [true, false] }),
  null: () => ({ kind: 'choice', choices: [null] }),
  object(schema, depth) {
    const { properties, required, patternProperties, additionalProperties } = schema;
    if (patternProperties !== undefined) return undefined;
    if (!isObject(properties)) return additionalProperties === false ? { kind: 'object', members: [] } : undefined;
    const needed = (Array.isArray(required) ? required : []).map(String);
    const names = Object.keys(properties);
    // a registered schema has its properties in the order of the alphabet, and `required` as its author wrote it
    const inOrder = new Set([...needed.filter((name) => names.includes(name)), ...names]);
    const members = [...inOrder].map((name) => ({
      name,
      field: this.read(properties[name], depth + 1),
      required: needed.includes(name),
    }));
    return { kind: 'object', members };
  },
  array({ items, prefixItems, minItems, maxItems }, depth) {
    if (!isObject(items) || prefixItems !== undefined) return undefined;
    const item = this.read(items, depth + 1);
    return { kind: 'list', item, itemsMin: Number(minItems ?? 0), itemsMax: Number(maxItems ?? Infinity) };
  },
};

function typeOf({ type, properties }: JsonObject): string {
  if (Array.isArray(type) && type.length === 1) return String(type[0]);
  return typeof type === 'string' ? type : type === undefined && properties !== undefined ? 'object' : '';
}

function choicesOf({ const: fixed, enum: choices }: JsonObject): readonly JsonValue[] | undefined {
  if (fixed !== undefined) return [fixed];
  return Array.isArray(choices) && choices.length > 0 && choices.length <= CHOICES_MAX ? choices : undefined;
}

function describedBy(schema: JsonObject): Described {
  const { description, title, default: preset } = schema;
  const words = [title, description].find((each) => typeof each === 'string');
  return {
    hints: hintsOf(schema),
    ...(typeof words === 'string' && { description: words }),
    ...(preset !== undefined && { preset }),
  };
}

/** The part of a schema that `#/…` names. */
function placeIn(root: JsonValue, reference: string): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  const steps = reference.slice(1).split('/').slice(1);
  return steps.reduce<JsonValue | undefined>(
    (at, step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    },
    reference === '#' || reference.startsWith('#/') ? root : undefined,
  );
}

/** Keywords that a form names beside a field, in this order. */
const KEYWORDS: readonly (keyof ProposeFormTexts['hints'])[] = [
  'minimum',
  'exclusiveMinimum',
  'maximum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'format',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
];

/** The constraints of a schema as short texts. They are a stranger's words where the schema is. */
function hintsOf(schema: JsonObject): readonly string[] {
  const texts = proposeForm().hints;
  const type = schema['type'] === 'integer' ? [texts.integer] : [];
  const named = KEYWORDS.flatMap((keyword) => {
    const limit = schema[keyword];
    const hint = texts[keyword];
    if (limit === undefined || typeof limit === 'object') return [];
    if (typeof hint === 'function') return [hint(String(limit))];
    return limit === true ? [hint] : [];
  });
  return [...type, ...named];
}
