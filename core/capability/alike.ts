/**
 * True if a person may take the first name for the second: they differ only in case, or in `0` for `o`, `1` and `I` for
 * `l`. Names are ASCII (FemtoClaw Protocol 7: compared code unit by code unit), so no other alphabet can imitate a
 * name.
 */
export function readsLike(one: string, other: string): boolean {
  if (one === other) return false;
  return one.toLowerCase() === other.toLowerCase() || drawn(one) === drawn(other);
}

/** Replaces letters that many typefaces draw alike by a single letter. */
function drawn(name: string): string {
  return name.replace(/[1I]/g, 'l').replace(/[0O]/g, 'o');
}
