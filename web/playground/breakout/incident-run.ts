import { isObject, type JsonValue, type LedgerRecord, type ToolDefinition } from '../../../core/index.ts';
import type { GrantOption, ModelPort, Runtime, RuntimeOptions } from '../../../workers/api.ts';
import type { WhyAsked } from '../../records/why-asked.ts';
import { type Incident, type IncidentWay, type ScriptedRun, type Told, WAYS, type World } from './incidents.ts';

/** Opens a runtime in memory. A page passes its own `openRuntime`, a test that of Node. */
export type OpenForIncident = (
  options: Pick<RuntimeOptions, 'tools' | 'grants' | 'guard' | 'hold' | 'approve'> & { readonly store: 'memory' },
) => Promise<Runtime>;

/** An incident played in one of the ways. */
export interface PlayedIncident {
  readonly way: IncidentWay;
  /** The steps of all its runs, in order, as their records tell. */
  readonly steps: readonly PlayedStep[];
  /** True if some request to the model had the attacker's words. Absent where the attacker gives no orders to a model. */
  readonly orderRead?: boolean;
  /** What arrived at places outside of the agent. */
  readonly sent: World['sent'];
  /** True if the secret is among it. */
  readonly out: boolean;
  /** True if the chains of all its runs verify. */
  readonly verified: boolean;
}

export interface PlayedStep {
  readonly tool: string;
  /** Code of its receipt; absent where the call was made and succeeded. */
  readonly code?: string;
  /** Why a person was asked, as the decision says. */
  readonly why?: WhyAsked;
  readonly held: boolean;
}

/** Plays an incident in this way, in a runtime of its own that is closed at the end. */
export async function playIncident(
  open: OpenForIncident,
  incident: Incident,
  way: IncidentWay,
): Promise<PlayedIncident> {
  const world: World = { sent: [], memory: [] };
  const tools = incident.tools(world);
  const believes = way === 'off' && incident.believesMessages === true;
  const runtime = await open({
    store: 'memory',
    tools,
    grants: tools.map((tool) => grantFor(incident, tool)),
    guard: way !== 'off',
    ...(way === 'held' ? { hold: 'all' as const } : {}),
    // The person at the device has asked for none of this, and says no to each question.
    approve: async () => (believes ? { approved: true } : { approved: false, reason: 'I have not asked for this.' }),
  });
  try {
    const steps: PlayedStep[] = [];
    const heard: string[] = [];
    let verified = true;
    for (const scripted of incident.runs) {
      if (scripted.changed) await change(runtime, incident, { tool: scripted.changed(world), way });
      const run = runtime.start({ dialect: 'xct', task: incident.name, model: scriptOf(scripted, heard) });
      await run.result;
      steps.push(...stepsIn(await runtime.ledger.records(run.id)));
      verified &&= (await runtime.ledger.verify(run.id)).ok;
    }
    const { order, secret } = incident;
    const out = world.sent.some(({ text }) => text.includes(secret));
    const orderRead = order === undefined ? {} : { orderRead: heard.some((text) => text.includes(order)) };
    return { way, steps, ...orderRead, sent: world.sent, out, verified };
  } finally {
    await runtime.close();
  }
}

/** Plays an incident in each of the ways, one after the other. */
export async function playAllWays(
  open: OpenForIncident,
  incident: Incident,
  played: (each: PlayedIncident) => boolean,
): Promise<void> {
  for (const way of WAYS) if (!played(await playIncident(open, incident, way))) return;
}

function grantFor({ asks = [], accepts = {} }: Incident, { name }: ToolDefinition): GrantOption {
  const places = Object.fromEntries((accepts[name] ?? []).map((place) => [place, ['private', 'untrusted'] as const]));
  return {
    capability: name,
    mode: asks.includes(name) ? 'ask' : 'allow',
    ...(Object.keys(places).length === 0 ? {} : { accepts: places }),
  };
}

/** Gives a tool another definition. Its grant ends with the old one. */
async function change(
  runtime: Runtime,
  incident: Incident,
  { tool, way }: { readonly tool: ToolDefinition; readonly way: IncidentWay },
): Promise<void> {
  await runtime.tools.provide(tool);
  if (incident.believesNames?.includes(way)) await runtime.grants.grant(grantFor(incident, tool));
}

/** Makes the calls of a script, whatever comes back, and then ends the run. It adds to `heard` each text that it gets. */
function scriptOf({ calls }: ScriptedRun, heard: string[]): ModelPort {
  let made = 0;
  return {
    id: 'script: an incident',
    locality: { kind: 'local' },
    propose: async ({ messages, tools }) => {
      heard.push(...messages.map(({ content }) => content), ...tools.map(({ description }) => description));
      const replies = messages.flatMap(({ kind, content }) => (kind === 'observation' ? [content] : []));
      const call = calls[made];
      made += 1;
      if (call === undefined) return { text: JSON.stringify({ done: true, message: 'Done.' }) };
      const step = { tool: call.tool, arguments: call.args(toldBy(replies)), goal: 'as the script says' };
      return { text: JSON.stringify({ next_step: step }) };
    },
  };
}

function toldBy(replies: readonly string[]): Told {
  const result = (step: number): JsonValue => {
    const reply = JSON.parse(replies[step - 1] ?? 'null') as JsonValue;
    return isObject(reply) ? (reply['result'] ?? '') : '';
  };
  const handle = (step: number): string | undefined => {
    const value = result(step);
    return isObject(value) && typeof value['$held'] === 'string' ? value['$held'] : undefined;
  };
  const part = (step: number, at: string): string => {
    const value = result(step);
    const member = isObject(value) ? value[at.slice(1)] : undefined;
    return typeof member === 'string' ? member : '';
  };
  return {
    value: (step, at) => {
      const held = handle(step);
      return held === undefined ? part(step, at) : { $held: held, at };
    },
    words: (step, at) => {
      const held = handle(step);
      return held === undefined ? part(step, at) : `{{${held}${at}}}`;
    },
  };
}

/** The steps of a run that called a tool, from its records. */
function stepsIn(records: readonly LedgerRecord[]): readonly PlayedStep[] {
  return records.flatMap((record) => {
    if (record.kind !== 'receipt') return [];
    const { step, reason, held } = record.body.evidence;
    const verdict = records.find((each) => each.kind === 'verdict' && each.body.step === step)?.body;
    if (verdict === undefined || !('capability' in verdict) || verdict.capability === undefined) return [];
    const why = records.flatMap(({ kind, body }) =>
      kind === 'decision' && body.step === step && body.decision === 'REQUIRES_APPROVAL' ? [body.why] : [],
    )[0];
    return [
      {
        tool: String(verdict.capability),
        held: held !== undefined,
        ...(reason === undefined ? {} : { code: reason.code }),
        ...(why === undefined ? {} : { why }),
      },
    ];
  });
}
