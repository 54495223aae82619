/** Warns the developer in the console of the page or of the process. No code depends on a warning being read. */
export function warn(...words: readonly unknown[]): void {
  // oxlint-disable-next-line no-console -- the console is where a developer looks first
  console.warn(...words);
}
