import { isObject, type JsonObject, type JsonValue, member } from '../../json/value.ts';
import { DRAFT_2020_12 } from '../import/draft.ts';
import { along, places } from '../import/places.ts';
import { ReferenceTargets } from '../import/references.ts';
import type { Given } from './merge.ts';

/** The references of a schema: their targets, and which of them lead back to themselves. */
export class SchemaReferences {
  readonly targets: ReferenceTargets;
  readonly #given: JsonObject;
  readonly #cyclic = new Map<string, boolean>();
  readonly #refs = new Map<string, readonly string[]>();

  constructor(given: JsonObject) {
    this.#given = given;
    this.targets = new ReferenceTargets(given, DRAFT_2020_12);
  }

  valueAt(pointer: string): JsonValue {
    return along(this.#given, pointer)?.at(-1) ?? true;
  }

  follow(ref: string): Given | undefined {
    const found = this.targets.target(ref);
    return 'rule' in found ? undefined : { value: this.valueAt(found.pointer), at: found.pointer };
  }

  /** A target that can be joined with the keywords beside its reference: it does not refer to itself. */
  joined(ref: string): Given | undefined {
    const target = this.follow(ref);
    return target === undefined || this.isCyclic(target.at) ? undefined : target;
  }

  isCyclic(pointer: string): boolean {
    const known = this.#cyclic.get(pointer);
    if (known !== undefined) return known;
    const met = new Set(this.#refsBelow(pointer));
    // the set grows while it is walked
    for (const at of met) for (const next of this.#refsBelow(at)) met.add(next);
    const cyclic = [...met].some((at) => `${pointer}/`.startsWith(`${at}/`));
    this.#cyclic.set(pointer, cyclic);
    return cyclic;
  }

  #refsBelow(pointer: string): readonly string[] {
    const known = this.#refs.get(pointer);
    if (known !== undefined) return known;
    const found = [...places(this.valueAt(pointer))].flatMap(({ schema }) => {
      const ref = isObject(schema) ? member(schema, '$ref') : undefined;
      return typeof ref === 'string' ? (this.follow(ref)?.at ?? []) : [];
    });
    this.#refs.set(pointer, found);
    return found;
  }
}
