import { isObject, type JsonObject, member } from '../../json/value.ts';
import { decodeFragment } from '../fragment.ts';
import type { RefusalRule } from '../refusals.ts';
import { anchorIn, type SchemaDraft } from './draft.ts';
import { along, places, tokensOf } from './places.ts';

/** Pointer of the schema that a reference leads to, or the rule that refuses the reference. */
export type FoundTarget = { readonly pointer: string } | { readonly rule: RefusalRule };

/** Finds the targets of references, and gives each target a name below `$defs`. */
export class ReferenceTargets {
  readonly #given: JsonObject;
  readonly #ids: readonly string[];
  /** URI of the whole schema, without a fragment. */
  readonly #base: string;
  readonly #anchors = new Map<string, string[]>();
  /** Pointer of a target to its name, in the order in which the references are found. */
  readonly names: Map<string, string> = new Map();
  readonly #taken = new Set<string>();

  constructor(given: JsonObject, draft: SchemaDraft) {
    this.#given = given;
    this.#ids = draft.ids;
    const id = draft.ids.map((keyword) => member(given, keyword)).find((one) => typeof one === 'string');
    this.#base = typeof id === 'string' ? (id.split('#')[0] ?? '') : '';
    for (const { pointer, schema } of places(given)) {
      const anchor = isObject(schema) ? anchorIn(schema, draft) : undefined;
      if (typeof anchor === 'string') this.#anchors.set(anchor, [...(this.#anchors.get(anchor) ?? []), pointer]);
    }
  }

  target(ref: string): FoundTarget {
    const fragment = this.#local(ref);
    if (fragment === undefined) return { rule: 'remote_ref' };
    const [pointer, second] =
      fragment === '' || fragment.startsWith('/') ? [fragment] : (this.#anchors.get(fragment) ?? []);
    if (second !== undefined) return { rule: 'duplicate_anchor' };
    const values = pointer === undefined ? undefined : along(this.#given, pointer);
    const target = values?.at(-1);
    if (pointer === undefined || (typeof target !== 'boolean' && !isObject(target))) return { rule: 'unresolved_ref' };
    // a reference below such a schema would lead to another place
    if (values?.slice(1).some((value) => isObject(value) && this.#embeds(value))) return { rule: 'embedded_id' };
    return { pointer };
  }

  /** The `$ref` to a target, which gets a name with its first reference. */
  refTo(pointer: string): string {
    return pointer === '' ? '#' : `#/$defs/${this.#name(pointer)}`;
  }

  /** True if a reference leads to this place or into it. */
  isUsed(pointer: string): boolean {
    return [...this.names.keys()].some((target) => `${target}/`.startsWith(`${pointer}/`));
  }

  #embeds(schema: JsonObject): boolean {
    const ids = this.#ids.map((keyword) => member(schema, keyword));
    return ids.some((id) => typeof id === 'string' && !id.startsWith('#'));
  }

  /** The fragment of a reference into the schema itself, decoded. */
  #local(ref: string): string | undefined {
    const [base = '', fragment = ''] = ref.split('#', 2);
    if (base !== '' && base !== this.#base) return undefined;
    return decodeFragment(fragment);
  }

  #name(pointer: string): string {
    const known = this.names.get(pointer);
    if (known !== undefined) return known;
    const wish = (tokensOf(pointer).at(-1) ?? '').replace(/[^A-Za-z0-9_-]/g, '_') || '_';
    let name = wish;
    for (let nth = 2; this.#taken.has(name); nth++) name = `${wish}_${nth}`;
    this.#taken.add(name);
    this.names.set(pointer, name);
    return name;
  }
}
