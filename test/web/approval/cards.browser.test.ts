import { signal } from '@preact/signals-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { QuestionCard, registerCard, showCard } from '../../../web/element/question.ts';
import '../../../web/playground/approval/approval.ts';
import type { Approval } from '../../../web/playground/approval/approval.ts';
import type { ApprovalRequest, RunView } from '../../../workers/api.ts';
import { HIDDEN, type Law, type LawOf, MIXED, SHORT_DRAWN_LONG } from './laws.ts';

/** A registry takes each class a single time, and files of tests share the page. */
class LawQuestion extends QuestionCard {}
customElements.define('law-question', LawQuestion);

const request = (digest: string, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  run_id: 'r',
  step_id: 's',
  capability: 'mail.send',
  capability_hash: 'c',
  effect: 'egress',
  args: '{"to":"baker"}',
  digest,
  reason: 'The grant says to ask.',
  ...more,
});

/** A renderer in a page whose questions a test sets. An answered question goes. */
interface Rig {
  ask(...questions: readonly ApprovalRequest[]): Promise<void>;
  /** Roots of the cards in the page. */
  roots(): readonly ShadowRoot[];
}
const answers: [digest: string, approved: boolean][] = [];
/** The questions that take the place of the answered one. */
let next: readonly ApprovalRequest[] = [];

function element(): Rig {
  const { whenDecided } = registerCard();
  const cards = new Map<string, LawQuestion>();
  const ask = async (...questions: readonly ApprovalRequest[]): Promise<void> => {
    for (const [digest, card] of cards) {
      if (questions.some((each) => each.digest === digest)) continue;
      cards.delete(digest);
      // As in the element, whose card stays for the next question.
      const successor = questions.find((each) => !cards.has(each.digest));
      if (successor === undefined) card.remove();
      else cards.set(successor.digest, card);
    }
    for (const each of questions) {
      const card = cards.get(each.digest) ?? (document.createElement('law-question') as LawQuestion);
      cards.set(each.digest, card);
      Object.assign(card, { question: { kind: 'approval' as const, request: each } });
      whenDecided(card, (digest, { approved }) => settle(digest, approved));
      if (!card.isConnected) document.body.append(card);
      await card.updateComplete;
    }
  };
  const settle = (digest: string, approved: boolean): void => {
    answers.push([digest, approved]);
    void ask(...next, ...[...cards.keys()].filter((each) => each !== digest).map((each) => request(each)));
  };
  return { ask, roots: () => [...document.querySelectorAll('law-question')].map(rootOf) };
}

function playground(): Rig {
  const view = signal<Partial<RunView>>({});
  const card = document.createElement('sp-approval') as Approval;
  const session = { view, records: signal([]) };
  const answer = (digest: string, { approved }: { approved: boolean }): void => {
    answers.push([digest, approved]);
    view.value = next[0] === undefined ? {} : { pending: next[0] };
  };
  card.store = { session: signal(session), answer } as never;
  // As the app, which gives the card a part of the window.
  card.style.maxHeight = '600px';
  document.body.append(card);
  return {
    ask: async (question) => {
      view.value = question === undefined ? {} : { pending: question };
      await card.updateComplete;
    },
    roots: () => (card.hidden ? [] : [rootOf(card)]),
  };
}

/** The card that pages import, as the example server does: a place for each question. */
function imported(): Rig {
  const places = new Map<string, { readonly place: HTMLElement; readonly gone: AbortController }>();
  const ask = async (...questions: readonly ApprovalRequest[]): Promise<void> => {
    for (const [digest, { place, gone }] of places) {
      if (questions.some((each) => each.digest === digest)) continue;
      gone.abort();
      place.remove();
      places.delete(digest);
    }
    for (const each of questions) {
      const { place = document.body.appendChild(document.createElement('div')) } = places.get(each.digest) ?? {};
      const gone = new AbortController();
      places.set(each.digest, { place, gone });
      void showCard(place, each, gone.signal)
        .then(({ approved }) => answers.push([each.digest, approved]))
        .then(() => ask(...next))
        .catch(() => undefined);
      await (place.firstElementChild as QuestionCard).updateComplete;
    }
  };
  return { ask, roots: () => [...places.values()].map(({ place }) => rootOf(place.firstElementChild as Element)) };
}

