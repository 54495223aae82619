/**
 * Script of the page of `sallyport mcp`. It takes HTML from its own server alone, and keeps cards that have not changed,
 * so that focus and scroll positions stay. `core/approval` decides which click of a person answers a card.
 */
import type { CardAnswer } from '../../core/approval/answer.ts';
import type { CardPart, Readable } from '../../core/approval/card.ts';
import type { EditedArguments } from '../../core/index.ts';
import type { RuleChanges, RuleDraft, TriedDraft } from '../../core/privilege/revise.ts';
import type { WantedSignatures } from '../../workers/api.ts';
import { CardWatch, isGesture } from '../shared/card-watch.ts';
import { passkeyObstacle, signWithPasskey } from '../shared/passkey.ts';
import { defineRuleDialog, type RuleDialog, type RulePort, type RuleWork } from '../shared/rule-dialog.ts';
import { passkeys } from '../texts/en/passkeys.ts';
import { obstacleText, PasskeySection, type PasskeyState } from './passkeys.ts';

interface Drawn {
  readonly id: string;
  readonly html: string;
}

/** What the server sends after each change. */
interface PageState {
  readonly version: number;
  readonly title: string;
  readonly questions: readonly Drawn[];
  readonly changes: readonly Drawn[];
  readonly effects: readonly Drawn[];
  readonly watch: string;
  readonly tools: string;
  readonly runs: string;
  readonly servers: string;
  readonly passkeys: PasskeyState;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="key"]');
if (meta !== null) {
  sessionStorage.setItem('key', meta.content);
  history.replaceState(null, '', '/');
}
const headers = { 'x-sallyport-key': sessionStorage.getItem('key') ?? '' };

interface HtmlPolicy {
  createHTML(html: string): string;
}
const { trustedTypes } = globalThis as {
  readonly trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy };
};
const policy = trustedTypes?.createPolicy('sallyport', { createHTML: (html) => html });
const parsed = (html: string): HTMLElement =>
  new DOMParser().parseFromString(policy?.createHTML(html) ?? html, 'text/html').body;

const at = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const say = (text: string): void => void (at('status').textContent = text);

const EARLY = 'Nothing was answered: the card or the focus had just come to this place. Read it, then answer.';
const UNREAD = 'Nothing was answered: read the card to its end first.';

/** What the server answers to an edit: the card of the edited call, or why there is none. */
interface EditReply extends Partial<Drawn> {
  readonly instead?: EditedArguments;
  readonly message?: string;
}

/** A call that a person has edited, and the digest of the question that a yes to it answers. */
interface PageEdit {
  readonly of: string;
  readonly instead: EditedArguments;
}

/** A card of the page with its watch. */
class PageCard {
  readonly #article: HTMLElement;
  readonly #asked: Readable;
  readonly #edit: PageEdit | undefined;
  readonly #whenEdited: (article: HTMLElement, edit: PageEdit) => void;
  #signing = new AbortController();
  readonly #watch: CardWatch = new CardWatch(() => this.draw());

  /** `edit`: the card is of an edited call. `whenEdited` puts the card of an edit in the place of this one. */
  constructor(article: HTMLElement, whenEdited: (article: HTMLElement, edit: PageEdit) => void, edit?: PageEdit) {
    const { digest = '', definition = '', revision, mustRead = '', signed } = article.dataset;
    this.#article = article;
    this.#edit = edit;
    this.#whenEdited = whenEdited;
    if (signed !== undefined) this.#offerPasskey();
    this.#asked = {
      ...(signed !== undefined && { isSigned: true }),
      bound: { digest, definition, revision: Number(revision) },
      mustRead: mustRead.split(' ').filter((part): part is CardPart => part !== ''),
    };
    for (const button of this.#buttons)
      button.addEventListener('click', (event) => this.#click(event as UIEvent, button));
    for (const turn of article.querySelectorAll('[data-edit], [data-back]'))
      turn.addEventListener('click', () => this.#turnEditor());
    this.#editor?.addEventListener('submit', (event) => void this.#judge(event));
  }

  get #editor(): HTMLFormElement | null {
    return this.#article.querySelector<HTMLFormElement>('.editor');
  }

  /** Opens the field for the arguments, or goes back to the card. No yes is given while it is open. */
  #turnEditor(): void {
    const editor = this.#editor;
    if (editor === null) return;
    editor.hidden = !editor.hidden;
    this.#article.classList.toggle('editing', !editor.hidden);
    const next = editor.hidden ? '[data-edit]' : 'textarea';
    this.#article.querySelector<HTMLElement>(next)?.focus();
    this.draw();
  }

