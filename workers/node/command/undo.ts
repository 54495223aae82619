import { cardOf, cardText } from '../../../core/approval/card.ts';
import { visibleLine } from '../../../core/text/visible.ts';
import type {
  ApprovalAnswer,
  ApprovalRequest,
  Runtime,
  UndoEnd,
  UndoneRow,
  UndoPreview,
  UndoTarget,
} from '../../api.ts';
import { deferred } from '../../async.ts';
import { ConfigurationError } from '../../bridges/mcp/gateway/config-file.ts';
import { dataFolder, type GatewayPlaces, placesFor } from '../../bridges/mcp/gateway/data-folder.ts';
import { type Command, type CommandCall, EXIT, type Terminal, UsageError } from './command.ts';
import { connect, isSqliteThere, openLedger } from './mcp.ts';

export const undo: Command = {
  name: 'undo',
  summary: 'Takes calls of a run of sallyport mcp back, newest first, as the configuration says by "reverse".',
  operands: 'RUN [STEP]',
  many: true,
  options: {
    'back-to': { value: 'STEP', help: 'Take back all steps behind this one, which stays; 0: all.' },
    config: { value: 'FILE', help: 'Configuration with the servers, which are started for this command.' },
    ledger: { value: 'PLACE', help: 'A file that ends in .sqlite, or a directory. Absent: in the data folder.' },
    plan: { help: 'Say what would be taken back, and do nothing.' },
    yes: { help: 'Do not ask about each call.' },
  },
  examples: [
    'sallyport undo 3f2a --plan                   # what would be taken back',
    'sallyport undo 3f2a 4                        # step 4 alone',
    'sallyport undo 3f2a --back-to 2 --config servers.json',
  ],
  run: undoIn,
};

async function undoIn(call: CommandCall): Promise<number> {
  const { operands, options, terminal } = call;
  const [run, step, ...more] = operands;
  if (run === undefined) throw new UsageError('No run was named');
  if (more.length > 0) throw new UsageError('Name one run and one step');
  if (step !== undefined && options['back-to'] !== undefined)
    throw new UsageError('A step and --back-to are two: name one');
  const isAsked = options['yes'] !== true && options['plan'] !== true;
  if (isAsked && terminal.ask === undefined) throw new UsageError('Nobody can be asked here: add --yes');
  const range = {
    ...(step !== undefined && { step: numberOf(step, 'STEP') }),
    ...(options['back-to'] !== undefined && { back_to: numberOf(options['back-to'], '--back-to') }),
  };
  const ledger = options['ledger'];
  const given = typeof ledger === 'string' ? ledger : undefined;
  const places = placesFor(given, await isSqliteThere(), dataFolder(process.platform, process.env));
  try {
    return await withServers(call, places, async (runtime) => {
      const runs = (await runtime.runs()).filter(({ run_id }) => run_id.startsWith(run));
      const [found, other] = runs;
      if (found === undefined) throw new UsageError(`No run here begins with ${visibleLine(run)}`);
      if (other !== undefined) throw new UsageError(`More than one run begins with ${visibleLine(run)}`);
      return takeBack(runtime, { run: found.run_id, ...range }, call);
    });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    for (const line of (error as Error).message.split('\n')) terminal.complain(`sallyport: ${line}`);
    return error instanceof ConfigurationError ? EXIT.usage : EXIT.failed;
  }
}

/** Starts the servers of the configuration under the ledger's lock, as `sallyport mcp` does, and serves nobody. */
async function withServers(
  { options, terminal }: CommandCall,
  places: GatewayPlaces,
  act: (runtime: Runtime) => Promise<number>,
): Promise<number> {
  const { openGateway } = await import('../../bridges/mcp/gateway/gateway.ts');
  const opened = deferred<Runtime>();
  const never = deferred<void>();
  const gateway = await openGateway(
    {
      places,
      policy: { allow: [], deny: [] },
      hasPage: false,
      environment: process.env,
      signal: new AbortController().signal,
      say: (line) => terminal.complain(`sallyport: ${line}`),
      ...(typeof options['config'] === 'string' && { config: options['config'] }),
    },
    {
      openRuntime: (given) => openLedger(places, given),
      connect,
      serve: async (runtime) => {
        opened.resolve(runtime);
        return { closed: never.promise, close: async () => undefined };
      },
    },
  );
  try {
    return await act(await opened.promise);
  } finally {
    await gateway.close();
  }
}

async function takeBack(
  runtime: Runtime,
  target: UndoTarget,
  { options, json, terminal }: CommandCall,
): Promise<number> {
  const plan = await runtime.undoPlan(target);
  if (options['plan'] === true) {
    if (json) terminal.printJson(plan);
    else tellPlan(plan, terminal);
    return plan.barriers.length === 0 ? EXIT.ok : EXIT.failed;
  }
  if (!json) tellPlan(plan, terminal);
  const approve = (request: ApprovalRequest) => asked(request, options['yes'] === true, terminal);
  const end = await runtime.undo({ ...target, approve });
  if (json) terminal.printJson(end);
  else tellEnd(end, terminal);
  return end.stands.length === 0 ? EXIT.ok : EXIT.failed;
}

async function asked(request: ApprovalRequest, isYes: boolean, terminal: Terminal): Promise<ApprovalAnswer> {
  if (isYes) return { approved: true };
  for (const line of cardText(cardOf(request)).split('\n')) terminal.print(visibleLine(line));
  const said = (await terminal.ask?.('Take it back? Type "yes": ')) ?? '';
  return said.trim() === 'yes' ? { approved: true } : { approved: false, reason: 'A person said no at the terminal.' };
}

function tellPlan({ calls, barriers, before, later_calls, later_runs }: UndoPreview, terminal: Terminal): void {
  for (const call of calls) terminal.print(`${placeOf(call)}  ${visibleLine(JSON.stringify(call.args))}`);
  for (const barrier of barriers) terminal.print(`${placeOf(barrier)}  cannot be taken back: ${barrier.reason}`);
  for (const { step, capability, run_id } of before)
    terminal.print(`${placeOf({ step, capability })}  taken back before, by the run ${run_id.slice(0, 8)}`);
  if (later_calls > 0) terminal.print(`Later calls of the run that stay: ${later_calls}`);
  if (later_runs > 0) terminal.print(`Runs that began later: ${later_runs}`);
}

function tellEnd({ run_id, undone, stands, failed }: UndoEnd, terminal: Terminal): void {
  for (const row of undone) terminal.print(`${placeOf(row)}  taken back`);
  if (failed !== undefined) terminal.print(`${placeOf(failed)}  stands: ${visibleLine(failed.refusal.message)}`);
  for (const row of stands.slice(failed === undefined ? 0 : 1)) terminal.print(`${placeOf(row)}  stands`);
  terminal.print(`Recorded as the run ${run_id}`);
}

function placeOf({ step, operation, ticket, capability }: UndoneRow): string {
  const inner = [operation === undefined ? '' : `.${operation + 1}`, ticket === undefined ? '' : ` call ${ticket}`];
  return `step ${step}${inner.join('')}  ${visibleLine(capability)}`;
}

function numberOf(given: string | boolean | undefined, name: string): number {
  const number = Number(given);
  if (Number.isSafeInteger(number) && number >= 0 && given !== '') return number;
  throw new UsageError(`${name} takes the number of a step`);
}
