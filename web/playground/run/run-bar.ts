import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { run } from '../../texts/en/run.ts';
import { inEnglish } from '../../texts/recorded.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { FILES } from '../scenario.ts';
import { firstOf } from './session.ts';
import { callerOf, sessionName } from './session-caller.ts';

/** The run's name and state, and its actions. *Step* is the primary button while there is a step. */
export class RunBar extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        container-type: inline-size;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 0.75rem;
        padding: 0.625rem 1.25rem 0.5rem;
      }
      h1 {
        font-size: 1.25rem;
        font-weight: 650;
        letter-spacing: -0.01em;
      }
      .space {
        flex: 1;
      }
      /* A model is asked: something moves until its answer is here. */
      .turning {
        width: 1rem;
        height: 1rem;
        border: 2px solid currentcolor;
        border-right-color: transparent;
        border-radius: 50%;
        animation: turn 1s linear infinite;
      }
      @keyframes turn {
        to {
          rotate: 1turn;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        .turning {
          animation: none;
        }
      }
      @media print {
        button {
          display: none;
        }
      }
      .primary {
        min-width: 6.5rem;
      }
      @container (max-width: 60rem) {
        .word {
          position: absolute;
          width: 1px;
          height: 1px;
          overflow: hidden;
          clip-path: inset(50%);
        }
        .minor {
          min-width: 2.75rem;
          padding: 0.375rem;
        }
      }
      @container (max-width: 50rem) {
        .bar {
          flex-wrap: nowrap;
          gap: 0.375rem;
          padding: 0.625rem 1.25rem 0.5rem;
        }
        h1 {
          position: absolute;
          width: 1px;
          height: 1px;
          overflow: hidden;
          clip-path: inset(50%);
        }
        .badge {
          flex: none;
        }
        button {
          flex: none;
        }
        .primary {
          min-width: 0;
        }
      }
      @container (max-width: 47rem) {
        .bar {
          padding: 0.625rem 0.75rem;
        }
      }
      /* The line below says the same in words. */
      @container (max-width: 29rem) {
        .badge {
          padding: 0.375rem;
        }
        .badge span:not(.turning) {
          position: absolute;
          width: 1px;
          height: 1px;
          overflow: hidden;
          clip-path: inset(50%);
        }
        .primary {
          flex: 1;
        }
        .space {
          display: none;
        }
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { scenario, status, session } = this.store;
    const { icon: name, word, tone, isAsking = false } = status.value;
    const { bar: texts } = run();
    const caller = callerOf([session.value && firstOf(session.value)]);
    return html`<div class="bar" aria-busy=${session.value === undefined}>
      <h1>${caller === undefined ? (scenario.id === FILES ? scenario.name : inEnglish(scenario.name)) : shown(sessionName(caller))}</h1>
      <span class="badge ${tone}" title=${word}>${isAsking ? html`<span class="turning" aria-hidden="true"></span>` : icon(name)}<span>${word}</span></span>
      <span class="space"></span>
      ${this.#controls(caller !== undefined)}
      <button type="button" class="minor" aria-disabled=${session.value === undefined} @click=${() => this.dispatchEvent(new Event('sp-export', { bubbles: true, composed: true }))}>${icon('download')}<span class="word">${texts.export}</span></button>
    </div>`;
  }

  #controls(isSession: boolean): TemplateResult {
    const { session } = this.store;
    const { bar: texts } = run();
    const view = session.value?.view.value;
    const elsewhere = session.value?.elsewhere.value;
    if (elsewhere !== undefined && !isSession) {
      return html`<button type="button" class="primary" id="take" @click=${() => this.store.takeOver()}>${icon('pen')}${elsewhere === 'free' ? texts.continue : texts.takeOver}</button>`;
    }
    if (session.value !== undefined && (view === undefined || view.end !== undefined)) {
      return html`<button type="button" class="primary" id="new" @click=${() => this.store.startRun()}>${icon('plus')}${texts.newRun}</button>`;
    }
    const abort = html`<button type="button" class="minor" id="abort" aria-disabled=${view === undefined} @click=${() => this.store.abort()}>${icon('stop')}<span class="word">${texts.abort}</span></button>`;
    if (isSession) return abort;
    const blocked = view === undefined || view.mode !== 'paused' || view.pending !== undefined;
    return html`
      <button type="button" class="primary" id="step" aria-disabled=${blocked} @click=${() => !blocked && this.store.step()}>${icon('step')}${texts.step}</button>
      ${
        view?.mode === 'running'
          ? html`<button type="button" class="minor" @click=${() => this.store.pause()}>${icon('pause')}<span class="word">${texts.pause}</span></button>`
          : html`<button type="button" class="minor" id="run" aria-disabled=${blocked} @click=${() => !blocked && this.store.run()}>${icon('run')}<span class="word">${texts.run}</span></button>`
      }
      ${abort}
    `;
  }

  /** When the focused button goes away, the focus goes to the button that took its place. */
  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    this.#held = this.shadowRoot?.activeElement !== null && this.hasUpdated;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.#held && this.shadowRoot?.activeElement === null) this.focusPrimary();
  }
  #held = false;

  /** Focuses the primary button when the page opens. */
  focusPrimary(): void {
    this.renderRoot.querySelector<HTMLElement>('#step, #new, #abort')?.focus();
  }
}

/** Asks before a run is ended for good. The run rests while it is asked. */
class Abort extends View {
  static override styles: CSSResult[] = [
    shared,
    dialogStyles,
    css`
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 0.75rem;
        margin-top: 1.25rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { aborting } = this.store;
    this.#asked = aborting.value !== undefined;
    const { abort: texts } = run();
    return html`<dialog aria-labelledby="abort-title" aria-describedby="abort-what" @close=${() => aborting.value?.keep()}>
      <h2 id="abort-title">${texts.title}</h2>
      <p id="abort-what">${texts.what}</p>
      <div class="actions">
        <button type="button" id="keep" autofocus @click=${() => aborting.value?.keep()}>${texts.keep}</button>
        <button type="button" id="end" class="bad" @click=${() => aborting.value?.end()}>${icon('stop')}${texts.end}</button>
      </div>
    </dialog>`;
  }
  #asked = false;

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const dialog = this.renderRoot.querySelector('dialog');
    if (this.#asked && dialog?.open === false) dialog.showModal();
    if (!this.#asked && dialog?.open === true) {
      dialog.close();
      this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
    }
  }
}

customElements.define('sp-runbar', RunBar);
customElements.define('sp-abort', Abort);
