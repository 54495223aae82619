import { html, LitElement, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { roughly } from '../../texts/amounts.ts';

/** Shorter waits are not worth a number. */
const QUIET_MS = 2000;

/**
 * The duration of the current activity, shown from two seconds on: no invented percentage. Not spoken, as it never
 * stops.
 */
class Elapsed extends LitElement {
  static override properties: PropertyDeclarations = { of: {} };
  /** The activity; a new activity begins at zero. */
  declare of: string;
  #since = 0;
  #tick: ReturnType<typeof setTimeout> | undefined;

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('of')) this.#since = performance.now();
  }

  protected override render(): TemplateResult {
    const ms = performance.now() - this.#since;
    clearTimeout(this.#tick);
    if (this.isConnected) this.#tick = setTimeout(() => this.requestUpdate(), ms < QUIET_MS ? QUIET_MS - ms : 1000);
    return html`${ms < QUIET_MS ? '' : html`<span aria-hidden="true">${roughly(ms)}</span>`}`;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#tick);
  }
}

customElements.define('sp-elapsed', Elapsed);
