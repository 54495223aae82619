import type { RunRow, StorageStatus } from '../../../workers/api.ts';
import { byteSize } from '../../texts/amounts.ts';
import { storageDialog } from '../../texts/en/storage-dialog.ts';
import type { StorageQuestion } from './storage-removal.ts';

/** The question before data is removed: the removed data, the remaining data, and the word to type. */
export interface QuestionText {
  readonly title: string;
  readonly goes: string;
  readonly stays: string;
  readonly word: string;
  /** On the button that does it. */
  readonly act: string;
}

export function questionTextOf(question: StorageQuestion, runs: number): QuestionText {
  const { ask: texts } = storageDialog();
  switch (question.act) {
    case 'delete': {
      const { title, goes } = texts.delete;
      return { ...texts.delete, title: title(nameOf(question.run)), goes: goes(question.run.records) };
    }
    case 'erase':
      return { ...texts.erase, title: texts.erase.title(nameOf(question.run)) };
    case 'forget':
      return {
        ...texts.forget,
        title: texts.forget.title(question.capability),
        goes: texts.forget.goes(question.values),
      };
    case 'replace':
      return { ...texts.replace, title: texts.replace.title(question.name), goes: texts.replace.goes(runs) };
    case 'delete everything':
      return { ...texts.everything, goes: texts.everything.goes(runs) };
  }
}

/** A run as the list names it. */
export function nameOf({ run_id }: RunRow): string {
  return run_id.slice(0, 8);
}

/** Whether the browser may take it away, and how much room there is. */
export function roomText({ persisted, usage, quota }: StorageStatus): string {
  const texts = storageDialog();
  const promise = persisted === true ? texts.promised : texts.mayEvict;
  if (usage === undefined || quota === undefined) return promise;
  return `${promise}${texts.used(byteSize(usage), byteSize(quota))}`;
}
