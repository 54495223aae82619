/** Parts of the client that a run's start does not need. They load while the runtime opens. */

import { refuse } from '../../core/errors.ts';
import { isHash } from '../../core/hash.ts';
import { isObject } from '../../core/json/value.ts';
import { ANCHOR, type Report, STORED } from '../../core/ledger/checks.ts';
import { explainedRefs, explainSteps } from '../../core/ledger/explain.ts';
import { type HeldReceipt, heldIn } from '../../core/ledger/held.ts';
import { handlesNamed, heldParts, openedHandle } from '../../core/ledger/held-parts.ts';
import { type PayloadRef, unsalted } from '../../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import {
  CALLBACK,
  COUNT,
  demand,
  FLAG,
  OBJECT,
  type OptionType,
  type OptionTypes,
  optionsOf,
  SIGNAL,
  STRING,
  TEXT,
} from '../../core/option.ts';
import { pass } from '../../core/outcome.ts';
import type { Allowed, AllowedOptions, PastPermissions } from '../../core/privilege/allowed.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { FollowOptions, PayloadPage, Runtime } from '../api.ts';
import { orAborted, untilAborted } from '../async.ts';
import { auditLog } from '../auditor/audit-log.ts';
import type { Auditor } from '../auditor/auditor.ts';
import type { CheckOptions } from '../auditor/verify-export.ts';
import type { Kernel, RunReader } from '../kernel/api.ts';
import { part } from '../load-part.ts';
import type { Calls } from './calls.ts';

export { untilAborted } from '../async.ts';

interface SecondaryClients extends Pick<Runtime, 'ledger' | 'storage' | 'held'> {
  readonly look: RunReader;
  follow(run_id: string, options?: FollowOptions): AsyncGenerator<LedgerRecord>;
  readonly allowed: Runtime['grants']['allowed'];
}

/** Makes the parts. Their questions to the auditor and to the browser reject when the runtime is closed. */
export function secondaryClients(calls: Calls, auditor: () => Promise<Auditor>): SecondaryClients {
  const { kernel, answered, close } = calls;
  const storage = storageClient(kernel, answered);
  return {
    look: kernel.look,
    held: heldClient(kernel),
    ledger: ledgerClient(kernel, auditor, answered),
    storage: {
      ...storage,
      replace: async (backup, options) => {
        await storage.replace(backup, options);
        close();
      },
      deleteEverything: async () => {
        await storage.deleteEverything();
        close();
      },
    },
    follow: (run_id, options) => follow(kernel, run_id, options),
    allowed: (options) => allowed(kernel, options),
  };
}

const loadAllowed = part(() => import('../../core/privilege/allowed.ts'));

/** Reads the runs of the ledger, the newest first, until enough decisions are counted. */
async function allowed(kernel: Kernel, options: Pick<AllowedOptions, 'by'> = {}): Promise<Allowed> {
  demand('options', options, OBJECT);
  const { by } = options;
  const { allowedNow, DECISIONS_MAX, joinedPermissions, permissionsIn } = await loadAllowed();
  const rows = unwrap(await kernel.runs());
  const past: PastPermissions[] = [];
  let count = 0;
  for (const { run_id } of rows.toSorted((one, other) => other.at - one.at)) {
    if (count > DECISIONS_MAX) break;
    const records = await kernel.records(run_id);
    // a run that is erased meanwhile, or that cannot be read, tells nothing
    const told = permissionsIn(records.ok ? records.value : []);
    past.push(told);
    count += told.permissions.length;
  }
  const [grants, sources] = await Promise.all([kernel.grants(), kernel.handed()]);
  const { isCut, ...history } = joinedPermissions(past);
  const isLeft = past.length < rows.length;
  const told = { history, now: Date.now(), sources: unwrap(sources), isCut: isCut || isLeft };
  return allowedNow(grants, { ...told, ...(by !== undefined && { by }) });
}

