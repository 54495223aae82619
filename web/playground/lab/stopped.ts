import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { LedgerRecord } from '../../../core/index.ts';
import '../parts/json-text.ts';
import { createSandbox } from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { lab } from '../../texts/en/lab.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { SignalView } from '../parts/signal-view.ts';
import {
  isRepeatable,
  type StepInHand,
  type StopPlace,
  whatWasRefused,
  whereStopped,
  whereThrown,
} from './stop-place.ts';

/** The source stands beside the step: a place in it is told as soon as it is known, and when a person wants to go there. */
export interface LinkedPlace extends StopPlace {
  readonly goes: boolean;
}

/**
 * The place where a call was stopped, or its refused result, shown on request. Neither is in the ledger, and no model is
 * told. With `linked`, `sp-place` tells each place.
 */
export class Stopped extends SignalView {
  static override properties: PropertyDeclarations = {
    step: { attribute: false },
    linked: { type: Boolean },
    told: { state: true },
  };
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: block;
      }
    `,
  ];
  declare step: StepInHand;
  declare linked: boolean;
  /** Draws what is known of the place, in the language of the moment. */
  declare told: (() => TemplateResult | string) | undefined;
  #of: string | undefined;

  protected override willUpdate(): void {
    const receipt = receiptOf(this.step);
    if (receipt?.hash === this.#of) return;
    this.#of = receipt?.hash;
    this.told = undefined;
    if (receipt?.body.evidence.ended_by === 'threw')
      void this.#tell(whereThrown(this.step).then((place) => this.#at(place, thrown(place))));
    // its author has just run it: no stranger's code runs unasked
    if (this.linked && isRefused(receipt)) this.#show();
  }

  protected override view(): TemplateResult {
    const endedBy = receiptOf(this.step)?.body.evidence.ended_by;
    if (endedBy === 'deadline' || endedBy === 'hang') return html`<p class="soft">${lab().stopped.deadline}</p>`;
    if (this.told !== undefined) return html`<div role="status">${this.told()}</div>`;
    if (isRefused(receiptOf(this.step)))
      return html`<button type="button" id="refused" @click=${() => this.#show()}>${icon('search')}${lab().stopped.show}</button>`;
    if (!isRepeatable(endedBy)) return html`<p role="status"></p>`;
    return html`<button type="button" id="where" @click=${() => this.#look()}>${icon('search')}${lab().stopped.where}</button>`;
  }

  #look(): void {
    this.told = () => lab().stopped.looking;
    void this.#tell(whereStopped(createSandbox, this.step).then((place) => this.#at(place, stopped(place)), faulted));
  }

  #show(): void {
    this.told = () => lab().stopped.looking;
    void this.#tell(whatWasRefused(createSandbox, this.step).then(refused, faulted));
  }

  /** Tells the place, and offers to go there where its source stands beside. */
  #at(place: StopPlace | undefined, words: () => string): () => TemplateResult | string {
    if (!this.linked || place === undefined) return words;
    const tell = (goes: boolean): void => {
      const detail: LinkedPlace = { ...place, goes };
      this.dispatchEvent(new CustomEvent('sp-place', { detail, bubbles: true, composed: true }));
    };
    tell(false);
    return () =>
      html`${words()} <button type="button" id="go" class="plain" @click=${() => tell(true)}>${icon('search')}${lab().stopped.goThere}</button>`;
  }

  /** A result that arrives after another step was selected is dropped. */
  async #tell(telling: Promise<() => TemplateResult | string>): Promise<void> {
    const of = this.#of;
    const told = await telling;
    if (of === this.#of) this.told = told;
  }
}

function thrown(place: StopPlace | undefined): () => string {
  return () => (place === undefined ? '' : lab().stopped.thrown(place.line, place.column));
}

function stopped(place: StopPlace | undefined): () => string {
  return () => (place === undefined ? lab().stopped.unknown : lab().stopped.about(place.line, place.column));
}

function refused(text: string | undefined): () => TemplateResult | string {
  return () => {
    const { stopped: texts } = lab();
    if (text === undefined) return texts.notRepeated;
    return html`<p><strong>${texts.refused}</strong></p><sp-json .text=${text} pretty label=${texts.refused}></sp-json>`;
  };
}

function faulted(error: unknown): () => TemplateResult | string {
  return () => inEnglish(sentenceOf(error));
}

function isRefused(receipt: ReturnType<typeof receiptOf>): boolean {
  return receipt?.body.evidence.reason?.code === 'result_schema';
}

function receiptOf({ records }: StepInHand): (LedgerRecord & { readonly kind: 'receipt' }) | undefined {
  return records.find((record) => record.kind === 'receipt');
}

customElements.define('sp-stopped', Stopped);
