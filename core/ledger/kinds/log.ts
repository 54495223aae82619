import type { Label } from '../../capability/guard.ts';
import { isHash } from '../../hash.ts';
import { isCount } from '../../json/value.ts';
import { arrayOf, type Forms, isRunId, isText, isUuid4, oneOf, optional, shaped } from '../form.ts';
import { isLabels } from './parts.ts';

/** Events of the log itself: records of the run `system`. */
export type LogBody =
  /** The store had fewer records than a witness had seen, and they could not be had again: a new epoch begins. */
  | { readonly event: 'lost'; readonly size: number; readonly root: string; readonly found: number }
  /** The same, and the mirror had them all; `size` and `root` are the log's, as it was restored. */
  | { readonly event: 'restored'; readonly size: number; readonly root: string; readonly found: number }
  /** A run left this device as a file with this hash. */
  | {
      readonly event: 'archived';
      readonly run: string;
      readonly records: number;
      readonly head: string;
      readonly file: string;
    }
  /** The whole log left this device in a file, which is complete. `size` and `root` are of the log in the file. */
  | { readonly event: 'backup_made'; readonly size: number; readonly root: string }
  /**
   * The log of a file was restored behind the `found` records of this one, or in the place of them all. `size` and `root`
   * are of the log in the file.
   */
  | { readonly event: 'backup_restored'; readonly size: number; readonly root: string; readonly found: number }
  /** A run's records and bytes were deleted; the hashes of the records stay in the log's tree. */
  | { readonly event: 'deleted'; readonly run: string; readonly records: number; readonly head: string }
  /** Bytes that a run's records name were erased, and so many values that it was the last to store; the records stay. */
  | { readonly event: 'erased'; readonly run: string; readonly payloads: readonly string[]; readonly values?: number }
  /** So many values that capabilities of this name had stored were erased. */
  | { readonly event: 'forgotten'; readonly capability: string; readonly values: number }
  /** A person has cleared a source that was handed held values: later runs know nothing of that. */
  | { readonly event: 'cleared'; readonly source: string; readonly labels: readonly Label[] }
  /**
   * The end of a message about a question that waited for a person: the origin that it went to, how often it was tried, and
   * the status of the last answer. `answered`: the question was answered before a try had got through.
   */
  | {
      readonly event: 'notified';
      readonly run: string;
      readonly digest: string;
      readonly to: string;
      readonly tries: number;
      readonly outcome: 'delivered' | 'failed' | 'answered';
      readonly status?: number;
    }
  /** The content that a step had written was undone: each file has its earlier text again. */
  | {
      readonly event: 'undone';
      readonly run: string;
      readonly step: number;
      readonly files: readonly { readonly path: string; readonly before: string; readonly after: string }[];
    };

/** Kind of the log itself. */
export interface LogBodies {
  log: LogBody;
}

const UNDONE = { path: isText, before: isHash, after: isHash };
const LOG_SIZE = { size: isCount, root: isHash, found: isCount };
const RUN_HEAD = { run: isUuid4, records: isCount, head: isHash };

export const LOG_FORMS: Forms<LogBodies> = {
  log: {
    byEvent: {
      lost: { event: oneOf('lost'), ...LOG_SIZE },
      restored: { event: oneOf('restored'), ...LOG_SIZE },
      archived: { event: oneOf('archived'), ...RUN_HEAD, run: isRunId, file: isHash },
      backup_made: { event: oneOf('backup_made'), size: isCount, root: isHash },
      backup_restored: { event: oneOf('backup_restored'), ...LOG_SIZE },
      deleted: { event: oneOf('deleted'), ...RUN_HEAD },
      erased: { event: oneOf('erased'), run: isUuid4, payloads: arrayOf(isHash), values: optional(isCount) },
      forgotten: { event: oneOf('forgotten'), capability: isText, values: isCount },
      cleared: { event: oneOf('cleared'), source: isText, labels: isLabels },
      notified: {
        event: oneOf('notified'),
        run: isRunId,
        digest: isHash,
        to: isText,
        tries: isCount,
        outcome: oneOf('delivered', 'failed', 'answered'),
        status: optional(isCount),
      },
      undone: { event: oneOf('undone'), run: isUuid4, step: isCount, files: arrayOf(shaped(UNDONE)) },
    },
  },
};
