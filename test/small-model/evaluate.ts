import type { Dialect } from '../../core/index.ts';
import { withFiles } from '../../sandbox/capabilities/index.ts';
import { CORPUS } from '../../web/playground/demo/corpus.ts';
import type { ModelPort, Runtime } from '../../workers/api.ts';
import { fromSmallModel, type SmallModelOptions } from '../../workers/bridges/models/small/small-model.ts';
import { openRuntime } from '../../workers/node.ts';
import { type JudgedTask, judge, type Verdict } from './judge.ts';

/** Result of a task, with the model's own proposals. */
export interface Judged {
  readonly task: JudgedTask;
  readonly dialect: Dialect;
  readonly proposals: readonly string[];
  /** Status of each reply that the model was told. */
  readonly told: readonly string[];
  readonly verdict: Verdict;
}

const CAPABILITIES = withFiles(CORPUS);

/** Carries each task out with the small model of these weights. */
export function evaluate(
  weights: Uint8Array,
  tasks: readonly JudgedTask[],
  options: SmallModelOptions = {},
): Promise<readonly Judged[]> {
  return evaluateModel(fromSmallModel(weights, options), tasks);
}

/** Carries each task out in the runtime, with the tools of the playground. Every third task is in FemtoClaw. */
export async function evaluateModel(model: ModelPort, tasks: readonly JudgedTask[]): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  const common = await openFor([]);
  try {
    for (const [at, task] of tasks.entries()) {
      const dialect = at % 3 === 2 ? 'femtoclaw' : 'xct';
      const runtime =
        task.ungranted === undefined && task.person === undefined
          ? common
          : await openFor(task.ungranted ?? [], task.person);
      const { proposals, told } = await carryOut(runtime, model, task, dialect);
      judged.push({ task, dialect, proposals, told, verdict: judge(task, proposals) });
      if (runtime !== common) await runtime.close();
    }
  } finally {
    await common.close();
  }
  return judged;
}

function openFor(ungranted: readonly string[], person?: 'no'): Promise<Runtime> {
  const granted = CAPABILITIES.filter(({ name }) => !ungranted.includes(name));
  return openRuntime({
    capabilities: CAPABILITIES,
    grants: granted.map(({ name, effect }) => ({ capability: name, mode: effect === 'write' ? 'ask' : 'allow' })),
    approve: () => Promise.resolve(person === 'no' ? { approved: false, reason: '' } : { approved: true }),
  });
}

async function carryOut(runtime: Runtime, model: ModelPort, { task, first }: JudgedTask, dialect: Dialect) {
  const proposals: string[] = [];
  let begun = first === undefined;
  const listening: ModelPort = {
    ...model,
    async propose(request, io) {
      if (!begun) {
        begun = true;
        return { text: first ?? '' };
      }
      const said = await model.propose(request, io);
      proposals.push(String(said.text));
      return said;
    },
  };
  const run = runtime.start({ dialect, task, model: listening, limits: { steps: 8 } });
  const told: string[] = [];
  for await (const record of run.records()) if (record.kind === 'receipt') told.push(record.body.receipt.status);
  await run.result;
  return { proposals, told };
}
