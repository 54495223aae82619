import { isList, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { KEYWORDS } from './keywords.ts';

/**
 * The schema that both schemas must accept. Each keeps its references to itself: they follow it to its new place, and
 * its anchors get names of their own, because an author's `#/$defs/x` is written from the root of their schema.
 */
export function bothOf(first: JsonObject, second: JsonObject): JsonObject {
  return { allOf: [first, second].map((schema, at) => moved(schema, at)) };
}

/** Keywords that only a whole schema may have. They do not affect references within it. */
const OF_A_ROOT: ReadonlySet<string> = new Set(['$id', '$schema']);

function moved(schema: JsonValue, place: number): JsonValue {
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => !OF_A_ROOT.has(keyword));
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, movedValue(keyword, value, place)]));
}

/**
 * Moves references only where a keyword holds schemas: `enum`, `const` and `examples` are data, also when they look
 * like schemas.
 */
function movedValue(keyword: string, value: JsonValue, place: number): JsonValue {
  switch (KEYWORDS.get(keyword)?.shape) {
    case 'ref':
      return typeof value === 'string' ? movedReference(value, place) : value;
    case 'anchor':
      return typeof value === 'string' ? movedAnchor(value, place) : value;
    case 'schema':
      return moved(value, place);
    case 'schemas':
      return isList(value) ? value.map((one) => moved(one, place)) : value;
    case 'schemaMap':
    case 'patternMap':
      if (!isObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, moved(one, place)]));
    default:
      return value;
  }
}

function movedReference(reference: string, place: number): string {
  const fragment = reference.slice(1);
  if (fragment === '' || fragment.startsWith('/')) return `#/allOf/${place}${fragment}`;
  return `#${movedAnchor(fragment, place)}`;
}

function movedAnchor(anchor: string, place: number): string {
  return `_${place}-${anchor}`;
}
