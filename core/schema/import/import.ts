import { refuse, type SCHEMA_CODES } from '../../errors/schema.ts';
import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { FLAG, optionsOf } from '../../option.ts';
import { type Outcome, pass, type Refused } from '../../outcome.ts';
import { closeObjects } from '../close.ts';
import { lint, schemaText } from '../lint.ts';
import { refusal } from '../subschemas.ts';
import { draftOf } from './draft.ts';
import { along } from './places.ts';
import { type Translated, translate } from './translate.ts';

export interface ImportOptions {
  /**
   * Whether objects are closed, by default true: `additionalProperties: false` where a schema lists properties and does
   * not say whether further properties are allowed, `unevaluatedProperties: false` where the list is spread over the
   * parts of a combination. The closed schema never accepts a value that the open schema refuses.
   */
  readonly close?: boolean;
}

export interface ImportedSchema {
  /** JSON Schema 2020-12 as `defineCapability` takes it. */
  readonly schema: JsonObject;
  /** Pointers into the given schema: annotations and unused definitions that the result does not have. */
  readonly dropped: readonly string[];
}

/**
 * Translates JSON Schema draft 4, 6, 7 or 2019-09 or a schema of OpenAPI 3.0 to JSON Schema 2020-12. The draft is the
 * one that `$schema` names. Without `$schema` keywords of all drafts are read, each so that no constraint is lost:
 * keywords beside `$ref` count, and `nullable` counts only where no other keyword speaks against OpenAPI 3.0.
 *
 * Every `$ref` leads into the schema itself, also to `#/components/schemas/…`; pass the components along as
 * `{ ...schema, components }`. Unknown keywords and formats constrain nothing in any draft; they are dropped and named.
 * A keyword that constrains and cannot be translated refuses the schema: `schema_refused` or `schema_too_large`, with a
 * pointer into the given schema. The schema may be a stranger's; it is read once.
 *
 * @example importSchema({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object',
 *   properties: { id: { $ref: '#/definitions/id' } }, definitions: { id: { type: 'integer', format: 'int64' } } });
 */
export function importSchema(schema: unknown, options?: ImportOptions): Outcome<ImportedSchema> {
  const { close = true } = optionsOf(options, { close: FLAG });
  const read = schemaText(schema);
  if (!read.ok) return read;
  const given = JSON.parse(read.value.text) as JsonValue;
  if (!isObject(given)) return refusal('not_schema', '');
  const draft = draftOf(given);
  if (!draft.ok) return draft;
  const translated = translate(given, draft.value);
  if (!translated.ok) return translated;
  const { schema: open, dropped } = translated.value;
  const made = close ? closeObjects(open) : open;
  const judged = lint(made);
  return judged.ok ? pass({ schema: made, dropped }) : blamed(judged, given, translated.value);
}

/** The refusal with the pointer into the given schema: the fault was found in its translation. */
function blamed(refused: Refused, given: JsonObject, { origins }: Translated): Refused {
  const { code, details, pointer = '' } = refused.refusal;
  const ends = [...pointer.matchAll(/\/|$/g)].map(({ index }) => index).toReversed();
  const end = ends.find((at) => origins.has(pointer.slice(0, at))) ?? 0;
  const origin = origins.get(pointer.slice(0, end)) ?? '';
  const exact = origin + pointer.slice(end);
  const at = along(given, exact) === undefined ? origin : exact;
  return refuse(code as keyof typeof SCHEMA_CODES, details as never, { pointer: at });
}
