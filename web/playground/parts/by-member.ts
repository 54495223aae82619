import { computed, type ReadonlySignal } from '@preact/signals-core';

/**
 * The same object, read member by member: a view that reads `view.value?.end` is drawn again when `end` has another
 * content, and not with each update of the rest. The updates of a kernel are copies, so members are compared by content
 * and keep their identity while it is the same. The value itself changes only between an object and undefined, and has no
 * list of its members: it cannot be copied.
 */
export function byMember<T extends object | undefined>(source: ReadonlySignal<T>): ReadonlySignal<T> {
  const cells = new Map<PropertyKey, ReadonlySignal<unknown>>();
  const read = (name: PropertyKey): unknown => {
    const cell = cells.get(name) ?? steady((): unknown => Reflect.get(source.value ?? {}, name));
    cells.set(name, cell);
    return cell.value;
  };
  const members = new Proxy({} as NonNullable<T>, { get: (_, name) => read(name) });
  return computed(() => (source.value === undefined ? (undefined as T) : members));
}

/** A computed value that changes when its content does. The content is of JSON. */
function steady<T>(compute: () => T): ReadonlySignal<T> {
  let kept: { readonly value: T; readonly content: string | undefined } | undefined;
  return computed(() => {
    const value = compute();
    const content = JSON.stringify(value);
    if (kept === undefined || kept.content !== content) kept = { value, content };
    return kept.value;
  });
}
