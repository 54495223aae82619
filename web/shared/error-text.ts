/** What went wrong, as one sentence for a person. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
