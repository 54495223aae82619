import { loadPart } from '../../../workers/load-part.ts';
import { saveFile } from '../parts/save-file.ts';
import type { LessonProgress } from './progress.ts';

/** A run that proves work done in a lesson. */
interface EvidencePiece {
  readonly name: string;
  readonly text: string;
}

/** All evidence, as a teacher collects it: an export for each run, named by its lesson. */
export function evidencePieces(lessons: ReadonlyMap<number, LessonProgress>): readonly EvidencePiece[] {
  return [...lessons].flatMap(([number, { evidence }]) =>
    Object.values(evidence).map((text, i) => ({ name: evidenceName(number, i), text })),
  );
}

/** The name of a lesson's evidence. *My class* and the command read the lesson in it. */
export function evidenceName(lesson: number, nth: number): string {
  return `lesson-${lesson}${nth === 0 ? '' : `.${nth + 1}`}.run.jsonl`;
}

/** Saves all evidence as a zip. */
export async function saveAllEvidence(lessons: ReadonlyMap<number, LessonProgress>): Promise<void> {
  saveFile('lessons.evidence.zip', await zipOf(evidencePieces(lessons)), 'application/zip');
}

/** Texts as files of a zip. The first use loads the code that packs it. */
async function zipOf(pieces: readonly EvidencePiece[]): Promise<Blob> {
  const { BlobWriter, configure, TextReader, ZipWriter } = await loadPart(
    () => import('@zip.js/zip.js/lib/zip-core-native.js'),
  );
  // Its own workers would come from blob: addresses, which the page's policy refuses.
  configure({ useWebWorkers: false });
  const writer = new ZipWriter(new BlobWriter('application/zip'));
  for (const { name, text } of pieces) await writer.add(name, new TextReader(text));
  return writer.close();
}
