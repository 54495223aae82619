import { effect } from '@preact/signals-core';
import { LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Workshop } from './workshop.ts';

/** A part of the workshop: renders again when a signal it read has changed. */
export abstract class WorkshopPart extends LitElement {
  static override properties: PropertyDeclarations = { workshop: { attribute: false } };
  declare workshop: Workshop;
  #stop: (() => void) | undefined;

  protected abstract view(): TemplateResult;

  protected override render(): TemplateResult {
    this.#stop?.();
    let result: TemplateResult | undefined;
    this.#stop = effect(() => {
      if (result === undefined) result = this.view();
      else this.requestUpdate();
    });
    return result as unknown as TemplateResult;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }
}
