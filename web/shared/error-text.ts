/** The error as a sentence for a person. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
