import { signal } from '@preact/signals-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import {
  type ApprovalAnswer,
  defineTool,
  fromScript,
  openRuntime,
  type Run,
  type Runtime,
} from '../../../../web/index.ts';
import '../../../../web/playground/approval/approval.ts';
import type { Approval } from '../../../../web/playground/approval/approval.ts';

const sent: unknown[] = [];
const send = defineTool({
  name: 'mail.send',
  version: '1.0.0',
  description: 'Sends a mail.',
  effect: 'egress',
  labels: [],
  args: {
    type: 'object',
    properties: { to: { type: 'string' }, text: { type: 'string', maxLength: 20 }, urgent: { type: 'boolean' } },
    required: ['to', 'text'],
    additionalProperties: false,
  },
  run: (args) => (sent.push(args), 'sent'),
});

let runtime: Runtime;
let run: Run;
let card: Approval;
beforeEach(async () => {
  sent.length = 0;
  runtime = await openRuntime({ store: 'memory', tools: [send], grants: [{ capability: 'mail.send', mode: 'ask' }] });
  const call = { next_step: { tool: 'mail.send', arguments: { to: 'ada', text: 'hi' }, goal: 'send' } };
  run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript([call, { done: true, message: 'done' }]) });
  const view = signal(run.view);
  run.watch((next) => {
    view.value = next;
  });
  card = document.createElement('sp-approval') as Approval;
  Object.assign(card, {
    store: {
      runtime,
      session: signal({ view, records: signal([]) }),
      answer: (digest: string, answer: ApprovalAnswer) => void run.answer(digest, answer),
      edit: run.edit,
    },
  });
  document.body.append(card);
  await expect.poll(() => run.view.pending).toBeDefined();
});
afterEach(async () => {
  document.body.replaceChildren();
  await runtime.close();
});

const find = (selector: string): HTMLElement | null => card.renderRoot.querySelector<HTMLElement>(selector);
const shown = (): string => (find('section')?.textContent ?? '').replace(/\s+/gu, ' ');
/** The element that a press draws: it comes a moment later. */
async function drawn<E extends HTMLElement>(selector: string): Promise<E> {
  await expect.poll(() => find(selector)).not.toBeNull();
  return find(selector) as E;
}
async function press(selector: string): Promise<void> {
  const button = await drawn(selector);
  await expect.poll(() => button.getAttribute('aria-disabled') ?? 'false').toBe('false');
  await userEvent.click(button);
}

test('a person edits a call, is told why an edit is refused, sees the change, and approves the edited call', async () => {
  await press('#edit');
  await expect.poll(() => document.activeElement?.shadowRoot?.activeElement?.id).toBe('e-0');
  const [to, text] = [find('#e-0') as HTMLInputElement, find('#e-1') as HTMLInputElement];
  expect([to.value, text.value]).toEqual(['ada', 'hi']);
  await userEvent.fill(text, 'x'.repeat(21));
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => find('#e-1')?.getAttribute('aria-invalid')).toBe('true');
  expect(find('#e-1-notes .fault')?.textContent).toContain('20');
  await userEvent.fill(text, 'hello');
  await userEvent.fill(to, 'bob');
  await press('#show-change');
  await drawn('#changes');
  expect(shown()).toContain('/to "ada" → "bob"');
  expect(shown()).toContain('/text "hi" → "hello"');
  expect(find('#scope')).toBeNull();
  expect(sent).toEqual([]);
  // a new question: its yes is inert at first
  expect(find('#approve')?.getAttribute('aria-disabled')).toBe('true');
  await press('#approve');
  await run.result;
  expect(sent).toEqual([{ to: 'bob', text: 'hello' }]);
  const records = await runtime.ledger.records(run.id);
  expect(records.find(({ kind, body }) => kind === 'proposal' && body.by === 'person')).toBeDefined();
});

test('a person goes back from an edit, and denies the call that was asked about', async () => {
  await press('#edit');
  await userEvent.fill(await drawn('#e-0'), 'bob');
  await press('#show-change');
  await drawn('#changes');
  await press('#edit');
  expect((await drawn<HTMLInputElement>('#e-0')).value).toBe('bob');
  await press('#unedit');
  await press('#deny');
  await run.result;
  expect(sent).toEqual([]);
});
