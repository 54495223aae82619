import { encodeText } from '../../../core/index.ts';
import type { Content } from '../../../workers/api.ts';

/** Bytes of text that the page keeps for an undo. */
const BYTES_MAX = 32 << 20;

/** Files as they were before a change of them. */
export interface KeptFiles {
  /** Gives each file its kept text, and removes the paths that had no file. */
  putBack(): Promise<void>;
}

/** Keeps the files at these paths; undefined if their text is too large to be kept. */
export async function keepFiles(content: Content, paths: readonly string[]): Promise<KeptFiles | undefined> {
  const asked = new Set(paths);
  const there = (await content.files()).filter(({ path }) => asked.has(path));
  if (there.reduce((sum, { bytes }) => sum + bytes, 0) > BYTES_MAX) return undefined;
  const texts = await Promise.all(
    there.map(async ({ path }) => ({ path, bytes: encodeText(await content.text(path)) })),
  );
  for (const { path } of there) asked.delete(path);
  return {
    putBack: async () => {
      if (texts.length > 0) await content.add(texts);
      if (asked.size > 0) await content.remove([...asked]);
    },
  };
}
