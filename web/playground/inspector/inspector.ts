import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import type { LedgerRecord } from '../../../core/index.ts';
import { describe, englishWord } from '../../records/describe.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { inEnglish } from '../../texts/recorded.ts';
import type { TabName } from '../link.ts';
import type { Playground } from '../playground.ts';
import './explain.ts';
import './fields.ts';
import { loading } from '../parts/loading.ts';
import './message.ts';
import { View } from '../parts/view.ts';

const SIDES: { readonly [T in TabName]: (store: Playground) => TemplateResult } = {
  explain: (store) => html`<sp-explain .store=${store}></sp-explain>`,
  message: (store) => html`<sp-message .store=${store} side="message"></sp-message>`,
  result: (store) => html`<sp-message .store=${store} side="result"></sp-message>`,
  slices: (store) => html`<sp-slices .store=${store}>${loading('slices', () => import('./slices.ts'))}</sp-slices>`,
  receipt: (store) => html`<sp-fields .store=${store}></sp-fields>`,
  context: (store) =>
    html`<sp-context .store=${store}>${loading('context', () => import('./context.ts'))}</sp-context>`,
};

/** A record from five sides; every side is read from the ledger and the bytes that the ledger names. */
export class Inspector extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: flex;
        flex-direction: column;
        container-type: inline-size;
      }
      header {
        display: flex;
        align-items: center;
        gap: 0.625rem;
        min-height: 3.25rem;
        padding: 0.375rem 1rem 0.375rem 1.25rem;
      }
      h2 {
        flex: 1;
        min-width: 0;
      }
      .pin {
        min-height: 2rem;
        padding: 0.25rem 0.625rem;
      }
      .pin[aria-pressed='true'] {
        color: var(--accent);
        border-color: currentcolor;
      }
      [role='tablist'] {
        display: flex;
        gap: 0.125rem;
        padding: 0 0.75rem;
        border-bottom: 1px solid var(--line);
      }
      [role='tab'] {
        min-height: 2.5rem;
        padding: 0.25rem 0.625rem;
        border: 0;
        border-bottom: 3px solid transparent;
        border-radius: 4px 4px 0 0;
        background: none;
        color: var(--soft);
      }
      [role='tab'][aria-selected='true'] {
        border-bottom-color: var(--accent);
        color: var(--ink);
        font-weight: 650;
      }
      [role='tab']:focus-visible {
        outline-offset: -3px;
      }
      @container (max-width: 32rem) {
        [role='tablist'] {
          flex-wrap: wrap;
          gap: 0;
        }
        [role='tab'] {
          padding-inline: 0.375rem;
        }
      }
      @container (max-width: 26rem) {
        [role='tablist'] {
          justify-content: space-between;
          padding-inline: 0.5rem;
        }
        .six {
          display: grid;
          grid-template-columns: repeat(3, 1fr);
        }
        [role='tab'] {
          padding-inline: 0.125rem;
          font-size: 0.9375rem;
        }
      }
      @container (max-width: 21.5rem) {
        [role='tablist'] {
          display: grid;
          grid-template-columns: repeat(3, 1fr);
        }
      }
      .panel {
        flex: 1;
        min-height: 0;
        overflow-y: auto;
        overscroll-behavior: contain;
        padding: 1.25rem;
        outline-offset: -3px;
      }
      @media print {
        .pin,
        [role='tablist'] {
          display: none;
        }
        .panel {
          overflow: visible;
        }
      }
      .empty {
        display: grid;
        gap: 1rem;
        max-width: 32rem;
      }
      .empty h2 {
        font-size: 1.25rem;
        line-height: 1.35;
        letter-spacing: -0.01em;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0.5rem 1rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const texts = inspector();
    const { selection } = this.store;
    const record = selection.record.value;
    const { tabs } = selection;
    const tab = tabs.value.find((name) => name === selection.tab.value) ?? 'explain';
    return html`<header>
        <h2>${record === undefined ? texts.welcome : this.#title(record)}</h2>
        ${record === undefined ? '' : this.#pin(record)}
      </header>
      <div role="tablist" class=${tabs.value.length > 5 ? 'six' : ''} aria-label=${texts.tabsLabel} @keydown=${(event: KeyboardEvent) => this.#key(event)}>
        ${tabs.value.map(
          (name) => html`<button
            type="button"
            role="tab"
            id="tab-${name}"
            aria-controls="panel"
            aria-selected=${tab === name}
            tabindex=${tab === name ? 0 : -1}
            @click=${() => this.#turn(name)}
          >${texts.tabs[name]}</button>`,
        )}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby="tab-${tab}" tabindex="0">
        ${record === undefined ? this.#empty() : SIDES[tab](this.store)}
        ${selection.pins.value.length === 0 ? '' : html`<sp-compare .store=${this.store}>${loading('compare', () => import('./compare.ts'))}</sp-compare>`}
      </div>`;
  }

  #title(record: LedgerRecord): TemplateResult {
    const line = describe(record);
    const head = html`${inspector().record(record.run_seq)} <span class="soft">·</span>`;
    // the kind of a task and of a receipt is their word as well
    if (englishWord(record) === record.kind) return html`${head} ${line.word}`;
    return html`${head} ${inEnglish(record.kind)} <span class="soft">·</span> <span class=${line.tone}>${line.word}</span>`;
  }

  #pin(record: LedgerRecord): TemplateResult {
    const pinned = this.store.selection.pins.value.includes(record.run_seq);
    return html`<button type="button" class="pin plain" aria-pressed=${pinned} @click=${() => this.store.selection.togglePin()}>${icon('pin')}${inspector().pin}</button>`;
  }

  #empty(): TemplateResult {
    const { empty: texts } = inspector();
    const you = html`<button type="button" class="plain" id="be-you" @click=${() => this.#beYou()}>${icon('pen')}${texts.you}</button>`;
    return html`<div class="empty">
      <h2>${texts.title}</h2>
      <p>${texts.start()}</p>
      <p class="soft">${texts.motto}</p>
      <dl class="keyed">
        <dt><kbd>s</kbd></dt><dd>${texts.step}</dd>
        <dt><kbd>r</kbd></dt><dd>${texts.run}</dd>
        <dt><kbd>?</kbd></dt><dd>${texts.keys}</dd>
      </dl>
      <p>${texts.beTheModel(you)} <a href="docs/first-run.html" hreflang="en">${texts.howARunWorks}</a></p>
    </div>`;
  }

  /** On a narrow screen the choice is in another column. */
  #beYou(): void {
    this.store.choose('you');
    this.store.column.value = 'setup';
  }

  #turn(name: TabName): void {
    this.store.selection.tab.value = name;
  }

  #key(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    this.store.selection.turnTab(by);
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  }

  /** A new record starts at its top. */
  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const seq = this.store.selection.seq.peek();
    if (seq !== this.#seen) this.#toTop();
    this.#seen = seq;
  }

  /** Where the page scrolls instead of the panel, the record's head is scrolled back into sight. */
  #toTop(): void {
    this.renderRoot.querySelector('.panel')?.scrollTo(0, 0);
    if (this.getBoundingClientRect().top < 0) this.scrollIntoView();
  }
  #seen: number | undefined;
}

customElements.define('sp-inspector', Inspector);