const rootOf = (card: Element): ShadowRoot => card.shadowRoot as ShadowRoot;
const button = (root: ShadowRoot | undefined, id: 'approve' | 'deny'): HTMLElement =>
  root?.querySelector(`#${id}`) as HTMLElement;
const isLive = (root: ShadowRoot | undefined, id: 'approve' | 'deny' = 'approve') =>
  expect.poll(() => button(root, id)?.ariaDisabled).toBe('false');
const pause = (ms: number) => new Promise((over) => setTimeout(over, ms));

/** The time at which the clock of the page stands. While it stands no card becomes still, however slow the machine is. */
let stopped: number | undefined;
const now = performance.now.bind(performance);
const stamp = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp');
const stopClock = (): void => void (stopped = now());

/** A real click, also on a button that says it is disabled. */
const click = (target: Element) => userEvent.click(target, { force: true });

// The page of the tests is drawn smaller where it does not fit, and browsers that report covers call it distorted.
beforeAll(async () => {
  await page.viewport(414, 700);
  performance.now = () => stopped ?? now();
  Object.defineProperty(Event.prototype, 'timeStamp', {
    ...stamp,
    get(this: Event) {
      return stopped ?? stamp?.get?.call(this);
    },
  });
});
afterAll(async () => {
  Reflect.deleteProperty(performance, 'now');
  Object.defineProperty(Event.prototype, 'timeStamp', stamp ?? {});
  await page.viewport(414, 896);
});
afterEach(() => {
  stopped = undefined;
  document.body.replaceChildren();
  answers.length = 0;
  next = [];
});

const LONG = JSON.stringify({ text: `${'x '.repeat(10_000)}AND DELETE EVERYTHING` });

type Play = (rig: Rig) => Promise<void>;
const PLAYS: { readonly [L in LawOf<'element'> & LawOf<'playground'> & LawOf<'example server'>]: Play } = {
  'the second click of a double click answers no card': async (rig) => {
    await rig.ask(request('a'));
    await isLive(rig.roots()[0]);
    next = [request('b')];
    stopClock();
    await userEvent.dblClick(button(rig.roots()[0], 'approve'));
    await pause(50);
    await click(button(rig.roots()[0], 'approve'));
    expect(answers).toEqual([['a', true]]);
    stopped = undefined;
    // The next card is answered once it was there for half a second.
    await isLive(rig.roots()[0]);
    await click(button(rig.roots()[0], 'approve'));
    expect(answers).toEqual([
      ['a', true],
      ['b', true],
    ]);
  },
  'a click while the host cancels a card does not answer the card in its place': async (rig) => {
    await rig.ask(request('a'), request('b'));
    for (const root of rig.roots()) await isLive(root);
    stopClock();
    await rig.ask(request('b'));
    await click(button(rig.roots()[0], 'approve'));
    await click(button(rig.roots()[0], 'deny'));
    expect(answers).toEqual([]);
  },
  'a definition that is swapped under the pointer gets no yes': async (rig) => {
    await rig.ask(request('a'));
    await isLive(rig.roots()[0]);
    stopClock();
    await rig.ask(request('a', { capability_hash: 'evil' }));
    await click(button(rig.roots()[0], 'approve'));
    expect(answers).toEqual([]);
  },
  'a yes to 20,000 characters waits until they were read to their end': (rig) => waitsForEnd(rig, LONG),
  'a yes to a short text that is drawn long waits for its end': (rig) =>
    waitsForEnd(rig, JSON.stringify({ text: SHORT_DRAWN_LONG })),
  'a word in two alphabets is told': async (rig) => {
    await rig.ask(request('a', { args: JSON.stringify({ to: MIXED }) }));
    expect(textOf(rig)).toMatch(/may not be what they look like/u);
    await rig.ask(request('b'));
    expect(textOf(rig)).not.toMatch(/may not be what they look like/u);
  },
  'bidi and zero-width characters are written out': async (rig) => {
    await rig.ask(request('a', { args: JSON.stringify({ text: HIDDEN }), origin: 'mcp:https://a.example/\u202egpj' }));
    await expect.poll(() => textOf(rig)).toContain('pay \\u202enow\\u200b');
    expect(textOf(rig)).toContain('mcp:https://a.example/\\u202egpj');
    expect(textOf(rig)).not.toMatch(/[\u202e\u200b]/u);
  },
  'of two questions, the click answers its own': async (rig) => {
    await rig.ask(request('a'), request('b'));
    for (const root of rig.roots()) await isLive(root);
    const last = rig.roots().at(-1);
    const digest = rig.roots().length > 1 ? 'b' : 'a';
    await click(button(last, 'deny'));
    expect(answers).toEqual([[digest, false]]);
  },
  'an answer of an older card is no answer': async (rig) => {
    await rig.ask(request('a'));
    const old = button(rig.roots()[0], 'approve');
    await isLive(rig.roots()[0]);
    await rig.ask(request('b'));
    await isLive(rig.roots()[0]);
    // A script cannot answer, and the listener of the older card is gone.
    old.click();
    expect(answers).toEqual([]);
    await click(button(rig.roots()[0], 'approve'));
    expect(answers).toEqual([['b', true]]);
  },
  'Enter that is held down answers a single card': async (rig) => {
    await rig.ask(request('a'));
    await isLive(rig.roots()[0]);
    button(rig.roots()[0], 'approve').focus();
    await pause(600);
    next = [request('b')];
    stopClock();
    // The page moves the focus while the key repeats, for longer than a card is inert.
    let turns = 0;
    const turn = (): void => {
      stopped = (stopped ?? 0) + 100;
      button(rig.roots()[0], turns++ % 2 === 0 ? 'approve' : 'deny').focus();
    };
    const turnAfter = ({ repeat }: KeyboardEvent): void => void (repeat && turn());
    addEventListener('keydown', turnAfter, true);
    await userEvent.keyboard('{Enter>40/}');
    removeEventListener('keydown', turnAfter, true);
    expect(turns).toBeGreaterThan(20);
    expect(answers).toEqual([['a', true]]);
  },
};

