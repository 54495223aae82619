import type { EvidencePiece } from './evidence-files.ts';

/** Texts as files of a zip. The first use loads the code that packs it. */
export async function zipOf(pieces: readonly EvidencePiece[]): Promise<Blob> {
  const { BlobWriter, configure, TextReader, ZipWriter } = await import('@zip.js/zip.js/lib/zip-core-native.js');
  // Its own workers would come from blob: addresses, which the page's policy refuses.
  configure({ useWebWorkers: false });
  const writer = new ZipWriter(new BlobWriter('application/zip'));
  for (const { name, text } of pieces) await writer.add(name, new TextReader(text));
  return writer.close();
}
