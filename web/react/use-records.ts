import { useMemo, useSyncExternalStore } from 'react';
import type { Run, Runtime } from '../../workers/api.ts';
import { assertOption } from './option.ts';
import {
  makeRecordList,
  NO_RECORDS,
  type RecordList,
  type RecordsSnapshot,
  readerById,
  readerOfRun,
} from './record-list.ts';

export interface RecordsOptions {
  /** Number of the newest records that the list holds, at least 1; 1,000 unless given. */
  readonly last?: number;
}

const NO_LIST: RecordList = { subscribe: () => () => undefined, snapshot: () => NO_RECORDS };

/**
 * Records of a run while it grows, each after the ledger has acknowledged it: of a `Run`, or of any stored run by its
 * id, which any tab may write. A larger `last` reads older records. Without a run the list is empty. Throws
 * `option_invalid` for a wrong `last`.
 */
export function useRecords(run: Run | undefined, options?: RecordsOptions): RecordsSnapshot;
export function useRecords(
  runtime: Runtime | undefined,
  run_id: string | undefined,
  options?: RecordsOptions,
): RecordsSnapshot;
export function useRecords(
  source: Run | Runtime | undefined,
  second?: string | RecordsOptions,
  third?: RecordsOptions,
): RecordsSnapshot {
  const run_id = typeof second === 'string' ? second : undefined;
  const { last = 1_000 } = (typeof second === 'object' ? second : third) ?? {};
  const list = useMemo(() => listOf(source, run_id, last), [source, run_id, last]);
  return useSyncExternalStore(list.subscribe, list.snapshot, NO_LIST.snapshot);
}

function listOf(source: Run | Runtime | undefined, run_id: string | undefined, last: number): RecordList {
  assertOption(Number.isSafeInteger(last) && last >= 1, 'last', 'a whole number, 1 or more');
  if (source === undefined) return NO_LIST;
  if ('result' in source) return makeRecordList(readerOfRun(source), last);
  return run_id === undefined ? NO_LIST : makeRecordList(readerById(source, run_id), last);
}