async function waitsForEnd(rig: Rig, args: string): Promise<void> {
  await rig.ask(request('a', { args }));
  const [root] = rig.roots();
  await isLive(root, 'deny');
  root?.querySelector<HTMLElement>('#unfold')?.click();
  button(root, 'approve').scrollIntoView();
  await pause(700);
  expect(button(root, 'approve').ariaDisabled).toBe('true');
  await click(button(root, 'approve'));
  expect(answers).toEqual([]);
  expect(textOf(rig)).toContain('AND DELETE EVERYTHING');
  // a busy machine draws the scrolled card late, and a card that has moved waits again
  await pause(700);
  // No button has moved: the yes counts at once.
  stopClock();
  root?.querySelector('#end')?.scrollIntoView({ block: 'nearest' });
  await isLive(root);
  await click(button(root, 'approve'));
  stopped = undefined;
  expect(answers).toEqual([['a', true]]);
}

/** The texts in the cards, through every shadow root. */
function textOf(rig: Rig): string {
  const deep = (node: Node): string => {
    if (node instanceof Text) return node.data;
    if (node instanceof HTMLStyleElement) return '';
    const root = node instanceof Element && node.shadowRoot !== null ? node.shadowRoot : node;
    return [...root.childNodes].map(deep).join('');
  };
  return rig.roots().map(deep).join('\n');
}

describe.each([
  ['element', element],
  ['playground', playground],
  ['example server', imported],
])('the card of the %s', (_name, open) => {
  test.each(Object.entries(PLAYS) as [Law, Play][])('%s', (_law, play) => play(open()));

  test('a held value is named with its place, its labels and its sources', async () => {
    const rig = open();
    const labels = ['private', 'untrusted'] as const;
    const sources = ['mail\u202e.search', 'upper'];
    const many = Array.from({ length: 30 }, (_, at) => ({ pointer: `/list/${at}`, labels, handle: 'h4', sources }));
    await rig.ask(request('a', { carries: [{ pointer: '/text', labels, handle: 'h12.1', sources }] }));
    const told = textOf(rig).replace(/\s+/gu, ' ');
    expect(told).toMatch(/\/text\W+private\W+untrusted\W+step 12\W+mail\\u202e\.search, upper/u);
    await rig.ask(request('b', { carries: [{ pointer: '', labels, sources }] }));
    expect(textOf(rig).replace(/\s+/gu, ' ')).toMatch(/all arguments\W+private/u);
    await rig.ask(request('c', { carries: many }));
    expect(textOf(rig)).toContain('10 more places');
    await rig.ask(request('d'));
    expect(textOf(rig)).not.toContain('has not read');
  });
});
