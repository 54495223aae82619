/* oxlint-disable no-restricted-imports -- guest source: bundled for the compile realm, never imported by the host */
import { str } from 'ajv/dist/compile/codegen/index.js';
import { compileSchema, type SchemaEnv } from 'ajv/dist/compile/index.js';
import { evaluatedPropsToName } from 'ajv/dist/compile/util.js';
import ajvCore, { _, type Code, type CodeKeywordDefinition, type KeywordCxt, Name } from 'ajv/dist/core.js';
import ajvEqual from 'ajv/dist/runtime/equal.js';
import ajvLength from 'ajv/dist/runtime/ucs2length.js';
import ajvStandalone from 'ajv/dist/standalone/index.js';
import applicators from 'ajv/dist/vocabularies/applicator/index.js';
import core from 'ajv/dist/vocabularies/core/index.js';
import format from 'ajv/dist/vocabularies/format/index.js';
import next from 'ajv/dist/vocabularies/next.js';
import unevaluatedKeywords from 'ajv/dist/vocabularies/unevaluated/index.js';
import validation from 'ajv/dist/vocabularies/validation/index.js';
import { FORMATS } from '../../../core/schema/formats.ts';
import { judge } from '../../../core/schema/judge.ts';
import { RUNTIME } from '../../../core/schema/runtime.ts';

/** ajv is CommonJS: some bundlers give the module, some its default export. */
function unwrap<T>(module: T): T {
  return (module as { default?: T }).default ?? module;
}

const Ajv = unwrap(ajvCore);
const standalone = unwrap(ajvStandalone);

// Generated code reaches outside functions only as members of `runtime` (core/schema/runtime.ts).
Object.assign(unwrap(ajvEqual), { code: 'runtime.equal' });
Object.assign(unwrap(ajvLength), { code: 'runtime.length' });

/** ajv divides and looks at digits, which fails above 1e21 and for 0.3 of 0.1. */
const multipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: { message: (cxt) => str`must be multiple of ${cxt.schemaCode}` },
  code: (cxt) => cxt.fail(_`!${runtime(cxt, 'multiple', _`runtime.multiple`)}(${cxt.data}, ${cxt.schemaCode})`),
};

/** ajv compares every pair, and strings by the members of a plain object, where `__proto__` is never found. */
const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: {
    message: (cxt) => str`must NOT have duplicate items: ${_`${cxt.params.pair}[0]`} and ${_`${cxt.params.pair}[1]`}`,
  },
  code: (cxt) => {
    if (cxt.schema !== true) return;
    const pair = cxt.gen.const('pair', _`${runtime(cxt, 'duplicate', _`runtime.duplicate`)}(${cxt.data})`);
    cxt.setParams({ pair });
    cxt.fail(_`${pair} !== null`);
  },
};

/**
 * Characters are counted only where the number of code units leaves it open: there are half as many of them at least.
 * A host that counts anyway has less code to load.
 */
const lengths: CodeKeywordDefinition = {
  keyword: ['maxLength', 'minLength'],
  type: 'string',
  schemaType: 'number',
  error: {
    message: ({ keyword, schemaCode }) =>
      str`must NOT have ${keyword === 'maxLength' ? 'more' : 'fewer'} than ${schemaCode} characters`,
  },
  code: (cxt) => {
    const { data, it, keyword, schemaCode: limit } = cxt;
    const length = _`${runtime(cxt, 'length', _`runtime.length`)}(${data})`;
    const isMost = keyword === 'maxLength';
    if (it.opts.ownProperties === true) cxt.fail(isMost ? _`${length} > ${limit}` : _`${length} < ${limit}`);
    else if (isMost) cxt.fail(_`${data}.length > ${limit} && ${length} > ${limit}`);
    else cxt.fail(_`${data}.length < ${limit} || (${data}.length < 2 * ${limit} && ${length} < ${limit})`);
  },
};

function runtime(cxt: KeywordCxt, key: string, code: Code): Code {
  return cxt.gen.scopeValue('func', { key, ref: code, code });
}

class SchemaAjv extends Ajv {
  /** Schemas that a reference leads to, filled by ajv as patched (.scripts/generate-validators.mjs). */
  readonly queue: SchemaEnv[] = [];

  override _addVocabularies(): void {
    const applying = [...unwrap(applicators)(true), ...unwrap(format), ...unwrap(next)];
    for (const one of [unwrap(core), unwrap(validation), tracking(applying), unwrap(unevaluatedKeywords)])
      this.addVocabulary(one);
    for (const name of ['multipleOf', 'uniqueItems', 'maxLength', 'minLength']) this.removeKeyword(name);
    for (const own of [multipleOf, uniqueItems, lengths]) this.addKeyword(own);
  }

  override _addDefaultMetaSchema(): void {}
}

