import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { SallyportError } from '../../../core/index.ts';
import { QuestionCard, registerCard } from '../../../web/element/question.ts';
import '../../../web/playground/parts/json-text.ts';
import type { JsonText } from '../../../web/playground/parts/json-text.ts';
import type { ApprovalRequest } from '../../../workers/api.ts';

/** A registry takes each class a single time, and files of tests share the page. */
class TestQuestion extends QuestionCard {}
customElements.define('test-question', TestQuestion);

const REQUEST: ApprovalRequest = {
  run_id: '',
  step_id: '',
  capability: 'mail.send',
  capability_hash: '',
  effect: 'egress',
  args: '',
  digest: 'd',
  reason: '',
};

/** The two places where a person reads a question. */
const CARDS: readonly (readonly [string, (args: string) => HTMLElement & { updateComplete: Promise<boolean> }])[] = [
  [
    'the element',
    (args) =>
      Object.assign(document.createElement('test-question') as QuestionCard, {
        question: { kind: 'approval' as const, request: { ...REQUEST, args } },
      }),
  ],
  ['the playground', (text) => Object.assign(document.createElement('sp-json') as JsonText, { text, whole: true })],
];

async function shown(card: ReturnType<(typeof CARDS)[number][1]>): Promise<HTMLElement> {
  document.body.replaceChildren(card);
  await card.updateComplete;
  return card.shadowRoot?.querySelector('pre') as HTMLElement;
}

/** The place of each text on its line, in pixels from the left. */
function placesOf(pre: HTMLElement, texts: readonly string[]): number[] {
  const walk = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
  const places = new Map<string, number>();
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    for (const text of texts) {
      const at = node.nodeValue?.indexOf(text) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + text.length);
      places.set(text, range.getBoundingClientRect().left);
    }
  }
  return texts.map((text) => places.get(text) ?? Number.NaN);
}

test.each(CARDS)(
  '%s shows amounts in their order, also beside text that runs from right to left',
  async (_name, make) => {
    const long = ` ${'x'.repeat(40_000)}`;
    const folded = ` ${'x'.repeat(1000)}`;
    for (const filler of ['', folded, long]) {
      const pre = await shown(make(`["\u05d0\u05d1","100","200","\u05d2\u05d3${filler}"]`));
      const places = placesOf(pre, ['100', '200']);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
      expect(places).not.toContain(Number.NaN);
    }
  },
);

test.each(CARDS)('%s shows the whole arguments of a question', async (_name, make) => {
  const args = `{"a":"${'x'.repeat(400_000)}","to":"evil"}`;
  await shown(make(args));
  const root = document.body.firstElementChild?.shadowRoot;
  // The element shows the end at once, and the rest when a person asks for it.
  expect([...(root?.querySelectorAll('pre') ?? [])].at(-1)?.textContent?.endsWith(',"to":"evil"}')).toBe(true);
  root?.querySelector<HTMLElement>('#unfold')?.click();
  await (document.body.firstElementChild as QuestionCard).updateComplete;
  expect(root?.querySelector('pre')?.textContent).toBe(args);
});

test('the element warns of a word that is written in two alphabets', async () => {
  const make = CARDS[0]?.[1] ?? (() => new QuestionCard());
  await shown(make('{"to":"p\u0430ypal.com"}'));
  expect(document.body.firstElementChild?.shadowRoot?.textContent).toContain('two alphabets');
  await shown(make('{"to":"paypal.com, \u0411\u0430\u043d\u043a"}'));
  expect(document.body.firstElementChild?.shadowRoot?.textContent).not.toContain('two alphabets');
});

