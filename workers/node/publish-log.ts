import { CALLBACK, demand, type OptionType, type OptionTypes, optionsOf } from '../../core/option.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Signer } from '../auditor/checkpoint.ts';
import { type LogPlace, type PublishedLog, publishTo } from '../auditor/publish-log.ts';
import { isLedgerStore, type RuntimeStore } from '../store/runtime-store.ts';
import type { LedgerStore } from '../store/store.ts';
import { signerIn } from './log-key.ts';

export interface PublishOptions extends LogPlace {
  /** The private key of the log, made by `makeLogKey`. */
  readonly key: string;
}

/**
 * Publishes the log of an open store as a signed checkpoint and static tiles (C2SP), in a folder or a bucket: `write`
 * gets the new files, the checkpoint last, and `read` reads what is there. Refuses, and writes no file, where the log
 * has not grown out of the published log: `log_rolled_back`, `log_forked`, `checkpoint_unsigned`. Throws
 * `option_invalid`.
 */
export async function publishLog(store: RuntimeStore, options: PublishOptions): Promise<Outcome<PublishedLog>> {
  demand('store', store, STORE);
  const { key, read, write } = optionsOf(options, OPTIONS, Object.keys(OPTIONS));
  return publishTo({ read, write }, store as LedgerStore & RuntimeStore, signerIn(key) as Signer);
}

const STORE: OptionType = ['an open store', isLedgerStore];
const KEY: OptionType = [
  'a private key of makeLogKey',
  (value) => typeof value === 'string' && signerIn(value) !== undefined,
];
const OPTIONS: OptionTypes = { key: KEY, read: CALLBACK, write: CALLBACK };