/** Options are checked here, because a `SallyportError` of the auditor's realm would arrive as another class. */
const CHECK: OptionTypes = {
  anchor: ANCHOR,
  stored: STORED,
  key: TEXT,
  replay: FLAG,
  deadlineMs: COUNT,
  signal: SIGNAL,
  onProgress: CALLBACK,
};

/** ms between two questions for the progress of a check. */
const PROGRESS_MS = 200;

const PAYLOAD: OptionType = [
  'a hash, or a reference to a payload',
  (value) => STRING[1](value) || (isObject(value) && STRING[1](value['sha256'])),
];

/** The id as a program gave it: stores compare other values in ways of their own. */
function idOf(run_id: string): string {
  demand('run_id', run_id, STRING);
  return run_id;
}

const HASHES: OptionType = ['a list of hashes', (value) => Array.isArray(value) && value.every(isHash)];

/** `rt.ledger` over the kernel and the auditor. The auditor loads with the first check. */
function ledgerClient(kernel: Kernel, open: () => Promise<Auditor>, answered: Calls['answered']): Runtime['ledger'] {
  const auditor = () => answered(open);
  const check = async (jsonl: string | Blob, { signal, onProgress, ...how }: CheckOptions): Promise<Report> => {
    const read = await auditor();
    return answered(() =>
      untilAborted(signal, read.giveUp, async (ticket) => {
        const tell = async (): Promise<void> => onProgress?.(await read.progress(ticket));
        const watch = onProgress && setInterval(() => void tell().catch(() => undefined), PROGRESS_MS);
        try {
          return await read.check(jsonl, how, ticket);
        } finally {
          clearInterval(watch);
        }
      }),
    );
  };
  return {
    export: async (run_id, options) => {
      const { secrets = false } = optionsOf(options, { secrets: FLAG });
      return unwrap(await kernel.export(idOf(run_id), secrets));
    },
    records: async (run_id) => unwrap(await kernel.records(idOf(run_id))),
    explain: async (run_id) => {
      const records = unwrap(await kernel.records(idOf(run_id)));
      const wanted = new Map(explainedRefs(records).map((ref) => [ref.sha256, ref]));
      const found = new Map<string, Uint8Array>();
      // in one pass over the run: there may be a payload for each step
      for (let from: number | undefined = 0; from !== undefined && found.size < wanted.size; ) {
        const page: PayloadPage = unwrap(await kernel.payloads(run_id, from));
        for (const { sha256, bytes } of page.payloads) {
          const ref = wanted.get(sha256);
          if (ref !== undefined) found.set(sha256, unsalted(ref, bytes));
        }
        from = page.next;
      }
      return explainSteps(records, ({ sha256 }) => found.get(sha256));
    },
    payload: async (run_id, name, options) => {
      const { record } = optionsOf(options, { record: COUNT });
      demand('name', name, PAYLOAD);
      const sha256 = typeof name === 'string' ? name : name.sha256;
      const bytes = unwrap(await kernel.payload(idOf(run_id), sha256, record));
      return bytes && typeof name !== 'string' ? unsalted(name, bytes) : bytes;
    },
    payloads: async (run_id, from = 0) => {
      demand('from', from, COUNT);
      return unwrap(await kernel.payloads(idOf(run_id), from));
    },
    verify: async (run_id, options) => {
      const how = optionsOf(options, { signal: SIGNAL });
      demand('run_id', run_id, STRING);
      // asked first: a run that grows meanwhile still begins with it
      const row = unwrap(await kernel.runs()).find((each) => each.run_id === run_id);
      const stored = row && { records: row.records, head: row.head };
      return check(unwrap(await kernel.export(run_id, true)), { ...how, ...(stored && { stored }) });
    },
    archive: async (run_id) => unwrap(await kernel.archive(idOf(run_id))),
    delete: async (run_id) => unwrap(await kernel.remove(idOf(run_id))),
    erase: async (run_id, options) =>
      unwrap(await kernel.erase(idOf(run_id), optionsOf(options, { payloads: HASHES, stored: FLAG }))),
    check: async (jsonl, options) => check(jsonl, optionsOf(options, CHECK)),
    checkpoint: async (options) => unwrap(await kernel.checkpoint(optionsOf(options, { origin: TEXT }).origin)),
    fsck: async (options) => {
      const { signal, ...anchor } = optionsOf(options, { checkpoint: TEXT, key: TEXT, signal: SIGNAL });
      const read = await auditor();
      return unwrap(await answered(() => auditLog(kernel, read, anchor, signal)));
    },
  };
}