  /** Has the gates judge the edited call. Where they refuse it, the reason stands at the field. */
  async #judge(event: Event): Promise<void> {
    event.preventDefault();
    const [field, fault] = [this.#article.querySelector('textarea'), this.#article.querySelector('[role="alert"]')];
    if (field === null || fault === null) return;
    const [of, args] = [this.#of, field.value];
    const { definition, revision } = this.#asked.bound;
    const {
      html,
      instead,
      message = '',
    }: EditReply = await post<EditReply>('/edit', { digest: of, definition, revision, args });
    if (!this.#article.isConnected || field.value !== args) return;
    const edited = html === undefined ? null : parsed(html).firstElementChild;
    fault.textContent = message;
    field.setAttribute('aria-invalid', String(edited === null));
    if (edited instanceof HTMLElement && instead !== undefined) this.#whenEdited(edited, { of, instead });
  }

  /** Digest of the question that an answer is to. */
  get #of(): string {
    return this.#edit?.of ?? this.#asked.bound.digest;
  }

  /** An IP address has no passkeys, and other pages cannot have them either: the choice is absent there, with its reason. */
  #offerPasskey(): void {
    const obstacle = passkeyObstacle();
    if (obstacle === undefined) return;
    this.#article.querySelector('button[data-sign]')?.remove();
    const place = this.#article.querySelector('.obstacle');
    if (place !== null) place.textContent = obstacleText(obstacle);
  }

