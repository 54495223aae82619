/** Name and message of a thrown value, which may have any type. */
export function thrownError(thrown: unknown): { readonly name: string; readonly message: string } {
  const { name, message } = thrown instanceof Error ? thrown : { name: 'Error', message: thrown };
  return { name: String(name), message: String(message) };
}