/** Keywords whose subschemas may or may not match without the whole failing. */
const CONDITIONAL: ReadonlySet<unknown> = new Set(['anyOf', 'oneOf', 'if', 'dependentSchemas']);

function tracking(vocabulary: typeof core): typeof core {
  return vocabulary.map((one) =>
    CONDITIONAL.has((one as CodeKeywordDefinition).keyword) ? tracked(one as CodeKeywordDefinition) : one,
  );
}

/**
 * Variables of evaluated members and items are set anew before any branch. ajv declares them inside of the first branch
 * that matches, so that a failed branch, or the array's previous item, counts.
 */
function tracked(definition: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...definition,
    code: (cxt, ruleType) => {
      const { gen, it } = cxt;
      const { items } = it;
      if (it.opts.unevaluated === true && it.props !== true && !(it.props instanceof Name)) {
        it.props = evaluatedPropsToName(gen, it.props);
      }
      if (it.opts.unevaluated === true && items !== true && !(items instanceof Name) && definition.type === undefined) {
        it.items = gen.var('items', items ?? 0);
      }
      definition.code(cxt, ruleType);
      // `dependentSchemas` runs for objects only: its variables do not exist when the value is an array.
      if (definition.type === 'object') Object.assign(it, { items });
    },
  };
}

/** `inherited`: whether a member is the data's own is asked only of names that every object has. */
type Own = true | 'inherited';

function open(unevaluated: boolean, own: Own): SchemaAjv {
  const ajv = new SchemaAjv({
    allErrors: true, // flat code: nested code overflows the guest's stack
    ownProperties: own as true, // otherwise `constructor` is always there
    inlineRefs: false, // otherwise code grows with references times size
    unevaluated, // bookkeeping for keywords that few schemas have
    next: true,
    strict: false, // our own linter has refused what is unknown
    strictNumbers: true,
    validateSchema: false,
    meta: false,
    logger: false,
    messages: true,
    code: { source: true, esm: false, lines: false, formats: _`runtime.formats` },
  });
  for (const name of Object.keys(FORMATS)) ajv.addFormat(name, () => true);
  return ajv;
}

const HEAD = /^"use strict";module\.exports = (validate\d+);module\.exports\.default = \1;/;

/** The text of a function expression: given the runtime it returns the validator of the (linted) schema. */
export function compile(schemaText: string): string {
  return generate(schemaText, 'inherited');
}

/** As in the realm, but for the host, where `Object.prototype` may have been changed. */
export function precompile(schemaText: string): string {
  return generate(schemaText, true);
}

/**
 * Made when the script is loaded, so that it is part of the realm's image: a compilation of most schemas does not begin
 * with the vocabularies. An instance compiles a single schema, as the names in its code depend on those before.
 */
let ready: SchemaAjv | undefined = open(false, 'inherited');

function instance(unevaluated: boolean, own: Own): SchemaAjv {
  const made = unevaluated || own !== 'inherited' ? undefined : ready;
  ready = undefined;
  return made ?? open(unevaluated, own);
}

function generate(schemaText: string, own: Own): string {
  const ajv = instance(/"unevaluated(Items|Properties)":/.test(schemaText), own);
  const validator = ajv.compile(JSON.parse(schemaText) as object);
  for (const referred of ajv.queue) compileSchema.call(ajv, referred);
  const code = standalone(ajv, validator);
  const name = HEAD.exec(code)?.[1];
  if (name === undefined) throw new Error('unexpected code');
  return tried(`(runtime) => {"use strict";${code.replace(HEAD, '')}return ${name};}`);
}

/** Judges schemas as their authors gave them, canonical: a list of texts in, a list of refusals or nulls out. */
export function judgeAll(texts: string): string {
  const schemas = JSON.parse(texts) as readonly string[];
  const judged = schemas.map((text) => judge(JSON.parse(text) as Parameters<typeof judge>[0]));
  return JSON.stringify(judged.map((each) => (each.ok ? null : each.refusal)));
}

/** Judges the schema as its author gave it, canonical, and compiles it: `{code}`, or the refusal. */
export function admit(schemaText: string): string {
  const judged = judge(JSON.parse(schemaText) as Parameters<typeof judge>[0]);
  return JSON.stringify(judged.ok ? { code: compile(JSON.stringify(judged.value)) } : judged.refusal);
}

/** Code that this engine cannot parse, or a pattern that it does not know, is found here and not in the check image. */
function tried(code: string): string {
  // oxlint-disable-next-line no-eval -- in the guest, on code that is then thrown away with the heap
  const make = (0, eval)(code) as (runtime: unknown) => unknown;
  if (typeof make(RUNTIME) !== 'function') throw new Error('unexpected code');
  return code;
}

export { explain } from './explain.ts';