/** `rt.storage` over the kernel. The code for backups loads with the first backup. */
function storageClient(kernel: Kernel, answered: Calls['answered']): Runtime['storage'] {
  return {
    status: () => kernel.storage(),
    persist: () => answered(persist),
    backup: async (options) => unwrap(await (await backups()).backupToBlob(kernel, options)),
    // the stream is the program's: it may not take a byte any more
    backupTo: (stream, options) =>
      answered(async () => unwrap(await (await backups()).backupToStream(kernel, stream, options))),
    restore: async (backup, options) => unwrap(await (await backups()).restoreBackup(kernel, backup, options)),
    replace: async (backup, options) => unwrap(await (await backups()).replaceByBackup(kernel, backup, options)),
    deleteEverything: async () => unwrap(await kernel.destroy()),
    events: async () => unwrap(await kernel.records('system')),
  };
}

const backups = part(() => import('./backup.ts'));

/** Asks the browser for persistent storage. Only a page can ask; other realms get false. */
async function persist(): Promise<boolean> {
  const { storage } = (globalThis as { navigator?: { storage?: { persist?(): Promise<boolean> } } }).navigator ?? {};
  return (await storage?.persist?.()) ?? false;
}

/** Yields the records of a run while its owner writes them, to the seal or until the signal aborts. */
async function* follow(
  { look }: { readonly look: RunReader },
  run_id: string,
  options?: FollowOptions,
): AsyncGenerator<LedgerRecord> {
  const { signal, onWriter } = optionsOf(options, { signal: SIGNAL, onWriter: CALLBACK });
  demand('run_id', run_id, STRING);
  let written: boolean | undefined;
  for (let next = 0; ; ) {
    const found = await orAborted(look(run_id, next), signal);
    if (found === undefined) return;
    const { records, isWritten, hasMore } = unwrap(found);
    if (isWritten !== written) onWriter?.(isWritten);
    written = isWritten;
    yield* records;
    if (signal?.aborted || (!hasMore && records.at(-1)?.kind === 'seal')) return;
    next += records.length;
  }
}

/** `rt.held` over the records and the payloads of a run. */
function heldClient(kernel: Pick<Kernel, 'records' | 'payload' | 'handed' | 'clear'>): Runtime['held'] {
  const list = async (run_id: string): Promise<readonly HeldReceipt[]> =>
    heldIn(unwrap(await kernel.records(idOf(run_id))));
  const read = async (run_id: string, ref: PayloadRef): Promise<Uint8Array | undefined> => {
    const bytes = unwrap(await kernel.payload(run_id, ref.sha256));
    return bytes && unsalted(ref, bytes);
  };
  return {
    sources: async () => unwrap(await kernel.handed()),
    clear: async (source) => {
      demand('source', source, STRING);
      unwrap(await kernel.clear(source));
    },
    list: async (run_id) => (await list(run_id)).map(({ outcome: _, ...row }) => row),
    open: async (run_id, handle) => {
      const row = (await list(run_id)).find((each) => each.handle === handle);
      if (row === undefined) return refuse('held_unknown', { handle: String(handle) });
      return pass(openedHandle(row, await read(run_id, row.outcome)));
    },
    parts: async (run_id, text) => {
      demand('text', text, STRING);
      const named = new Set(handlesNamed(text));
      const rows = named.size === 0 ? [] : (await list(run_id)).filter(({ handle }) => named.has(handle));
      const found = new Map<string, Uint8Array | undefined>();
      for (const { status, outcome } of rows)
        if (status === 'success') found.set(outcome.sha256, await read(run_id, outcome));
      return heldParts(text, rows, ({ sha256 }) => found.get(sha256));
    },
  };
}
