import type { JsonObject, JsonValue } from '../../json/value.ts';

/**
 * Program that turns a schema into a constraint on a model's answer: structured outputs of OpenAI with `strict: true`,
 * the grammars of llama.cpp, XGrammar (vLLM, SGLang, WebLLM), the Prompt API of browsers, and Gemini's
 * `responseJsonSchema`.
 */
export type Decoder = 'openai-strict' | 'llama.cpp' | 'xgrammar' | 'prompt-api' | 'gemini';

/** The part of JSON Schema that a decoder takes, as published. */
export interface DecoderRules {
  /** Keywords that the decoder enforces as JSON Schema means them. */
  readonly keywords: ReadonlySet<string>;
  readonly formats: readonly string[];
  /** `whole`: patterns from `^` to `$`. `plain`: patterns without look-around and back references. */
  readonly patterns?: 'whole' | 'plain';
  /** `acyclic`: a definition that refers to itself is written out. `none`: each definition is written out. */
  readonly references: 'all' | 'acyclic' | 'none';
  /** True if a bound of a number is enforced for a schema of this type with this bound. */
  boundsOf?(types: readonly string[] | undefined, bound: JsonValue): boolean;
  /** Largest count in `minLength`, `maxItems` and the like. */
  readonly countMost?: number;
  isConstant?(value: JsonValue): boolean;
  /** The decoder takes an object or array for closed if its schema does not say otherwise. */
  readonly closes?: true;
  /** Strict mode of OpenAI: typed values, closed objects, each property required, an object at the root. */
  readonly complete?: true;
  /** Schema that accepts every value. */
  readonly any: JsonObject;
}

const STRUCTURE = 'type enum anyOf properties required additionalProperties items minItems maxItems'.split(' ');
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const TEXTS = ['minLength', 'maxLength', 'pattern'];
const keywords = (...more: readonly string[]): ReadonlySet<string> => new Set([...STRUCTURE, 'format', ...more]);
const isWhole = (bound: JsonValue): boolean => Number.isSafeInteger(bound);

const COMMON_FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'ipv4', 'ipv6', 'uuid'];
/** The types of JSON; `integer` is part of `number`. */
export const JSON_TYPES: readonly string[] = ['object', 'array', 'string', 'number', 'boolean', 'null'];

export const DECODERS: { readonly [D in Decoder]: DecoderRules } = {
  // No `const`, no lengths; `$ref` allows no keyword beside it.
  'openai-strict': {
    keywords: keywords('pattern', 'multipleOf', ...BOUNDS),
    formats: COMMON_FORMATS,
    patterns: 'plain',
    references: 'all',
    isConstant: (value) => value === null || typeof value !== 'object',
    complete: true,
    any: {},
  },
  // An empty schema means an object there, `prefixItems` and references fail, long repetitions are refused.
  'llama.cpp': {
    keywords: keywords('const', 'minLength', 'maxLength', ...BOUNDS),
    formats: ['date-time', 'time', 'date', 'uuid'],
    references: 'none',
    boundsOf: (types, bound) => types?.join() === 'integer' && isWhole(bound),
    countMost: 1_000,
    closes: true,
    any: { type: JSON_TYPES },
  },
  xgrammar: {
    keywords: keywords('const', 'prefixItems', 'multipleOf', ...BOUNDS, ...TEXTS),
    formats: COMMON_FORMATS,
    patterns: 'whole',
    references: 'all',
    boundsOf: (types, bound) => types?.includes('integer') !== true || isWhole(bound),
    closes: true,
    any: {},
  },
  // Chromium's implementation refuses keywords that it does not know.
  'prompt-api': {
    keywords: keywords('const', 'prefixItems', 'multipleOf', ...BOUNDS, ...TEXTS),
    formats: [...COMMON_FORMATS, 'uri'],
    patterns: 'plain',
    references: 'all',
    any: {},
  },
  // A cycle of references is taken only within optional properties, and `enum` only of texts and numbers.
  gemini: {
    keywords: keywords('prefixItems', 'minimum', 'maximum'),
    formats: ['date-time', 'time', 'date'],
    references: 'acyclic',
    isConstant: (value) => typeof value === 'string' || typeof value === 'number',
    any: {},
  },
};
