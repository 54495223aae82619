/** What was typed into a field; a file is no text. */
export function typed(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}
