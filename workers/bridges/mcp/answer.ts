import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import { places } from '../../../core/schema/import/places.ts';

/** Says of a result schema that its values are whole answers of another server, and not values of a tool. */
const MARK = 'sallyport/mcp-answer';

/** Name of the server's schema in `$defs`, where it refers to itself. */
const ROOT = 'structuredContent';

/**
 * Result schema of a tool whose value is the whole answer of its server: `content`, and beside it `structuredContent` of
 * the server's own output schema, if it has one. `imported` has references to `#` and to `#/$defs/NAME` alone.
 */
export function answerSchema(imported: JsonObject | undefined): JsonObject {
  const content = { type: 'array', items: { type: 'object' } };
  const whole = { $comment: MARK, type: 'object' };
  if (imported === undefined) return { ...whole, properties: { content }, required: ['content'] };
  const { $defs = {}, ...root } = imported;
  const required = [ROOT];
  const definitions = $defs as JsonObject;
  if (![...places(imported)].some(({ schema }) => isObject(schema) && schema['$ref'] === '#')) {
    const own = Object.keys(definitions).length === 0 ? {} : { $defs };
    return { ...whole, properties: { content, [ROOT]: root }, required, ...own };
  }
  const name = Object.hasOwn(definitions, ROOT) ? `${ROOT}_root` : ROOT;
  const $ref = `#/$defs/${name}`;
  const moved = movedRoot({ ...definitions, [name]: root }, $ref);
  return { ...whole, properties: { content, [ROOT]: { $ref } }, required, $defs: moved };
}

/** The schema of the structured content alone; undefined where the server has none. */
export function structuredSchema(answer: JsonObject): JsonObject | undefined {
  const properties = member(answer, 'properties');
  const schema = isObject(properties) ? member(properties, ROOT) : undefined;
  if (!isObject(schema)) return undefined;
  const definitions = member(answer, '$defs');
  if (!isObject(definitions)) return schema;
  const moved = [ROOT, `${ROOT}_root`].find((name) => schema['$ref'] === `#/$defs/${name}`);
  const root = moved === undefined ? schema : member(definitions, moved);
  return isObject(root) ? { ...root, $defs: definitions } : undefined;
}

/** True for the result schema of a tool whose values are whole answers. The tool decides it, and no form of a value. */
export function isAnswerSchema(result: JsonObject | undefined): result is JsonObject {
  return result?.['$comment'] === MARK;
}

/** The definitions with references to the root of before led to its new place. */
function movedRoot(definitions: JsonObject, $ref: string): JsonValue {
  const copy = structuredClone(definitions) as Record<string, JsonValue>;
  for (const { schema } of places({ $defs: copy }))
    if (isObject(schema) && schema['$ref'] === '#') (schema as Record<string, JsonValue>)['$ref'] = $ref;
  return copy;
}
