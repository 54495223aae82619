import { effect } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { guide } from '../../texts/en/guide.ts';
import { View } from '../parts/view.ts';
import type { ColumnName, Playground } from '../playground.ts';
import { keepGuideStep } from './guide-state.ts';
import {
  followGuide,
  GUIDE_STEPS,
  type GuideFacts,
  type GuideProgress,
  type GuideStep,
  nextGuideStep,
} from './steps.ts';

/** Marks the control that the guide speaks of; `shared` draws a line around it. */
const MARK = 'data-guided';

/** The guide through the first minute. It goes on by itself when a person has done its step. */
export class Guide extends View {
  static override get styles(): CSSResult[] {
    return [shared, guideStyles];
  }
  #stop: (() => void) | undefined;
  #place: GuidePlace | undefined;
  #marked: HTMLElement | undefined;
  /** A person asked for the guide, so the guide takes the focus when it is drawn. */
  #takesFocus = false;

  protected override view(): TemplateResult {
    const progress = this.store.guide.value;
    if (progress === undefined) return html``;
    const { step } = progress;
    const texts = guide();
    this.#place = placeOf(step, this.store);
    // the controls that the guide points to are drawn anew with the state of the run
    void this.store.status.value.word;
    void this.store.session.value?.view.value?.mode;
    void this.store.selection.record.value;
    return html`<section aria-labelledby="guide" @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <div class="head"><h2 id="guide" tabindex="-1">${texts.title}</h2>${step === 'end' ? '' : html`<span class="soft">${texts.progress(GUIDE_STEPS.indexOf(step) + 1, GUIDE_STEPS.length)}</span>`}</div>
      <p class="text" aria-live="polite">${this.#place === undefined ? texts.end : texts.texts[this.#place.text]()}</p>
      <div class="actions">${step === 'end' ? this.#last() : this.#actions()}</div>
    </section>`;
  }

  #actions(): TemplateResult {
    const texts = guide();
    const hasPlace = this.#place !== undefined && this.#place.path.length > 0;
    return html`${hasPlace ? html`<button type="button" id="where" @click=${() => void this.#go()}>${icon('eye')}${texts.where}</button>` : ''}
      <button type="button" id="next" class="plain" @click=${() => this.#next()}>${texts.next}</button>
      <button type="button" id="skip" class="plain" @click=${() => this.#leave()}>${texts.skip}</button>`;
  }

  #last(): TemplateResult {
    const texts = guide();
    const learn = (): void => {
      this.store.guide.value = undefined;
      this.store.view.value = 'learn';
    };
    return html`<button type="button" id="finish" @click=${() => this.#leave()}>${icon('check')}${texts.finish}</button>
      <button type="button" id="learn" class="plain" @click=${learn}>${texts.learn}</button>`;
  }

  #next(): void {
    const progress = this.store.guide.peek();
    if (progress !== undefined) this.#turn(progress, nextGuideStep(progress));
    void this.#held();
  }

  /** The last button goes away with the last step: the focus stays in the guide. */
  async #held(): Promise<void> {
    await this.updateComplete;
    if (this.shadowRoot?.activeElement === null) this.renderRoot.querySelector<HTMLElement>('#finish')?.focus();
  }

  /** This device keeps the step that the guide has come to. */
  #turn(from: GuideProgress, to: GuideProgress | undefined): void {
    if (to !== undefined && to.step !== from.step) keepGuideStep(to.step);
    this.store.guide.value = to;
  }

  #leave(): void {
    keepGuideStep('end');
    this.store.guide.value = undefined;
    this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    this.#leave();
  }

  /** On a narrow screen the control may be in another column, which is drawn first. */
  async #go(): Promise<void> {
    const { column } = this.#place ?? {};
    if (column !== undefined) this.store.column.value = column;
    await new Promise((drawn) => requestAnimationFrame(drawn));
    const control = this.#control();
    if (control !== undefined) goToControl(control);
  }

  #control(): HTMLElement | undefined {
    const root = this.getRootNode();
    return this.#place === undefined || !(root instanceof ShadowRoot) ? undefined : controlAt(this.#place, root);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.#stop ??= effect(() => this.#follow());
    if (this.#takesFocus) this.renderRoot.querySelector<HTMLElement>('h2')?.focus();
    this.#takesFocus = false;
    // the other views draw their controls in this frame
    requestAnimationFrame(() => this.#mark(this.isConnected ? this.#control() : undefined));
  }

  #follow(): void {
    const progress = this.store.guide.value;
    if (progress === undefined) return;
    if (progress.again === true && progress.before === undefined) this.#takesFocus = true;
    this.#turn(progress, followGuide(progress, guideFacts(this.store)));
  }

  /** A control that does nothing now is not pointed to. */
  #mark(found: HTMLElement | undefined): void {
    const control = found?.getAttribute('aria-disabled') === 'true' ? undefined : found;
    if (control !== this.#marked) this.#marked?.removeAttribute(MARK);
    control?.setAttribute(MARK, '');
    this.#marked = control;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#stop = undefined;
    this.#mark(undefined);
    // the last words are not said again after another view
    if (this.store.guide.peek()?.step === 'end') this.store.guide.value = undefined;
  }
}

/** Reads the facts of the open run; reading them inside an effect or a view follows them. */
function guideFacts({ session, selection, chosen }: Playground): GuideFacts {
  const open = session.value;
  const records = open?.records.value ?? [];
  const count = (...kinds: readonly string[]): number => records.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    run: open?.id,
    proposals: count('proposal'),
    receipts: count('receipt'),
    answers: count('approval', 'consent'),
    stops: (open?.steps.value ?? []).filter(({ stopped }) => stopped !== undefined).length,
    showsReceipt: selection.tab.value === 'receipt' && hasReceipt(selection),
    isModel: chosen.value === 'you',
  };
}