  get #buttons(): NodeListOf<HTMLButtonElement> {
    return this.#article.querySelectorAll('.buttons button:not([data-edit])');
  }

  draw(): void {
    const ends = [...this.#article.querySelectorAll<HTMLElement>('[data-end]')].map(
      (end) => [end.dataset['end'] as CardPart, end] as const,
    );
    // The whole card: it has more than a single row of buttons.
    if (this.#article.isConnected) this.#watch.show({ asked: this.#asked, actions: this.#article, ends });
    const { hindrance, isInert } = this.#watch;
    const hindered = (choice: CardAnswer['choice']): boolean =>
      choice === 'no' ? isInert : this.#watch.hindranceOf(choice) !== undefined;
    // A disabled button would lose the focus before its card goes.
    for (const button of this.#buttons) button.setAttribute('aria-disabled', String(hindered(choiceOf(button))));
    const unread = this.#article.querySelector<HTMLElement>('.unread');
    if (unread === null) return;
    unread.hidden = !this.#watch.wasUnread;
    unread.classList.toggle('past', hindrance !== 'unread');
  }

  stop(): void {
    this.#signing.abort();
    this.#watch.stop();
  }

  /** Has a passkey sign this call. The card takes a no meanwhile, which ends the request. */
  async #sign(): Promise<void> {
    const { digest = '', capability = '', signed = '', definition, revision } = this.#article.dataset;
    this.#signing = new AbortController();
    const { signal } = this.#signing;
    say(passkeys.english.signing);
    try {
      const wanted = JSON.parse(signed) as WantedSignatures;
      const question = { digest, capability_hash: capability, signed: wanted };
      const assertion = await signWithPasskey(question, 'once', { signal });
      // the passkey signs the digest of the edited call, and the answer is to the question that is open
      const seen = { definition, revision: Number(revision) };
      await send('/answer', {
        digest: this.#of,
        answer: 'once',
        instead: this.#edit?.instead,
        signed: assertion,
        ...seen,
      });
    } catch (error) {
      if (!signal.aborted) say((error as Error).message);
    }
    if (signal.aborted) return;
    this.#watch.signingEnded();
    this.draw();
  }

  #click(event: UIEvent, button: HTMLButtonElement): void {
    const { answer, effect, pinned, act } = button.dataset;
    const choice = choiceOf(button);
    const hindrance = choice === 'no' ? undefined : this.#watch.hindranceOf(choice);
    const given = this.#watch.answer(event, choiceOf(button), this.#asked.bound);
    if (given === undefined) {
      if (isGesture(event) && hindrance !== 'answered') say(hindrance === 'unread' ? UNREAD : EARLY);
      return;
    }
    const { digest, definition, revision } = given.bound;
    if (given.choice === 'sign') return void this.#sign();
    this.#signing.abort();
    if (act === 'take-back') void send('/take-back', { digest }).then(readAgain);
    else if (answer === undefined) void send('/accept', { pinned, definition, revision });
    else {
      const instead = given.choice === 'yes' ? this.#edit?.instead : undefined;
      const sent = send('/answer', { digest: this.#of, answer, instead, effect, definition, revision });
      if (answer === 'always') void sent.then(readAgain);
    }
  }
}

function choiceOf({ dataset: { answer, sign } }: HTMLButtonElement): CardAnswer['choice'] {
  if (sign !== undefined) return 'sign';
  return answer === 'deny' ? 'no' : 'yes';
}

const cards = new Map<string, PageCard>();

/** Ids of the cards whose place a card of an edited call has. */
const inPlaceOf = new WeakMap<Element, string>();

function setCard(id: string, article: HTMLElement, edit?: PageEdit): PageCard {
  const whenEdited = (edited: HTMLElement, next: PageEdit): void => {
    cards.get(id)?.stop();
    inPlaceOf.set(edited, id);
    article.replaceWith(edited);
    setCard(id, edited, next).draw();
    edited.querySelector('h3')?.focus();
  };
  const card = new PageCard(article, whenEdited, edit);
  cards.set(id, card);
  return card;
}

function setCards(list: HTMLElement, drawn: readonly Drawn[]): void {
  const hadFocus = list.contains(document.activeElement);
  const ids = new Set(drawn.map(({ id }) => id));
  const standing = new Set<string>();
  for (const child of Array.from(list.children)) {
    const id = inPlaceOf.get(child) ?? child.id;
    standing.add(id);
    if (ids.has(id)) continue;
    cards.get(id)?.stop();
    cards.delete(id);
    child.remove();
  }
  for (const { id, html } of drawn) {
    const child = standing.has(id) ? null : parsed(html).firstElementChild;
    if (child === null) continue;
    list.append(child);
    // A line about further cards is no card.
    if (child instanceof HTMLElement && child.matches('article')) setCard(id, child);
  }
  at(`${list.id}-none`).hidden = drawn.length > 0;
  if (hadFocus && !list.contains(document.activeElement)) (list.querySelector('h3') ?? at(`${list.id}-title`)).focus();
}

const shown = new Map<HTMLElement, string>();

function setHtml(place: HTMLElement, html: string): void {
  if (shown.get(place) === html) return;
  shown.set(place, html);
  place.replaceChildren(...parsed(html).childNodes);
}

function show({ title, questions, changes, effects, watch, tools, runs, servers, passkeys: told }: PageState): void {
  const before = at('questions').children.length;
  document.title = title;
  setCards(at('questions'), questions);
  setCards(at('changes'), changes);
  setCards(at('effects'), effects);
  setHtml(at('watch'), watch);
  setHtml(at('tools'), tools);
  setHtml(at('runs'), runs);
  setHtml(at('servers'), servers);
  passkeySection.show(told);
  for (const card of cards.values()) card.draw();
  if (questions.length > before)
    say(questions.length === 1 ? 'A call waits for your answer.' : `${questions.length} calls wait for your answer.`);
}

/** Everything that is permitted, counted in the ledger when a person asks for it. */
interface AllowedState {
  readonly note: string;
  readonly grants: readonly Drawn[];
  readonly sources: readonly Drawn[];
}

let isReading = false;

async function readAllowed(): Promise<void> {
  if (isReading) return;
  isReading = true;
  const [button, list, note] = [at('allowed-read'), at('allowed-list'), at('allowed-note')];
  button.setAttribute('aria-disabled', 'true');
  list.setAttribute('aria-busy', 'true');
  note.textContent = 'Reading the decisions of the ledger …';
  try {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const answer = await fetch('/allowed', { ...init, body: '{}' });
    const value = (await answer.json()) as Partial<AllowedState> & { readonly message?: string };
    note.textContent = value.note ?? value.message ?? '';
    if (value.grants !== undefined) {
      setCards(at('grants'), value.grants);
      setCards(at('sources'), value.sources ?? []);
      list.hidden = false;
      button.textContent = 'Read the list again';
      for (const card of cards.values()) card.draw();
    }
  } catch {
    note.textContent = 'The list did not come. The gateway has ended, or this machine is busy.';
  } finally {
    isReading = false;
    button.removeAttribute('aria-disabled');
    list.removeAttribute('aria-busy');
  }
}

/** After what a person has changed here, a list that is shown is read anew. */
function readAgain(): void {
  if (!at('allowed-list').hidden) void readAllowed();
}

at('allowed-read').addEventListener('click', () => void readAllowed());

// a click begins the undo, and each call of it is a card of its own
at('runs').addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>('button[data-undo]') : null;
  if (button === null || !isGesture(event)) return;
  const { undo, step } = button.dataset;
  void send('/undo', { run: undo, step: Number(step) });
});

