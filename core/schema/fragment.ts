/** The decoded fragment of a reference; undefined for a broken percent escape such as `%` or `%zz`. */
export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
