import type { CallFailureKind, CallLimits, CallSettled, PowerCall } from '../../core/index.ts';
import { type CallStep, type PowerAnswer, type PowerRequest, recordPowerCall } from '../../sandbox/index.ts';
import type { CallRequest, CarryOut } from './port.ts';
import { Lost, type Station } from './station.ts';

/** One call and what it may ask of its pool. */
export interface Drive {
  readonly request: CallRequest;
  readonly limits: CallLimits;
  readonly powers: CarryOut | undefined;
  readonly watchMs: number;
  /** Resolves when the call is to end, whatever it is doing. */
  readonly stopped: Promise<unknown>;
  allowed(): boolean;
  station(): Promise<Station>;
  hung(): void;
}

let calls = 0;

/** Drives one call to its end. Never rejects. */
export async function drive(call: Drive): Promise<CallSettled> {
  const answered: PowerCall[] = [];
  const fail = (kind: CallFailureKind): CallSettled => ({
    ok: false,
    kind,
    fuel: 0,
    console: [],
    powerCalls: answered,
  });
  const stopped = call.stopped.then(() => fail('aborted'));
  return Promise.race([stopped, run(call, answered).catch((error: unknown) => fail(lossOf(call, error)))]);
}

function lossOf(call: Drive, error: unknown): CallFailureKind {
  if (!(error instanceof Lost) || error.how !== 'hang') return 'corrupt';
  call.hung();
  return 'hang';
}

async function run(call: Drive, answered: PowerCall[]): Promise<CallSettled> {
  if (!call.allowed()) return { ok: false, kind: 'hang', fuel: 0, console: [], powerCalls: [] };
  const number = ++calls;
  const { station, step } = await begin(call, number);
  void call.stopped.then(() => leave(station, number));
  return answer(call, station, number, step, answered);
}

/** A worker that is lost before the call began in it costs the call nothing. */
async function begin(call: Drive, number: number): Promise<{ station: Station; step: CallStep }> {
  const { hash, args, seed, now, heapHash = false } = call.request;
  const station = await call.station();
  try {
    const step = await station.turn(call.watchMs, (remote) =>
      remote.begin(number, hash, args, { seed, now, heapHash }),
    );
    return { station, step };
  } catch (error) {
    if (error instanceof Lost && error.how === 'unbegun') return begin(call, number);
    throw error;
  }
}

/** Powers are carried out at once and side by side; their answers go back one by one, in the order of the questions. */
async function answer(
  call: Drive,
  station: Station,
  number: number,
  first: CallStep,
  answered: PowerCall[],
): Promise<CallSettled> {
  const open: { readonly request: PowerRequest; readonly answer: Promise<PowerAnswer> }[] = [];
  let step = first;
  while (!step.done) {
    for (const request of step.requests) open.push({ request, answer: carryOut(call.powers, request) });
    const next = open.shift();
    if (next === undefined) throw new Lost('gone');
    const settled = await next.answer;
    const recorded = recordPowerCall(next.request, settled, call.limits.bytesIn);
    if (!('kind' in recorded)) answered.push(recorded);
    step = await station.turn(call.watchMs, (remote) => remote.resume(number, next.request.ticket, settled));
  }
  return step.settled;
}

/** The power belongs to the page: it may throw anything, and return anything. */
async function carryOut(powers: CarryOut | undefined, { name, args }: PowerRequest): Promise<PowerAnswer> {
  try {
    if (powers === undefined) throw new Error(`power ${name} is not provided`);
    return { ok: true, text: await powers(name, args) };
  } catch (error) {
    const said =
      error instanceof Error ? { name: error.name, message: error.message } : { name: 'Error', message: String(error) };
    return { ok: false, error: said };
  }
}

function leave(station: Station, number: number): void {
  station.turn(1000, (remote) => remote.drop(number)).catch(() => undefined);
}
