import { effect } from '@preact/signals-core';
import { html, LitElement, type TemplateResult } from 'lit';
import { sentenceOf } from '../../shared/error-text.ts';
import { parts } from '../../texts/en/parts.ts';

/**
 * An element that draws again when a signal that it read has changed, the language among them. It is its own error
 * boundary: unexpected data in a stranger's record blanks a single panel and not the page.
 */
export abstract class SignalView extends LitElement {
  #stop: (() => void) | undefined;
  #broken: string | undefined;

  protected abstract view(): TemplateResult;

  protected override render(): TemplateResult {
    this.#stop?.();
    let result: TemplateResult = html``;
    let first = true;
    let isDrawing = true;
    this.#stop = effect(() => {
      if (first) result = this.#guarded();
      // a drawing that sets what it has read: Lit drops a request from inside a drawing
      else if (isDrawing) setTimeout(() => this.requestUpdate());
      else this.requestUpdate();
      first = false;
    });
    isDrawing = false;
    // A removed element may still have an update pending. Its signals must not hold it: `connectedCallback` draws again.
    if (!this.isConnected) this.#stop();
    return result;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  #guarded(): TemplateResult {
    if (this.#broken !== undefined) return this.#sorry(this.#broken);
    try {
      return this.view();
    } catch (error) {
      reportError(error);
      this.#broken = sentenceOf(error);
      return this.#sorry(this.#broken);
    }
  }

  #sorry(message: string): TemplateResult {
    const again = (): void => {
      this.#broken = undefined;
      this.requestUpdate();
    };
    const texts = parts();
    return html`<div role="alert">
      <p>${texts.broken(message)}</p>
      <button type="button" @click=${again}>${texts.drawAgain}</button>
    </div>`;
  }
}
