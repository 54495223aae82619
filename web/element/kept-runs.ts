import { type Code, SallyportError } from '../../core/index.ts';
import type { Run, Runtime } from '../../workers/api.ts';

/** Runs that are remembered for a name: each open tab of the page may have one. */
const RUNS_MAX = 16;

/** Kept runs that no later page can take up. The next run takes their place. */
const refused = new Set<string>();

/**
 * Reasons that stand in the records of a run, or in this build and the model of this page. Every other reason may pass:
 * a full disk, a store that another program holds, a file that did not load.
 */
const LASTING: ReadonlySet<string> = new Set<Code>([
  'run_absent',
  'run_sealed',
  'run_foreign',
  'run_erased',
  'payload_missing',
  'record_malformed',
  'facts_altered',
  'behaviour_other',
  'model_elsewhere',
]);

/** Other pages of this origin share its storage and its ledger, so a name belongs to the path of its page. */
function keyOf(name: string): string {
  return `sallyport.run ${location.pathname.replace(/index\.html?$/u, '')} ${name}`;
}

/** Ids of the runs under this name, newest first. Scripts of the origin can write them: data until the ledger has the run. */
export function keptRuns(name: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, RUNS_MAX) : [];
  } catch {
    return [];
  }
}

/** Remembers a run under this name. A page without storage has no run after a reload, and remembers none. */
export function keepRun(name: string, run_id: string): void {
  const others = keptRuns(name).filter((id) => id !== run_id && !refused.has(id));
  keep(name, [run_id, ...others].slice(0, RUNS_MAX));
}

function keep(name: string, ids: readonly string[]): void {
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(ids));
  } catch {
    // no storage, or a full one
  }
}

/** The driver of an element, which resumes a run. */
interface Driver {
  readonly runtime: Runtime;
  takeUp(run_id: string): Promise<Run>;
}

/** Time in which a browser ends the kernel of a page that was left: a reloaded page finds its run still claimed. */
const LEAVING_MS = 2_000;

/**
 * Takes up the newest run under this name that is not over, and gives its task. Undefined where there is none. A run
 * that another tab drives is passed over, after the time in which a page that was left lets go of it. Rejects with the
 * reason of `resume` where no run can be taken up; a run whose reason may pass stays, behind the next run.
 */
export async function takeUpKept(name: string, driver: Driver): Promise<string | undefined> {
  const { runtime } = driver;
  const before = new Set(keptRuns(name));
  const open = new Set((await runtime.runs()).flatMap(isOpen));
  // what another tab has begun meanwhile is not among the runs that were read
  keep(
    name,
    keptRuns(name).filter((id) => open.has(id) || !before.has(id)),
  );
  const kept = keptRuns(name).filter((id) => open.has(id));
  const due = performance.now() + LEAVING_MS;
  let elsewhere: SallyportError | undefined;
  for (const run_id of kept) {
    try {
      await takeUpBy(due, driver, run_id);
      return await taskOf(runtime, run_id);
    } catch (error) {
      if (!isElsewhere(error)) {
        if (error instanceof SallyportError && LASTING.has(error.code)) refused.add(run_id);
        throw error;
      }
      elsewhere ??= error;
    }
  }
  if (elsewhere !== undefined) throw elsewhere;
  return undefined;
}

/** Takes up a run. Where another page has it, asks again until `due`. */
async function takeUpBy(due: number, driver: Driver, run_id: string): Promise<void> {
  for (;;) {
    try {
      return void (await driver.takeUp(run_id));
    } catch (error) {
      if (!isElsewhere(error) || performance.now() > due) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function isElsewhere(error: unknown): error is SallyportError {
  return error instanceof SallyportError && error.code === 'run_open';
}

/** No element starts a session, and no run of a backup goes on. */
function isOpen({ run_id, sealed, foreign, caller }: Awaited<ReturnType<Runtime['runs']>>[number]): readonly string[] {
  return sealed || foreign || caller !== undefined ? [] : [run_id];
}

async function taskOf({ ledger }: Runtime, run_id: string): Promise<string> {
  const task = (await ledger.records(run_id)).find((record) => record.kind === 'task');
  const bytes = task && (await ledger.payload(run_id, task.body.text, { record: task.run_seq }));
  return new TextDecoder().decode(bytes);
}
