import { type CapabilityDefinition, type Outcome, type Refusal, SallyportError } from '../core/index.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  ModelPort,
  Run,
  Runtime,
  RuntimeInfo,
  RuntimeOptions,
  RunView,
  StartOptions,
} from './api.ts';
import { makeFeed } from './feed.ts';
import type { Kernel } from './kernel.ts';
import type { Proposer, RunListener } from './ports.ts';

/** How functions cross to the kernel: as they are in one realm, as proxies over a message port. */
export type Cross = <T extends object>(value: T) => T;

/**
 * The public face over a kernel, the same in the page and in Node. Misuse throws `SallyportError`; whatever can be
 * expected to go wrong in a run is in its records and its result.
 */
export async function openClient(kernel: Kernel, options: RuntimeOptions, cross: Cross = (value) => value): Promise<Runtime> {
  for (const capability of options.capabilities ?? []) value(await kernel.register(definitionOf(capability), true));
  for (const grant of options.grants ?? []) value(await kernel.grant(grant));
  const info: RuntimeInfo = await kernel.info();
  return {
    info,
    capabilities: {
      list: () => kernel.capabilities(),
      register: async (definition) => value(await kernel.register(definitionOf(definition), false)),
      enable: async (name) => value(await kernel.enable(name, true)),
      disable: async (name) => value(await kernel.enable(name, false)),
    },
    start: (start) => startRun(kernel, start, options.approve, cross),
    runs: async () => value(await kernel.runs()),
    ledger: {
      export: async (run_id) => value(await kernel.export(run_id)),
      records: async (run_id) => value(await kernel.records(run_id)),
      payload: async (run_id, sha256) => value(await kernel.payload(run_id, sha256)),
      verify: async (run_id) => value(await kernel.verify(run_id)),
    },
    close: () => kernel.close(),
  };
}

/** Only data crosses to the kernel: what a definition carries for its author's types stays here. */
function definitionOf({ name, version, description, args, result, effect, powers, limits, source }: CapabilityDefinition): CapabilityDefinition {
  const optional = { ...(result && { result }), ...(powers && { powers }), ...(limits && { limits }) };
  return { name, version, description, args, effect, source, ...optional };
}

/** A refusal where a program, not a model, was wrong. */
export function refusalError({ code, message, details }: Refusal): SallyportError {
  const { line, column } = details;
  return new SallyportError(code, message, details, typeof line === 'number' && typeof column === 'number' ? { line, column } : {});
}

function value<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw refusalError(outcome.refusal);
}

type Approve = RuntimeOptions['approve'];

function startRun(kernel: Kernel, options: StartOptions, approve: Approve, cross: Cross): Run {
  const id = crypto.randomUUID();
  const feed = makeFeed(id, options.dialect);
  let touched = options.paused === true;
  const answer = (digest: string, said: ApprovalAnswer) => kernel.answer(id, digest, said);
  let asked = '';
  const listener: RunListener = (update) => {
    feed.tell(update);
    const { pending } = update.view;
    if (approve === undefined || pending === undefined || pending.digest === asked) return;
    asked = pending.digest;
    void askPerson(approve, pending).then((said) => answer(pending.digest, said));
  };
  const { dialect, task, budgets = {}, limits = {}, model } = options;
  const request = { run_id: id, dialect, task, model: model.id, budgets, limits };
  const started = kernel.start(request, cross(proposerOf(model)), cross(listener)).then((outcome) => {
    value(outcome);
    // Whoever wants to step says so in the same turn; everybody else wants it to run.
    setTimeout(() => void (touched || kernel.command(id, 'run')));
  });
  started.catch(feed.fail);
  const command = async (type: 'step' | 'run' | 'pause') => {
    touched = true;
    await started;
    await kernel.command(id, type);
  };
  return {
    id,
    get view() {
      return feed.view();
    },
    result: feed.result,
    step: async () => {
      await command('step');
      await feed.until((view) => atRest(view, approve !== undefined));
    },
    run: () => command('run'),
    pause: () => command('pause'),
    resume: () => command('run'),
    abort: async (reason = 'aborted') => {
      touched = true;
      await started;
      await kernel.abort(id, reason);
    },
    say: async (words) => {
      await started;
      await kernel.say(id, words);
    },
    answer,
    records: () => feed.records(),
    watch: (watcher) => feed.watch(watcher),
  };
}

function atRest(view: RunView, answers: boolean): boolean {
  if (view.end !== undefined) return true;
  if (view.phase === 'AWAITING_APPROVAL') return !answers;
  return view.phase === 'IDLE' && view.mode === 'paused';
}

/** An approver that fails has not approved. */
async function askPerson(approve: NonNullable<Approve>, request: ApprovalRequest): Promise<ApprovalAnswer> {
  try {
    const said = await approve(request);
    if (said.approved !== true) return { approved: false, reason: String(said.reason ?? '') };
    return said.standing === undefined ? { approved: true } : { approved: true, standing: said.standing };
  } catch (error) {
    return { approved: false, reason: `the approver failed: ${String(error)}` };
  }
}

/** A model as the kernel sees it: every answer a value, cancelled by a call instead of a signal. */
function proposerOf(model: ModelPort): Proposer {
  let controller = new AbortController();
  return {
    async propose(request) {
      controller = new AbortController();
      try {
        return { text: (await model.propose(request, { signal: controller.signal })).text };
      } catch (error) {
        const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
        const exhausted = error instanceof SallyportError && error.code === 'model_exhausted';
        return { failed: exhausted ? 'model_exhausted' : 'model_failed', error: { name, message } };
      }
    },
    cancel: () => controller.abort(),
  };
}
