import type { LessonProgress } from './progress.ts';

/** A run that proves work done in a lesson. */
export interface EvidencePiece {
  readonly name: string;
  readonly text: string;
}

/** All evidence, as a teacher collects it: an export for each run, named by its lesson. */
export function piecesOf(lessons: ReadonlyMap<number, LessonProgress>): readonly EvidencePiece[] {
  return [...lessons].flatMap(([number, { evidence }]) =>
    Object.values(evidence).map((text, i) => ({
      name: `lesson-${number}${i === 0 ? '' : `.${i + 1}`}.run.jsonl`,
      text,
    })),
  );
}
