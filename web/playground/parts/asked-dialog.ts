import type { PropertyValues, TemplateResult } from 'lit';
import { View } from './view.ts';

/**
 * A dialog that opens when a signal asks for it. Its opening takes the request, so each request opens it. The event
 * `close` does not settle a request: Chromium sends it with the next frame, and a person may have asked again by then.
 */
export abstract class AskedDialog extends View {
  #opens = false;

  /** True if the dialog is asked for. Reads the signal of the request, so that a request draws the dialog. */
  protected abstract isAsked(): boolean;

  /** Takes the request, right before the dialog opens. */
  protected abstract take(): void;

  /** The element `dialog` with its contents. */
  protected abstract contents(): TemplateResult;

  protected override view(): TemplateResult {
    this.#opens = this.isAsked();
    return this.contents();
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { dialog } = this;
    if (!this.#opens || dialog === null) return;
    this.#opens = false;
    this.take();
    if (!dialog.open) dialog.showModal();
  }

  protected get dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }
}
