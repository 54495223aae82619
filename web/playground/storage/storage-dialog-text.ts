import type { RunRow, StorageStatus } from '../../../workers/api.ts';
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
  switch (question.act) {
    case 'delete':
      return {
        title: `Delete the run ${nameOf(question.run)}?`,
        goes: `Its ${question.run.records} records and every byte they name, from the database and from the private files. This cannot be undone.`,
        stays: `The hashes of its records in the log’s tree, and a record that it was deleted. All other runs still verify, and so does an exported file of this run.`,
        word: 'delete',
        act: 'Delete this run',
      };
    case 'erase':
      return {
        title: `Erase what was said in the run ${nameOf(question.run)}?`,
        goes: 'The bytes of its task, proposals, arguments, results and replies, from the database and from the private files. This cannot be undone.',
        stays:
          'Its records and all hashes: form, hashes, links and anchor still verify. Decisions and replay report that their data is missing. A file of this run, if you have one, is still whole.',
        word: 'erase',
        act: 'Erase what was said',
      };
    case 'replace':
      return {
        title: `Replace everything by ${question.name}?`,
        goes: `This ledger has other records than the backup, and logs do not merge: all that is on this device goes, ${runs} ${runs === 1 ? 'run' : 'runs'} and what belongs to them.`,
        stays:
          'The backup, which was verified, takes its place. Save a backup of what is here first, if you may want it.',
        word: 'replace',
        act: 'Replace everything',
      };
    case 'delete everything':
      return {
        title: 'Delete everything on this device?',
        goes: `All ${runs} ${runs === 1 ? 'run' : 'runs'}, the files you added, what capabilities have kept, the private files and their witness, the key that signs checkpoints, drafts and the progress of lessons. This cannot be undone.`,
        stays:
          'Your exports, backups and other saved files. They still verify, but this device no longer holds their runs.',
        word: 'delete everything',
        act: 'Delete everything',
      };
  }
}

/** A run as the list names it. */
export function nameOf({ run_id }: RunRow): string {
  return run_id.slice(0, 8);
}

/** Whether the browser may take it away, and how much room there is. */
export function roomText({ persisted, usage, quota }: StorageStatus): string {
  const promise = persisted === true ? 'The browser has promised not to evict it.' : 'The browser may evict it.';
  if (usage === undefined || quota === undefined) return promise;
  return `${promise} ${bytesText(usage)} of ${bytesText(quota)} are used.`;
}

function bytesText(bytes: number): string {
  const [unit, size] = bytes >= 1e9 ? ['GB', 1e9] : bytes >= 1e6 ? ['MB', 1e6] : ['kB', 1e3];
  return `${(bytes / Number(size)).toFixed(bytes >= 1e8 && bytes < 1e9 ? 0 : 1)} ${unit}`;
}
