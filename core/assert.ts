/** A defect is our own bug: it throws and is never caught to go on. */
export class Defect extends Error {
  override name = 'Defect';
}

export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Defect(what);
}

/** Closes an exhaustive `switch`: a new variant fails to compile here. */
export function unreachable(value: never): never {
  throw new Defect(`unreachable: ${String(value)}`);
}