test('a foreign element under the name of the card gets no function to answer', async () => {
  // A window has a registry of its own. In that of this page another file of tests may have registered the card.
  const frame = document.body.appendChild(document.createElement('iframe'));
  const window = frame.contentWindow as Window & typeof globalThis;
  window.customElements.define('sallyport-question', class extends window.HTMLElement {});
  const module = new URL('../../../web/element/question.ts', import.meta.url).href;
  const there = (await window.eval(`import(${JSON.stringify(module)})`)) as { registerCard: typeof registerCard };
  const { whenDecided } = there.registerCard();
  const theirs = window.document.createElement('sallyport-question');
  const before = Reflect.ownKeys(theirs);
  whenDecided(theirs, () => expect.unreachable());
  expect(Reflect.ownKeys(theirs)).toEqual(before);
  frame.remove();
});

test('the card takes the focus from a button, and not from a field in which a person writes', async () => {
  const field = document.createElement('textarea');
  const editor = Object.assign(document.createElement('div'), { contentEditable: 'true' });
  for (const around of [field, editor, document.createElement('button')]) {
    document.body.replaceChildren(around);
    around.focus();
    const card = CARDS[0]?.[1]('{}') ?? new QuestionCard();
    document.body.append(card);
    await card.updateComplete;
    expect(document.activeElement).toBe(around.localName === 'button' ? card : around);
  }
});

test('the element shows the origin that the arguments of a tool go to, with its hidden characters written out', async () => {
  const card = document.createElement('test-question') as QuestionCard;
  const request = { ...REQUEST, args: '{}', origin: 'mcp:https://p\u0430y.example/\u202Egpj' };
  await shown(Object.assign(card, { question: { kind: 'approval' as const, request } }));
  const text = card.shadowRoot?.querySelector('#origin')?.textContent;
  expect(text).toBe('Its arguments go to mcp:https://p\u0430y.example/\\u202egpj');
  expect(card.shadowRoot?.textContent).toContain('two alphabets');
});

test('the window of a consent has the text that would leave, or says why it cannot be shown', async () => {
  // the window has a card of this very class: under another name, no later file of tests could register it
  registerCard();
  const inner = document.createElement('iframe');
  const [around, open] = [Object.getOwnPropertyDescriptor(window, 'parent') ?? {}, vi.spyOn(window, 'open')];
  try {
    // a page of another origin is around this one
    Object.defineProperty(window, 'parent', { configurable: true, value: { parent: undefined } });
    const request = { run_id: '', step: 3, origin: 'https://models.example', bytes: 9, bytes_max: 9, digest: 'd' };
    const told = vi.fn(async (): Promise<readonly string[]> => ['When is the dentist?', '{"text":"Tuesday\\u202e"}']);
    const card = document.createElement('test-question') as QuestionCard;
    Object.assign(card, { question: { kind: 'consent', request }, told });
    document.body.append(inner, card);
    open.mockReturnValue(inner.contentWindow);
    await userEvent.click(page.getByRole('button', { name: 'Open in a window' }));
    const own = inner.contentDocument?.querySelector('main')?.lastElementChild as QuestionCard;
    await expect.poll(() => own.shadowRoot?.querySelector('#leaving summary')).not.toBeNull();
    expect(told).not.toHaveBeenCalled();
    const unfold = (): void => own.shadowRoot?.querySelector<HTMLElement>('#leaving summary')?.click();
    told.mockRejectedValueOnce(new SallyportError('payload_altered', 'A text was altered.', {}));
    unfold();
    const fault = (): string | null | undefined => own.shadowRoot?.querySelector('#leaving [role=alert]')?.textContent;
    await expect.poll(fault).toContain('A text was altered.');
    unfold();
    await expect.poll(() => own.shadowRoot?.querySelector('details')?.open).toBe(false);
    unfold();
    const shown = (): readonly (string | null)[] =>
      [...(own.shadowRoot?.querySelectorAll('#leaving pre') ?? [])].map((each) => each.textContent);
    await expect.poll(shown).toEqual(['When is the dentist?', '{"text":"Tuesday\\u202e"}']);
    expect(fault()).toBe('');
  } finally {
    Object.defineProperty(window, 'parent', around);
    open.mockRestore();
    document.body.replaceChildren();
  }
});
