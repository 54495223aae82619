import { afterEach, describe, expect, test } from 'vitest';
import type { StampedEvent } from '../../../core/index.ts';
import { toOtlp } from '../../../core/telemetry/otlp.ts';
import type { Run, Runtime } from '../../../workers/api.ts';
import { defineCapability, defineTool } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';

const COMMON = { version: '1.0.0', description: 'For a test.', args: { type: 'object' } } as const;
const tools = [
  defineTool({ ...COMMON, name: 'mail.search', effect: 'read', run: () => ['secret'] }),
  defineTool({ ...COMMON, name: 'mail.send', effect: 'egress', labels: [], run: () => 'sent' }),
];
const add = defineCapability({ ...COMMON, name: 'add', effect: 'pure', run: () => 5 });
const NAMES = ['mail.search', 'mail.send', 'add'] as const;
const grants = NAMES.map((capability) => ({ capability, mode: 'allow' }) as const);

let open: Runtime | undefined;
afterEach(() => open?.close());

async function ended(hold: 'untrusted' | undefined): Promise<Run> {
  const approve = async () => ({ approved: false, reason: 'no' }) as const;
  open = await openRuntime({ tools, capabilities: [add], grants, approve, ...(hold && { hold }) });
  const session = open.openSession();
  await session.call('mail.search', {});
  await session.call('mail.send', { text: { $held: 'h1', at: '/0' } });
  await session.call('add', {});
  await session.close();
  return session.run;
}

const read = async (run: Run, options?: { held: boolean }) => {
  const events: StampedEvent[] = [];
  for await (const event of run.telemetry(options)) events.push(event);
  return events;
};
/** Events about the calls, with what says how they ended. */
const callsIn = (events: readonly StampedEvent[]) =>
  events.flatMap(({ event }) => {
    if (!('capability' in event) || event.event_type === 'capability_requested') return [];
    const { event_type, capability, held = false } = event;
    return [[event_type, capability, held, Object.hasOwn(event, 'fuel') || Object.hasOwn(event, 'code')]];
  });

describe('telemetry of held calls', () => {
  test('tells nothing of a second answer to a question that held values have led to', async () => {
    const told: unknown[] = [];
    for (const value of ['ada', 'eve']) {
      const search = { ...COMMON, name: 'mail.search', effect: 'read', labels: [], run: () => value } as const;
      const where = { properties: { to: { const: 'ada' } } };
      open = await openRuntime({
        tools: [defineTool(search), tools[1] as (typeof tools)[1]],
        grants: [
          { capability: 'mail.search', mode: 'allow' },
          { capability: 'mail.send', mode: 'allow', where },
          { capability: 'mail.send', mode: 'ask' },
        ],
        hold: 'all',
      });
      const session = open.openSession({ questions: 'wait' });
      const { run } = session;
      await session.call('mail.search', {});
      const calling = session.call('mail.send', { to: { $held: 'h1' } });
      if (value === 'eve') {
        await expect.poll(() => run.view.pending).toBeDefined();
        const digest = run.view.pending?.digest ?? '';
        await run.answer(digest, { approved: true });
        await calling;
        await expect(run.answer(digest, { approved: true })).rejects.toMatchObject({ code: 'question_answered' });
      }
      await calling;
      await session.call('mail.search', {});
      await session.close();
      const kinds = (await read(run, { held: true })).map(({ event }) => event.event_type);
      expect(kinds.includes('message_rejected')).toBe(value === 'eve');
      told.push((await read(run)).map(({ event }) => event.event_type));
      await open.close();
    }
    expect(told[1]).toEqual(told[0]);
  });

  test('tells that each was requested, started and has ended', async () => {
    const events = await read(await ended('untrusted'));
    expect(callsIn(events)).toEqual([
      ['capability_authorized', 'mail.search', false, false],
      ['capability_started', 'mail.search', true, false],
      ['capability_completed', 'mail.search', true, false],
      ['capability_started', 'mail.send', true, false],
      ['capability_completed', 'mail.send', true, false],
      ['capability_authorized', 'add', false, false],
      ['capability_started', 'add', false, false],
      ['capability_completed', 'add', false, true],
    ]);
    const [{ scopeSpans }] = toOtlp(events).traces.resourceSpans;
    const spans = scopeSpans[0].spans.filter(({ name }) => name.startsWith('execute_tool'));
    expect(spans.map(({ name, status }) => [name, status])).toEqual(NAMES.map((name) => [`execute_tool ${name}`, {}]));
  });

  test('tells a person the rest, and marks it', async () => {
    const run = await ended('untrusted');
    const events = await read(run, { held: true });
    expect(callsIn(events)).toEqual([
      ['capability_authorized', 'mail.search', false, false],
      ['capability_started', 'mail.search', true, false],
      ['capability_completed', 'mail.search', true, true],
      ['approval_asked', 'mail.send', true, false],
      ['approval_answered', 'mail.send', true, false],
      ['capability_denied', 'mail.send', true, true],
      ['capability_authorized', 'add', false, false],
      ['capability_started', 'add', false, false],
      ['capability_completed', 'add', false, true],
    ]);
    expect(JSON.stringify(await read(run))).not.toContain('approval');
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('is the same for both readers where nothing is held', async () => {
    const run = await ended(undefined);
    expect(await read(run, { held: true })).toEqual(await read(run));
  });
});
