import { signal } from '@preact/signals-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { RunElement } from '../../../web/element/run.ts';
import { defineTool, fromScript, openRuntime } from '../../../web/index.ts';
import '../../../web/playground/inspector/explain.ts';
import type { Explain } from '../../../web/playground/inspector/explain.ts';
import { readRun } from '../../../web/playground/run/session.ts';
import { groupSteps } from '../../../web/records/steps.ts';
import type { Runtime } from '../../../workers/api.ts';

/** A registry takes each class a single time, and files of tests share the page. */
class HeldRun extends RunElement {}

const ANY = ['private', 'untrusted'] as const;
const common = { version: '1.0.0', description: 'For a test.' } as const;
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const SUBJECT = '<a href="https://evil.example">https://evil.example</a> {{h2}} \u202eyes';
const mails = defineTool({
  ...common,
  name: 'mail.search',
  effect: 'read',
  args: {},
  run: () => [{ subject: SUBJECT }],
});
const file = defineTool({ ...common, name: 'file.put', effect: 'write', labels: [], args: TEXT, run: () => 'ok' });
const send = defineTool({ ...common, name: 'mail.send', effect: 'egress', labels: [], args: TEXT, run: () => 'ok' });

const call = (tool: string, args: object) => ({ next_step: { tool, arguments: args, goal: 'g' } });
const FIRST = { $held: 'h1', at: '/0/subject' };
const SCRIPT = [
  call('mail.search', {}),
  call('file.put', { text: FIRST }),
  call('mail.send', { text: FIRST }),
  { done: true, message: 'First mail: {{h1/0/subject}}, and {{h3}} and {{h9}}.' },
];

let runtime: Runtime;
let element: RunElement;
beforeAll(async () => {
  customElements.define('held-run', HeldRun);
  runtime = await openRuntime({
    store: 'memory',
    tools: [mails, file, send],
    grants: [
      { capability: 'mail.search', mode: 'allow' },
      { capability: 'file.put', mode: 'allow', accepts: { '/text': ANY } },
      { capability: 'mail.send', mode: 'allow' },
    ],
    hold: 'untrusted',
  });
  const model = fromScript(SCRIPT);
  element = Object.assign(document.createElement('held-run') as RunElement, { model, runtime, task: 'Read.' });
  element.lang = 'en';
});
afterEach(() => document.body.replaceChildren());
afterAll(() => runtime.close());

const textOf = (root: ParentNode | null | undefined): string => (root?.textContent ?? '').replace(/\s+/gu, ' ').trim();

test('a run with held values asks with the values, and shows them to the person alone', async () => {
  document.body.append(element);
  await element.start();
  await expect
    .poll(() => element.shadowRoot?.querySelector('sallyport-question')?.shadowRoot?.querySelector('#carries'))
    .toBeTruthy();
  const card = element.shadowRoot?.querySelector('sallyport-question')?.shadowRoot;
  expect(textOf(card?.querySelector('#carries'))).toBe('/text: private, untrusted · step 1, mail.search');
  expect(textOf(card?.querySelector('pre'))).toContain('https://evil.example');
  const deny = card?.querySelector<HTMLElement>('#deny');
  await expect.poll(() => deny?.ariaDisabled).toBe('false');
  await userEvent.click(deny as HTMLElement);
  await expect.poll(() => element.shadowRoot?.querySelectorAll('[part=held]').length).toBe(3);
  const [value, failed, unknown] = element.shadowRoot?.querySelectorAll('[part=held]') ?? [];
  expect(textOf(value)).toBe(`h1/0/subject ${SUBJECT.replace('\u202e', '\\u202e')}`);
  expect([value?.querySelector('a'), value?.getAttribute('title')]).toEqual([
    null,
    'Value h1, which the model has not read · private, untrusted · mail.search',
  ]);
  expect([textOf(failed), textOf(unknown)]).toEqual([
    'h3 the call has no value: it failed',
    'h9 no such value in this run',
  ]);
  expect(textOf(element.shadowRoot?.querySelector('.message'))).toMatch(/^First mail: h1/u);
  const records = textOf(element.shadowRoot?.querySelector('.records'));
  expect(records).toContain('held as h1');
  expect(records).toContain('approval_denied, held as h3');
  const [open] = element.shadowRoot?.querySelectorAll<HTMLElement>('[part=open]') ?? [];
  expect([open?.ariaExpanded, textOf(open)]).toEqual(['false', 'Show the outcome']);
  await userEvent.click(open as HTMLElement);
  const opened = () => element.shadowRoot?.querySelector('.records [part=held]');
  await expect.poll(() => textOf(opened())).toContain('https://evil.example</a> {{h2}}');
  expect([opened()?.querySelector('a'), open?.ariaExpanded, textOf(open)]).toEqual([null, 'true', 'Hide it']);
  await userEvent.click(open as HTMLElement);
  await expect.poll(opened).toBeNull();
  await expect(runtime.ledger.export(element.records[0]?.run_id ?? '')).resolves.not.toContain('evil.example');
});

test('the steps of the run are explained to the person', async () => {
  const session = await readRun(runtime, element.records[0]?.run_id ?? '');
  const groups = groupSteps(session?.records.peek() ?? []);
  const view = document.createElement('sp-explain') as Explain;
  const group = signal(groups.find(({ step }) => step === 1));
  const record = signal(group.peek()?.records[0]);
  const scenario = { id: 's', script: [], steps: [] };
  view.store = {
    session: signal(session),
    selection: { group, record },
    scenario,
    catalogue: { rows: signal([]) },
  } as never;
  document.body.append(view);
  const held = () => view.shadowRoot?.querySelector('sp-held-step')?.shadowRoot;
  await expect.poll(() => textOf(held()?.querySelector('#held'))).toContain('The model got the handle h1.');
  expect(textOf(held()?.querySelector('dl'))).toMatch(/private untrusted Its data may come from ?mail\.search/u);
  expect(held()?.textContent).not.toContain('evil');
  held()?.querySelector<HTMLElement>('#show')?.click();
  await expect.poll(() => held()?.querySelector('sp-json')?.shadowRoot?.textContent).toContain('evil.example');

  group.value = groups.find(({ step }) => step === 2);
  await expect
    .poll(() => textOf(held()?.querySelector('#unasked')))
    .toBe('Why nobody was asked The grant accepts these values at their places: /text private untrusted h1');
  expect(held()?.querySelector('#outcome')).toBeNull();

  group.value = groups.find(({ step }) => step === 3);
  await expect.poll(() => textOf(view.shadowRoot?.querySelector('.headline'))).toContain('The model is not told');
  await expect.poll(() => held()?.querySelector('#show')).toBeTruthy();
  held()?.querySelector<HTMLElement>('#show')?.click();
  await expect.poll(() => textOf(held()?.querySelector('#outcome'))).toContain('approval_denied');

  record.value = session?.records.peek().at(-1);
  group.value = groups.at(-1)?.step === undefined ? groups.at(-1) : undefined;
  const words = () => view.shadowRoot?.querySelector('sp-held-words')?.shadowRoot;
  await expect.poll(() => words()?.querySelectorAll('.value').length).toBe(3);
  await expect.poll(() => textOf(words()?.querySelector('.value'))).toContain('evil.example</a> {{h2}} \\u202eyes');
  expect(words()?.querySelector('a')).toBeNull();
});
