import { effect } from '@preact/signals-core';
import { type CSSResult, html, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { guide } from '../../texts/en/guide.ts';
import { View } from '../parts/view.ts';
import { guideFacts } from './facts.ts';
import { keepGuideDone } from './guide-state.ts';
import { guideStyles } from './guide-style.ts';
import { controlAt, type GuidePlace, goToControl, placeOf } from './places.ts';
import { followGuide, GUIDE_STEPS, nextGuideStep } from './steps.ts';

/** Marks the control that the guide speaks of; `shared` draws a line around it. */
const MARK = 'data-guided';

/** The guide through the first minute. It goes on by itself when a person has done its step. */
export class Guide extends View {
  static override styles: CSSResult[] = [shared, guideStyles];
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
    return html`<section aria-labelledby="guide" @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <div class="head"><h2 id="guide" tabindex="-1">${texts.title}</h2>${step === 'end' ? '' : html`<span class="soft">${texts.progress(GUIDE_STEPS.indexOf(step) + 1, GUIDE_STEPS.length)}</span>`}</div>
      <p class="text" aria-live="polite">${this.#place === undefined ? texts.end : texts.texts[this.#place.text]()}</p>
      <div class="actions">${step === 'end' ? this.#last() : this.#actions()}</div>
    </section>`;
  }

  #actions(): TemplateResult {
    const texts = guide();
    return html`<button type="button" id="where" @click=${() => void this.#go()}>${icon('eye')}${texts.where}</button>
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
    if (progress !== undefined) this.store.guide.value = nextGuideStep(progress);
    void this.#held();
  }

  /** The last button goes away with the last step: the focus stays in the guide. */
  async #held(): Promise<void> {
    await this.updateComplete;
    if (this.shadowRoot?.activeElement === null) this.renderRoot.querySelector<HTMLElement>('#finish')?.focus();
  }

  #leave(): void {
    keepGuideDone();
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
    const next = followGuide(progress, guideFacts(this.store));
    if (next.step === 'end') keepGuideDone();
    this.store.guide.value = next;
  }

  #mark(control: HTMLElement | undefined): void {
    if (control !== this.#marked) this.#marked?.removeAttribute(MARK);
    control?.setAttribute(MARK, '');
    this.#marked = control;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#stop = undefined;
    this.#mark(undefined);
  }
}

customElements.define('sp-guide', Guide);
