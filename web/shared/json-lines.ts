/** JSON text with the line feeds of its strings as line feeds. Every other character stays. */
export function linesOf(json: string): string {
  return json.replace(/(?<!\\)((?:\\\\)*)\\n/gu, '$1\n');
}
