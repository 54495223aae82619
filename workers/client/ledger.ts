import { isHash } from '../../core/hash.ts';
import { explainedRefs, explainSteps } from '../../core/ledger/explain.ts';
import { unsalted } from '../../core/ledger/payload-ref.ts';
import type { Report } from '../../core/ledger/report.ts';
import { ANCHOR, STORED } from '../../core/ledger/verify.ts';
import { COUNT, FLAG, type OptionType, type OptionTypes, optionsOf, SIGNAL, TEXT } from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { Runtime } from '../api.ts';
import { untilAborted } from '../async.ts';
import { auditLog } from '../auditor/audit-log.ts';
import type { Auditor } from '../auditor/auditor.ts';
import type { CheckOptions } from '../auditor/verify-export.ts';
import type { Kernel } from '../kernel/api.ts';

/** Options are checked here, because a `SallyportError` of the auditor's realm would arrive as another class. */
const CHECK: OptionTypes = {
  anchor: ANCHOR,
  stored: STORED,
  key: TEXT,
  replay: FLAG,
  deadlineMs: COUNT,
  signal: SIGNAL,
};

const HASHES: OptionType = ['a list of hashes', (value) => Array.isArray(value) && value.every(isHash)];

/** `rt.ledger` over the kernel and the auditor. The auditor loads with the first check. */
export function ledgerClient(kernel: Kernel, auditor: () => Promise<Auditor>): Runtime['ledger'] {
  const check = async (jsonl: string, { signal, ...how }: CheckOptions): Promise<Report> => {
    const read = await auditor();
    return untilAborted(signal, read.giveUp, (ticket) => read.check(jsonl, how, ticket));
  };
  const payload: Runtime['ledger']['payload'] = async (run_id, name) => {
    if (typeof name === 'string') return unwrap(await kernel.payload(run_id, name));
    const bytes = unwrap(await kernel.payload(run_id, name.sha256));
    return bytes && unsalted(name, bytes);
  };
  return {
    export: async (run_id, options) => {
      const { secrets = false } = optionsOf(options, { secrets: FLAG });
      return unwrap(await kernel.export(run_id, secrets));
    },
    records: async (run_id) => unwrap(await kernel.records(run_id)),
    explain: async (run_id) => {
      const records = unwrap(await kernel.records(run_id));
      const found = new Map<string, Uint8Array | undefined>();
      for (const ref of explainedRefs(records)) found.set(ref.sha256, await payload(run_id, ref));
      return explainSteps(records, ({ sha256 }) => found.get(sha256));
    },
    payload,
    verify: async (run_id, options) => {
      const how = optionsOf(options, { signal: SIGNAL });
      // asked first: a run that grows meanwhile still begins with it
      const row = unwrap(await kernel.runs()).find((each) => each.run_id === run_id);
      const stored = row && { records: row.records, head: row.head };
      return check(unwrap(await kernel.export(run_id, true)), { ...how, ...(stored && { stored }) });
    },
    archive: async (run_id) => unwrap(await kernel.archive(run_id)),
    delete: async (run_id) => unwrap(await kernel.remove(run_id)),
    erase: async (run_id, options) =>
      unwrap(await kernel.erase(run_id, optionsOf(options, { payloads: HASHES, stored: FLAG }))),
    check: async (jsonl, options) => check(jsonl, optionsOf(options, CHECK)),
    checkpoint: async (options) => unwrap(await kernel.checkpoint(optionsOf(options, { origin: TEXT }).origin)),
    fsck: async (options) => {
      const { signal, ...anchor } = optionsOf(options, { checkpoint: TEXT, key: TEXT, signal: SIGNAL });
      return unwrap(await auditLog(kernel, await auditor(), anchor, signal));
    },
  };
}
