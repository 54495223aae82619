/** Replaces `{name}` by its value; braces in a value stay as they are. */
export function fill(text: string, values: { readonly [name: string]: string | number } = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}
