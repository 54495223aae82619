/** Hands a file to the browser's own download; nothing is uploaded anywhere. */
export function saveFile(name: string, content: string | Blob, type = 'application/jsonl'): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = Object.assign(document.createElement('a'), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
