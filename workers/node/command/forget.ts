import { statSync } from 'node:fs';
import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { LABEL_ROWS, labelPrefix } from '../../../core/run/commit/storage.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type { Erasure, StoredEntry } from '../../api.ts';
import { finishErasures, makeRetention } from '../../kernel/retention.ts';
import { openDirectoryStore } from '../../store/directory/store.ts';
import type { SharedStore } from '../../store/shared-store.ts';
import { openSqliteStore } from '../../store/sqlite/store.ts';
import type { LedgerStore } from '../../store/store.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { lookAt, refused, runIn } from './look-at.ts';

export const forget: Command = {
  name: 'forget',
  summary: 'Lists what the capabilities of a ledger have stored, and erases it, or the texts of a run.',
  operands: 'DIRECTORY|FILE',
  options: {
    run: {
      value: 'ID',
      help: 'Erase the texts of this run; the beginning of its id is enough. Its records and all hashes stay.',
    },
    stored: { help: 'With --run: also the values that this run was the last to store.' },
    capability: { value: 'NAME', help: 'Erase the values that capabilities of this name have stored.' },
    yes: { help: 'Do not ask.' },
  },
  examples: [
    'sallyport forget ./ledger                         # lists the stored values',
    'sallyport forget ./ledger --capability notes.put',
    'sallyport forget ledger.sqlite --run ID --stored --yes',
  ],
  run: forgetIn,
};

async function forgetIn(call: CommandCall): Promise<number> {
  const { operands, options, json, terminal } = call;
  const [path] = operands;
  const { capability, stored } = options;
  if (path === undefined) throw new UsageError('No directory or file was named');
  if (options['run'] !== undefined && capability !== undefined)
    throw new UsageError('--run and --capability are two: name one');
  if (stored === true && options['run'] === undefined)
    throw new UsageError('--stored is of a run, and there is no --run');
  // a ledger that is not there is not made
  const looked = lookAt(path);
  if (!looked.ok) return refused(looked.refusal, terminal);
  const { run, entries } = await lookFor(looked.value, options);
  if (!entries.ok) return refused(entries.refusal, terminal);
  if (typeof run !== 'string' && typeof capability !== 'string') return list(entries.value, json, terminal);
  const values =
    typeof run === 'string' ? entries.value.filter((each) => stored === true && each.run_id === run) : entries.value;
  if (options['yes'] !== true && !(await isWanted(run ?? capability, values.length, terminal))) return EXIT.failed;
  const store = openForWriting(path);
  if (!store.ok) return refused(store.refusal, terminal);
  await finishErasures({ store: store.value, claim: store.value.claim });
  const retention = makeRetention({ store: store.value }, (run_id, act) => asOnlyWriter(store.value, run_id, act));
  const done = await (typeof run === 'string'
    ? retention.erase(run, { stored: stored === true })
    : retention.forgetStored(String(capability)));
  await store.value.close();
  if (!done.ok) {
    terminal.complain(done.refusal.message);
    return EXIT.failed;
  }
  tell(done.value, typeof run === 'string', json, terminal);
  return EXIT.ok;
}

async function lookFor(store: LedgerStore, options: CommandCall['options']): ReturnType<typeof namedIn> {
  try {
    return await namedIn(store, options);
  } finally {
    await store.close();
  }
}

/** The run that is named, in full, and the stored values of the name, or of all names. */
async function namedIn(
  store: LedgerStore,
  { run, capability }: CommandCall['options'],
): Promise<{ readonly run: string | undefined; readonly entries: Outcome<readonly StoredEntry[]> }> {
  const entries = await makeRetention({ store }, never).stored();
  if (typeof capability !== 'string' || !entries.ok)
    return { run: typeof run === 'string' ? await runIn(store, run) : undefined, entries };
  const own = entries.value.filter((entry) => entry.capability === capability);
  // labels outlive the values: older values may still stand in the files
  const isKnown = own.length > 0 || (await hasLabels(store, capability));
  if (!isKnown) throw new UsageError(unknownName(capability, entries.value));
  return { run: undefined, entries: { ...entries, value: own } };
}

async function hasLabels(store: LedgerStore, capability: string): Promise<boolean> {
  const rows = await Promise.all(LABEL_ROWS.map((row) => store.get('kept', `${labelPrefix(capability)}${row}`)));
  return rows.some((row) => row.ok && row.value !== undefined);
}

function unknownName(given: string, entries: readonly StoredEntry[]): string {
  const names = [...new Set(entries.map(({ capability }) => visibleLine(capability)))];
  const others = names.length === 0 ? 'no other has, either' : `these have: ${names.join(', ')}`;
  return `No capability ${visibleLine(given)} has stored a value here; ${others}`;
}

function list(entries: readonly StoredEntry[], json: boolean, terminal: Terminal): number {
  if (json) terminal.printJson(entries);
  else if (entries.length === 0) terminal.print('No capability has stored a value');
  else
    for (const { capability, key, value, run_id } of entries)
      terminal.print(
        `${visibleLine(capability)}  ${visibleLine(key)}  ${visibleLine(JSON.stringify(value))}${run_id === undefined ? '' : `  by ${visibleLine(run_id)}`}`,
      );
  return EXIT.ok;
}

function tell({ values }: Erasure, isRun: boolean, json: boolean, terminal: Terminal): void {
  if (json) return terminal.printJson({ values });
  const texts = isRun ? 'The texts of the run are erased; its records and hashes stay. ' : '';
  terminal.print(`${texts}${values} stored ${values === 1 ? 'value is' : 'values are'} erased`);
}

async function isWanted(what: unknown, values: number, terminal: Terminal): Promise<boolean> {
  if (terminal.ask === undefined) throw new UsageError('Nobody can be asked here: add --yes');
  const answer = await terminal.ask(
    `Erase ${visibleLine(String(what))}, with ${values} stored ${values === 1 ? 'value' : 'values'}? This cannot be undone. Type "erase": `,
  );
  return answer.trim() === 'erase';
}

function openForWriting(path: string): Outcome<SharedStore> {
  return statSync(path).isFile() ? openSqliteStore(path) : openDirectoryStore(path);
}

async function asOnlyWriter<T>(
  store: SharedStore,
  run_id: string,
  act: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const release = await store.claim(run_id);
  if (release === undefined) return refuse('run_open', { run_id });
  return act().finally(release);
}

const never = async (): Promise<Outcome<never>> => refuse('run_open', { run_id: '' });
