import { effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { Audit } from '../audit/audit.ts';
import type { LessonLab } from './lesson-lab.ts';
import type { LessonTasks, RunFile } from './lesson-tasks.ts';
import type { Lesson } from './lessons/lesson.ts';

/** The run that a lesson makes for the audit panel, where the learner then falsifies it. */
export interface AuditedRun {
  /** The head of the run, as a person would have noted it outside the file; empty before there is a run. */
  readonly anchor: ReadonlySignal<string>;
  make(): Promise<void>;
  /** Stops marking tasks. */
  close(): void;
}

export interface AuditedRunFacts {
  readonly audit: Audit;
  readonly lab: Pick<LessonLab, 'ready' | 'drop'>;
  readonly tasks: LessonTasks;
}

export function openAuditedRun(lesson: Lesson, { audit, lab, tasks }: AuditedRunFacts): AuditedRun {
  const anchor = signal('');
  let exported: RunFile | undefined;

  const close = effect(() => {
    const { value: report } = audit.report;
    const last = audit.last.value?.word;
    if (anchor.value === '' || exported === undefined) return;
    tasks.noteAudit({ last, report, text: audit.text.peek() }, exported);
  });

  return {
    anchor,
    close,
    /** Makes a short run of the lesson's own, and notes its head before the file is changed. */
    make: async () => {
      const own = await lab.ready();
      for (const text of lesson.opening ?? []) await own.propose(text);
      const file = await own.seal();
      await audit.openFile(new File([file], `lesson-${lesson.number}.run.jsonl`));
      const records = own.records.peek();
      anchor.value = `${records.length}:${records.at(-1)?.hash ?? ''}`;
      audit.anchorText.value = anchor.peek();
      exported = { id: own.id, file };
      lab.drop();
    },
  };
}