/** A person's own click opens a held value. It is drawn by the gateway, as text. */
async function openHeld({ run, held: handle }: DOMStringMap): Promise<void> {
  try {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const answer = await fetch('/held', { ...init, body: JSON.stringify({ run, handle }) });
    const { html, message = '' } = (await answer.json()) as { readonly html?: string; readonly message?: string };
    if (html === undefined) return say(message);
    at('held-value').replaceChildren(...parsed(html).childNodes);
    at('held').hidden = false;
    at('held-title').focus();
  } catch {
    say('The value did not come. The gateway has ended, or this machine is busy.');
  }
}

at('runs').addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button[data-held]') : null;
  if (button !== null && isGesture(event)) void openHeld(button.dataset);
});

at('held-close').addEventListener('click', () => {
  at('held-value').replaceChildren();
  at('held').hidden = true;
  at('runs-title').focus();
});

async function send(path: string, body: object): Promise<void> {
  say((await post<{ readonly message: string }>(path, body)).message);
}

async function post<T>(path: string, body: object): Promise<T | { readonly message: string }> {
  try {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const answer = await fetch(path, { ...init, body: JSON.stringify(body) });
    return (await answer.json()) as T;
  } catch {
    return { message: 'The answer did not reach the gateway.' };
  }
}

/** What the gateway answers about a rule. */
interface RuleValue {
  readonly share?: number;
  readonly draft?: RuleDraft;
  readonly replaces?: number;
  readonly tried?: TriedDraft;
  readonly message?: string;
}

/** The rules of a tool of the gateway, whose dialog has a number of its own. */
function rulePort(tool: string): RulePort {
  const id = crypto.randomUUID();
  const post = (act: string, changes: RuleChanges): Promise<Response> => {
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    return fetch('/rule', { ...init, body: JSON.stringify({ id, tool, act, changes }) });
  };
  const ask = async (act: string, changes: RuleChanges, work?: RuleWork): Promise<RuleValue> => {
    for (;;) {
      const answer = await post(act, changes);
      const value = (await answer.json()) as RuleValue;
      work?.signal.throwIfAborted();
      if (answer.status === 200) return value;
      if (answer.status !== 202) throw new Error(value.message ?? 'The gateway gave no answer.');
      work?.progress(value.share ?? 0);
    }
  };
  const close = (): void => void post('close', {}).catch(() => undefined);
  return {
    tool,
    asksOutside: true,
    draft: async (changes, work) => {
      const { draft, replaces = 0 } = await ask('draft', changes, work);
      return { ...(draft && { draft }), replaces };
    },
    attempt: async (changes, work) => {
      const { tried } = await ask('try', changes, work);
      if (tried === undefined) throw new Error('The gateway gave no answer.');
      return tried;
    },
    accept: async (changes) => (await ask('accept', changes)).message ?? '',
    closed: close,
  };
}

/** A person's own click begins or ends a watch. */
document.addEventListener('click', (event) => {
  const { target } = event;
  const act = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-watch]')?.dataset['watch'] : undefined;
  if (act === undefined || !isGesture(event)) return;
  const egress = document.querySelector<HTMLInputElement>('#watch-egress')?.checked === true;
  const option = document.querySelector<HTMLSelectElement>('#watch-length')?.value;
  const sent = send('/watch', act === 'end' ? { end: true } : { option, ...(egress && { egress }) });
  void sent.then(() => at('watch-title').focus()).then(readAgain);
});

document.addEventListener('click', ({ target }) => {
  const tool = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-rule]')?.dataset['rule'] : undefined;
  if (tool !== undefined) void document.querySelector<RuleDialog>('sp-rule')?.show(rulePort(tool));
});

async function follow(): Promise<void> {
  for (let version = 0; ; ) {
    try {
      const answer = await fetch(`/state?since=${version}`, { headers });
      if (answer.status === 403)
        return say('This page is not signed in any more. Open the newest address that sallyport mcp has printed.');
      const state = (await answer.json()) as PageState;
      version = state.version;
      show(state);
    } catch {
      say('The gateway does not answer. It has ended, or this machine is busy.');
      await new Promise((resolve) => setTimeout(resolve, 2000));
    }
  }
}
const passkeySection = new PasskeySection({
  section: at('passkeys'),
  say,
  add: (signer) => send('/passkey', signer),
});
defineRuleDialog();
void follow();
