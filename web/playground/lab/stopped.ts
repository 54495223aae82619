import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { LedgerRecord } from '../../../core/index.ts';
import { createSandbox } from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { lab } from '../../texts/en/lab.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { SignalView } from '../parts/signal-view.ts';
import { isRepeatable, type StepInHand, type StopPlace, whereStopped, whereThrown } from './stop-place.ts';

/** The place where a limit stopped a call, shown on request. It is not in the ledger, and no model is told. */
export class Stopped extends SignalView {
  static override properties: PropertyDeclarations = { step: { attribute: false }, told: { state: true } };
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: block;
      }
    `,
  ];
  declare step: StepInHand;
  /** Draws what is known of the place, in the language of the moment. */
  declare told: (() => TemplateResult | string) | undefined;
  #of: string | undefined;

  protected override willUpdate(): void {
    const receipt = receiptOf(this.step);
    if (receipt?.hash === this.#of) return;
    this.#of = receipt?.hash;
    this.told = undefined;
    if (receipt?.body.evidence.ended_by === 'threw') void this.#tell(whereThrown(this.step).then(thrown));
  }

  protected override view(): TemplateResult {
    const endedBy = receiptOf(this.step)?.body.evidence.ended_by;
    if (endedBy === 'deadline' || endedBy === 'hang') return html`<p class="soft">${lab().stopped.deadline}</p>`;
    if (!isRepeatable(endedBy) || this.told !== undefined) return html`<p role="status">${this.told?.()}</p>`;
    return html`<button type="button" id="where" @click=${() => this.#look()}>${icon('search')}${lab().stopped.where}</button>`;
  }

  #look(): void {
    this.told = () => lab().stopped.looking;
    void this.#tell(whereStopped(createSandbox, this.step).then(stopped, faulted));
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

function faulted(error: unknown): () => TemplateResult | string {
  return () => inEnglish(sentenceOf(error));
}

function receiptOf({ records }: StepInHand): (LedgerRecord & { readonly kind: 'receipt' }) | undefined {
  return records.find((record) => record.kind === 'receipt');
}

customElements.define('sp-stopped', Stopped);
