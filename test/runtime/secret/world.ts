import { toOtlp } from '../../../core/telemetry/otlp.ts';
import type { ApprovalAnswer, CapabilityDefinition, GrantOption, Run, Runtime } from '../../../workers/api.ts';
import { localAuditor } from '../../../workers/auditor/auditor.ts';
import { openClient } from '../../../workers/client/client.ts';
import { makeKernel } from '../../../workers/kernel/kernel.ts';
import { nodePorts } from '../../../workers/node/platform.ts';
import { defineCapability, definePower, fromScript } from '../../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { execute, message, OPERATIONS, read, write } from '../content/messages.ts';
import { forChecks, forRuns } from '../shared.ts';
import { guesses, PIN, templatesOf } from './guess.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const ARGS = {
  type: 'object',
  properties: { pin: { type: 'integer' } },
  required: ['pin'],
  additionalProperties: false,
} as const;

function secret(name: string, body: string, more: Partial<CapabilityDefinition> = {}): CapabilityDefinition {
  const source = `export default async ({ pin }, powers) => { ${body} }`;
  return defineCapability({
    ...common,
    name,
    effect: 'pure',
    args: ARGS,
    secret: ['args', 'result'],
    source,
    ...more,
  } as never);
}

const POWERS = ['mail.send', 'web.read'];
export const CAPABILITIES: readonly CapabilityDefinition[] = [
  secret('pin.echo', 'console.log(`pin ${pin}`); return { pin };'),
  secret('pin.other', 'return pin;'),
  secret('pin.ask', 'return { pin };', { effect: 'write' }),
  secret('pin.throw', 'throw new RangeError(`no ${pin}`);'),
  secret('pin.result', `return ${PIN - 11} + 11;`, { secret: ['result'], args: { type: 'object' } as never }),
  secret('pin.bad', 'return String(pin);', { result: { type: 'number' } as never }),
  secret('pin.powers', 'return [await powers.web.read({ pin }), await powers.mail.send({ pin })];', {
    effect: 'egress',
    powers: POWERS,
  }),
  secret('pin.store', 'await powers.store.put("k", pin); return powers.store.get("k");', {
    effect: 'write',
    powers: ['store.put', 'store.get'],
  }),
  secret('pin.expand', 'return powers.sections.expand("@x/pin", "head(1)");', {
    powers: ['sections.expand'],
  }),
  defineCapability({
    ...common,
    name: 'echo',
    effect: 'pure',
    args: { type: 'object' },
    source: 'export default (a) => a',
  }),
];

const power = (name: string, effect: 'read' | 'egress') =>
  definePower({ ...common, name, effect, labels: [], args: ARGS, run: ({ pin }) => `${name} ${pin}` });

const GRANTS: readonly GrantOption[] = [
  ...CAPABILITIES.map(({ name }) => ({ capability: name, mode: name === 'pin.ask' ? 'ask' : 'allow' }) as const),
  { power: 'mail.send', mode: 'ask' },
  { power: 'web.read', mode: 'allow' },
  ...OPERATIONS,
];

export type Dialect = 'xct' | 'femtoclaw' | 'catalytic';

/** A call in the form of each dialect. */
export function call(dialect: Dialect, tool: string, args: object = { pin: PIN }): object {
  switch (dialect) {
    case 'xct':
      return { next_step: { tool, arguments: args, goal: 'open' } };
    case 'femtoclaw':
      return { tool_call: { tool, args } };
    case 'catalytic':
      return message([execute(`@TOOLS/${tool}`, { args: args as never, output: 'pin' })], {
        ...(tool === 'pin.expand' && { refs: [`@TOOLS/${tool}`, '@x/pin'] }),
        required_outputs: ['pin'],
      });
  }
}

/** A call behind other operations that are not secret themselves. */
export function later(tool: string, args: object = { pin: PIN }): object {
  return message([
    execute('@TOOLS/echo', { args: {}, output: 'first' }),
    read('@x/pin'),
    execute(`@TOOLS/${tool}`, { args: args as never, output: 'pin' }),
  ]);
}

/** Writes the number into a file, in the message of a secret call. */
export function writing(expected_hash: string): object {
  return message([
    write('@x/pin', { content: `# Pin\n${PIN} it is\n`, expected_hash }),
    execute('@TOOLS/pin.echo', { args: { pin: PIN } }),
  ]);
}

export function last(dialect: Dialect): object {
  if (dialect === 'xct') return { done: true, message: 'done' };
  return dialect === 'femtoclaw' ? { message: { content: 'done' } } : message([]);
}

export type Approve = (args: string) => ApprovalAnswer | undefined;

/** A process over a log: the first registers; the next has only the records and the powers of the page. */
export async function open(log: MemoryLog, isFirst: boolean, approve?: Approve): Promise<Runtime> {
  const ports = { store: openMemoryStore(log), ...(await forRuns()), ...nodePorts };
  const info = { isolation: 'node', probes: [], store: { kind: 'memory' } } as const;
  const first = isFirst ? { capabilities: CAPABILITIES, grants: GRANTS, guard: false } : {};
  const runtime = await openClient(makeKernel(ports, info), async () => localAuditor(forChecks), {
    powers: [power('web.read', 'read'), power('mail.send', 'egress')],
    ...(approve && { approve: async ({ args }) => approve(args) ?? new Promise<never>(() => undefined) }),
    ...first,
  });
  if (isFirst) {
    const bytes = new TextEncoder().encode(TEXT);
    await runtime.content.replace([{ path: 'pin.md', bytes }]);
    await runtime.content.define({
      symbol_id: '@x/pin',
      target_type: 'FILE',
      target_ref: 'pin.md',
      default_slice_policy: 'head(2)',
    });
  }
  return runtime;
}
export const TEXT = `${PIN}\n# Pin\n${PIN}\n`;

export const YES: Approve = () => ({ approved: true });

/** A run from its first proposal to its end. */
export async function whole(
  dialect: Dialect,
  script: readonly (object | string | Uint8Array)[],
  approve: Approve = YES,
): Promise<{ readonly runtime: Runtime; readonly run: Run }> {
  const runtime = await open(emptyLog(), true, approve);
  const run = runtime.start({
    dialect,
    task: 'Open.',
    model: fromScript([...script, last(dialect)] as never),
    heapHash: true,
    limits: { refusalsInRow: 20, proposalBytes: 4_000 },
  });
  await run.result;
  return { runtime, run };
}

/** All texts that leave a run: its export without secrets, its telemetry, and the telemetry for OpenTelemetry. */
export interface Left {
  readonly bare: string;
  readonly full: string;
  readonly told: string;
}

export async function leftOf(runtime: Runtime, run: Run): Promise<Left> {
  const [bare, full] = [await runtime.ledger.export(run.id), await runtime.ledger.export(run.id, { secrets: true })];
  const events = [];
  for await (const event of run.telemetry()) events.push(event);
  return { bare, full, told: JSON.stringify(events) + JSON.stringify(toOtlp(events)) };
}

/**
 * The secrets that can be guessed from all texts that leave, and the number of texts with the secret that were tried.
 */
export function foundIn({ bare, full, told }: Left): { readonly tried: number; readonly found: readonly string[] } {
  const templates = templatesOf(full);
  return { tried: templates.length, found: guesses(bare + told, bare, templates) };
}