/** The selected record is of a step that has ended. */
function hasReceipt({ group }: Playground['selection']): boolean {
  return group.value?.records.some(({ kind }) => kind === 'receipt') === true;
}

/** A control that a step of the guide speaks of. */
interface GuidePlace {
  /** The text of the guide while the control is the next to use. */
  readonly text:
    | 'step'
    | 'record'
    | 'receipt'
    | 'question'
    | 'wait'
    | 'answer'
    | 'script'
    | 'model'
    | 'draft'
    | 'send'
    | 'over';
  /** Elements from the page inwards, each in the shadow tree of the element before it. */
  readonly path: readonly string[];
  /** The column of the control on a narrow screen; undefined for a control that every column shows. */
  readonly column?: ColumnName;
}

const STEP: GuidePlace = { text: 'step', path: ['sp-runbar', '#step'] };
/** A model is asked, and nothing is to be pressed until its answer is here. */
const WAIT: GuidePlace = { text: 'wait', path: [] };
const RUN: GuidePlace = { text: 'question', path: ['sp-runbar', '#run'] };
const OVER: GuidePlace = { text: 'over', path: ['sp-runbar', '#new, #take'] };
const RECEIPT: GuidePlace = { text: 'receipt', path: ['sp-inspector', '#tab-receipt'], column: 'inspector' };
const ANSWER: GuidePlace = { text: 'answer', path: ['sp-approval', '.actions'] };
const CONSENT: GuidePlace = { text: 'answer', path: ['sp-consent', '.actions'] };
/** The choice of who proposes at this place of the three. */
function chosenPlace(text: 'script' | 'model', nth: number): GuidePlace {
  return { text, path: ['sp-setup', 'sp-composer', `[aria-labelledby=who] > :nth-child(${nth})`], column: 'setup' };
}

const SCRIPT: GuidePlace = chosenPlace('script', 1);
const YOU: GuidePlace = chosenPlace('model', 2);
const DRAFT: GuidePlace = { text: 'draft', path: ['sp-setup', 'sp-composer', '#draft'], column: 'setup' };

const SEND: GuidePlace = { text: 'send', path: ['sp-setup', 'sp-composer', '#send'], column: 'setup' };

/** The control to use next; undefined for the last words. Reading it inside a view follows the run. */
export function placeOf(step: GuideStep, store: Playground): GuidePlace | undefined {
  const { session, chosen, draft, status } = store;
  if (step === 'end') return undefined;
  const receipt = step === 'receipt' ? receiptPlace(store) : undefined;
  if (receipt !== undefined) return receipt;
  const view = session.value?.view.value;
  // a question keeps every other control from acting
  if (view?.pending !== undefined) return ANSWER;
  if (view?.consent !== undefined) return CONSENT;
  if (session.value !== undefined && (view === undefined || view.end !== undefined)) return OVER;
  if (status.value.isAsking === true) return WAIT;
  // a person proposes by sending, and not by Step or Run
  const isYou = chosen.value === 'you';
  if (step === 'question') return isYou ? SCRIPT : RUN;
  if (isYou) return draft.value === '' || step === 'model' ? DRAFT : SEND;
  return step === 'model' ? YOU : STEP;
}

/** The receipt of the selected step, or else the newest in the ledger; undefined where there is none. */
function receiptPlace({ session, selection }: Playground): GuidePlace | undefined {
  if (hasReceipt(selection)) return RECEIPT;
  const newest = session.value?.records.value.findLast(({ kind }) => kind === 'receipt');
  if (newest === undefined) return undefined;
  return { text: 'record', path: ['sp-timeline', `#r${newest.run_seq}`], column: 'timeline' };
}

/** The control in the tree of the page; undefined while the page does not have it. */
function controlAt({ path }: GuidePlace, root: ParentNode): HTMLElement | undefined {
  let found: HTMLElement | null = null;
  let inside: ParentNode | null = root;
  for (const selector of path) {
    found = inside?.querySelector<HTMLElement>(selector) ?? null;
    inside = found?.shadowRoot ?? null;
  }
  return found ?? undefined;
}

/** Focuses the control, or the first control in it, and scrolls it into sight. */
function goToControl(control: HTMLElement): void {
  const own = control.matches('button,textarea') ? control : control.querySelector<HTMLElement>('button,input');
  control.scrollIntoView({ block: 'nearest' });
  own?.focus();
}

/** A card in the page's own layout: it lies over no control. */
const guideStyles: CSSResult = css`
  section {
    display: flex;
    flex-direction: column;
    gap: 0.5rem;
    height: 100%;
    padding: 0.75rem 1rem 0.75rem 1.25rem;
    border: 1px solid var(--accent);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 0.75rem;
  }
  h2:focus-visible {
    border-radius: var(--radius-small);
  }
  .text {
    flex: 1;
    max-width: 40rem;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .actions button {
    min-height: 2.25rem;
  }
  /* On a phone the three buttons share a line. */
  @media (max-width: 24rem) {
    section {
      padding: 0.75rem;
    }
    .actions {
      gap: 0.25rem;
    }
    .actions button {
      padding-inline: 0.5rem;
    }
    .actions svg {
      display: none;
    }
  }
  @media (pointer: coarse) {
    .actions button {
      min-height: 2.75rem;
    }
  }
  @media print {
    section {
      display: none;
    }
  }
`;

customElements.define('sp-guide', Guide);
