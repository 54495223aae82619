import { readZod } from './zod.ts';

/**
 * The first check or transformation of a library's schema that its public tree shows and that JSON Schema does not
 * carry, with its place where the tree tells it, for example `refine at /properties/path`. Undefined: none is shown. Of
 * a library that is not known here the tree is not read.
 */
export function unsaidOf(source: object): string | undefined {
  const zod = readZod(source);
  if (zod !== undefined) return zod.unsaid;
  const { '~standard': standard, json, ast } = source as Members;
  if ((standard as Members | undefined)?.['vendor'] === 'arktype') return inArktype(json);
  if (isMembers(ast) && typeof ast['_tag'] === 'string') return inEffect(ast);
  return inTypebox(source);
}

type Members = { readonly [name: string]: unknown };

/** Predicates of arktype that JSON Schema carries as a format. */
const CARRIED: ReadonlySet<unknown> = new Set(['$ark.isParsableUrl']);

/** The tree of arktype: `predicate` is a check by a function, `morphs` are transformations. */
function inArktype(json: unknown): string | undefined {
  return firstIn(json, (node) => {
    if (Array.isArray(node['morphs'])) return 'a morph';
    const predicates = Array.isArray(node['predicate']) ? (node['predicate'] as readonly unknown[]) : [];
    const custom = predicates.some((one) => !CARRIED.has(isMembers(one) ? one['predicate'] : one));
    if (custom) return 'a predicate (narrow)';
    return typeof node['rule'] === 'string' && typeof node['flags'] === 'string' && /[im]/.test(node['flags'])
      ? 'the flags of a pattern'
      : undefined;
  });
}

/** Filters of Effect that its JSON Schema carries in full. */
const FILTERS: ReadonlySet<unknown> = new Set(
  ['isInt', 'isFinite', 'isUnique', 'isUUID'].map((name) => `effect/schema/${name}`),
);

/** The syntax tree of Effect: `checks` are filters and groups of filters, `encoding` is a transformation. */
function inEffect(ast: object): string | undefined {
  return firstIn(ast, (node) => {
    if (Array.isArray(node['encoding']) && node['encoding'].length > 0) return 'a transformation';
    if (node['_tag'] !== 'Filter') return undefined;
    const { representation, expected } = isMembers(node['annotations']) ? node['annotations'] : {};
    const id = isMembers(representation) ? representation['id'] : undefined;
    return FILTERS.has(id) ? undefined : `a filter${typeof expected === 'string' ? ` (${expected.slice(0, 80)})` : ''}`;
  });
}

/** Schemas of TypeBox are JSON Schema; a check by a function or a transformation is a hidden member. */
function inTypebox(schema: object): string | undefined {
  return firstIn(schema, (node) => {
    if (Object.hasOwn(node, '~refine')) return 'Refine';
    const isCodec = Object.hasOwn(node, '~codec') || Object.hasOwn(node, Symbol.for('TypeBox.Transform'));
    return isCodec ? 'Codec' : undefined;
  });
}

/** Members whose values are the author's words or data, and no part of a tree. */
const DATA: ReadonlySet<string> = new Set(['meta', 'annotations', 'unit', 'default', 'enum', 'const', 'examples']);

/** The first answer of `ask` for an object of a tree, which may lead back to itself or go on behind a `thunk`. */
function firstIn(tree: unknown, ask: (node: Members) => string | undefined): string | undefined {
  const seen = new Set<object>();
  const waiting = [tree];
  for (let node = waiting.pop(); waiting.length > 0 || node !== undefined; node = waiting.pop()) {
    if (!isMembers(node) || seen.has(node)) continue;
    seen.add(node);
    const found = Array.isArray(node) ? undefined : ask(node);
    if (found !== undefined) return found;
    for (const [name, value] of Object.entries(node)) if (!DATA.has(name)) waiting.push(value);
    if (typeof node['thunk'] === 'function') waiting.push((node['thunk'] as () => unknown)());
  }
  return undefined;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
