/** The text of a field; a file is not a text. */
export function typed(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
