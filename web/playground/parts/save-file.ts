import { type Signal, signal } from '@preact/signals-core';

/** The file that was handed to the browser last: told in the status line, because a download can be silent. */
export const saved: Signal<{ readonly name: string; readonly bytes: number } | undefined> = signal(undefined);

/** Hands a file to the browser's own download; the file is not uploaded. */
export function saveFile(name: string, content: string | Blob, type = 'application/jsonl'): void {
  const file = new Blob([content], { type });
  const url = URL.createObjectURL(file);
  const anchor = Object.assign(document.createElement('a'), { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  saved.value = { name, bytes: file.size };
}
