import { afterAll, beforeAll, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { RunElement } from '../../../web/element/run.ts';
import { showApproval } from '../../../web/element.ts';
import { defineTool, fromScript, openRuntime } from '../../../web/index.ts';
import type { Runtime } from '../../../workers/api.ts';

/** A registry takes each class a single time, and files of tests share the page. */
class EditedRun extends RunElement {}

const sent: unknown[] = [];
const send = defineTool({
  name: 'mail.send',
  version: '1.0.0',
  description: 'Sends a mail.',
  effect: 'egress',
  labels: [],
  args: { type: 'object', properties: { to: { enum: ['ada', 'bob'] } }, required: ['to'] },
  run: (args) => (sent.push(args), 'sent'),
});

let runtime: Runtime;
let element: RunElement;
beforeAll(async () => {
  customElements.define('edited-run', EditedRun);
  runtime = await openRuntime({ store: 'memory', tools: [send], grants: [{ capability: 'mail.send', mode: 'ask' }] });
  const call = { next_step: { tool: 'mail.send', arguments: { to: 'ada' }, goal: 'g' } };
  const model = fromScript([call, { done: true, message: 'done' }]);
  element = Object.assign(document.createElement('edited-run') as RunElement, { model, runtime, task: 'Mail.' });
  element.lang = 'de';
  element.setAttribute('mode', 'approve-only');
  // a yes needs the whole card in sight
  await page.viewport(1000, 1000);
  document.body.append(element);
});
afterAll(async () => {
  document.body.replaceChildren();
  await page.viewport(414, 896);
  await runtime.close();
});

const place = document.createElement('div');
const card = (): ShadowRoot | null =>
  (place.isConnected ? place : element.renderRoot).querySelector('sallyport-question')?.shadowRoot ?? null;
const find = (selector: string): HTMLElement | null => card()?.querySelector<HTMLElement>(selector) ?? null;
async function press(selector: string): Promise<void> {
  await expect.poll(() => find(selector) && (find(selector)?.getAttribute('aria-disabled') ?? 'false')).toBe('false');
  await userEvent.click(find(selector) as HTMLElement);
}

test('a person edits a call in the element, is told why an edit is refused, and sees the change', async () => {
  await element.start();
  await expect.poll(() => find('#edit')?.textContent).toBe('Ändern…');
  await press('#edit');
  const field = find('#arguments') as HTMLTextAreaElement;
  await expect.poll(() => card()?.activeElement).toBe(field);
  expect(find('#approve')).toBeNull();
  await userEvent.fill(field, '{"to": ');
  await press('#show-change');
  await expect.poll(() => find('#fault')?.textContent).toContain('Das ist kein JSON.');
  await userEvent.fill(field, '{"to": "eve"}');
  await press('#show-change');
  await expect.poll(() => find('#fault')?.textContent).toContain('Argument refused');
  await userEvent.fill(field, '{"to": "bob"}');
  await press('#show-change');
  await expect.poll(() => find('#changes')?.textContent).toBe('/to: "ada" → "bob"');
  expect(find('#approve')?.textContent).toBe('Geänderten Aufruf genehmigen');
  // an edit is no answer, and a no is to the question that is open
  expect([sent, find('#approve')?.getAttribute('aria-disabled')]).toEqual([[], 'true']);
  await press('#deny');
  await expect.poll(() => element.state?.end?.state).toBe('completed');
  expect(sent).toEqual([]);
});

test('a card for pages of another author offers an edit where the page has the run judge it, and its yes is to that call', async () => {
  // a taller page than the window would count as covered
  await page.viewport(414, 700);
  document.body.replaceChildren(place);
  const call = { next_step: { tool: 'mail.send', arguments: { to: 'ada' }, goal: 'g' } };
  const model = fromScript([call, { done: true, message: 'done' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Mail.', model, paused: true });
  await run.step();
  const request = run.view.pending;
  if (request === undefined) throw new Error('nothing is asked');
  const plain = new AbortController();
  const gone = showApproval(place, request, { signal: plain.signal });
  await expect.poll(() => find('#approve')).not.toBeNull();
  expect(find('#edit')).toBeNull();
  plain.abort();
  await expect(gone).rejects.toThrow();
  const answer = showApproval(place, request, { edit: (args) => run.edit(request.digest, args) });
  await press('#edit');
  await userEvent.fill(find('#arguments') as HTMLTextAreaElement, '{"to": "bob"}');
  await press('#show-change');
  await press('#approve');
  await run.answer(request.digest, await answer);
  await run.run();
  expect(sent).toEqual([{ to: 'bob' }]);
  const records = await runtime.ledger.records(run.id);
  const proposals = records.flatMap(({ kind, body }) => (kind === 'proposal' ? [body.by] : []));
  expect(proposals).toEqual([undefined, 'person', undefined]);
});
