import './explain.ts';
import '../parts/json-text.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { decode, type JsonValue, type LedgerRecord, type PayloadRef } from '../../../core/index.ts';
import { describe, englishWord } from '../../records/describe.ts';
import type { StepGroup } from '../../records/steps.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { inEnglish } from '../../texts/recorded.ts';
import type { TabName } from '../link.ts';
import { loading } from '../parts/loading.ts';
import { shortHash, showBytes, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import { find, replyOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import { fieldsOf } from './record-fields.ts';

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
class Inspector extends View {
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

/** The forms in which a side can be read, one of them pressed. */
const formButtons: CSSResult = css`
  button {
    min-height: 2rem;
    padding: 0.125rem 0.75rem;
  }
  button[aria-pressed='true'] {
    border-color: var(--accent);
    background: var(--accent-wash);
    color: var(--accent);
    font-weight: 650;
  }
`;

/** The selected record member by member, and the receipt its step ended in. */
class Fields extends View {
  static override styles: CSSResult[] = [
    shared,
    formButtons,
    css`
      dl {
        display: grid;
        gap: 0.625rem;
      }
      dt {
        color: var(--soft);
      }
      dd .over {
        display: block;
        color: var(--soft);
      }
      section + section {
        margin-top: 1.5rem;
        padding-top: 1.25rem;
        border-top: 1px solid var(--line);
      }
      h3 {
        margin-bottom: 0.75rem;
      }
      button {
        margin-bottom: 0.75rem;
      }
    `,
  ];
  readonly #asTree: Signal<boolean> = signal(false);

  protected override view(): TemplateResult {
    const record = this.store.selection.record.value;
    if (record === undefined) return html``;
    const receipt = find(this.store.selection.group.value, 'receipt');
    const turn = (): void => {
      this.#asTree.value = !this.#asTree.peek();
    };
    const { fields: texts } = inspector();
    const list = this.#asTree.value ? recordTree : fieldList;
    return html`
      <button type="button" id="tree" aria-pressed=${this.#asTree.value} @click=${turn}>${texts.tree}</button>
      ${receipt === undefined || receipt === record ? '' : html`<section><h3>${texts.receipt(receipt.body.evidence.step, receipt.run_seq)}</h3>${list(receipt)}</section>`}
      <section><h3>${texts.recordOf(record.run_seq, inEnglish(record.kind))}</h3>${list(record)}</section>
    `;
  }
}

function recordTree(record: LedgerRecord): TemplateResult {
  return jsonTree(record as unknown as JsonValue, inspector().record(record.run_seq));
}

function fieldList(record: LedgerRecord): TemplateResult {
  return html`<dl>
    ${fieldsOf(record).map(
      ({ path, value, time, over }) =>
        html`<div><dt class="mono">${path}</dt><dd>${time === undefined ? '' : html`<time>${time}</time> `}<span class="mono ${time === undefined ? '' : 'soft'}">${shown(value)}</span>${over === undefined ? '' : html`<span class="over">${over}</span>`}</dd></div>`,
    )}
  </dl>`;
}

/** The exact bytes of a direction: the proposal, or the reply. */
class MessageView extends View {
  static override properties: PropertyDeclarations = { side: {} };
  static override styles: CSSResult[] = [
    shared,
    formButtons,
    css`
      :host {
        --json-height: none;
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem 1rem;
        margin-bottom: 0.75rem;
      }
      .space {
        flex: 1;
      }
      .pair {
        display: flex;
        gap: 0.375rem;
      }
    `,
  ];
  declare side: 'message' | 'result';
  readonly #form: Signal<MessageForm> = signal<MessageForm>('indented');

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const record = this.store.selection.record.value;
    if (session === undefined || record === undefined) return html``;
    const group = this.store.selection.group.value;
    const ref = this.side === 'message' ? sent(group, record) : find(group, 'observation')?.body.payload;
    if (ref === undefined)
      return html`<p class="soft">${this.side === 'message' ? inspector().message.none : inspector().message.noReply}</p>`;
    return this.#bytes(session, ref, this.side === 'message' ? replyOf(session, group)?.pointer : undefined);
  }

  #bytes(session: RunSession, ref: PayloadRef, pointer: string | undefined): TemplateResult {
    const { message: texts } = inspector();
    const payload = session.payload(ref);
    const size = ref.bytes - (ref.salt ?? 0);
    if (payload.state === 'loading') return html`<p class="soft">${texts.reading(size)}</p>`;
    if (!('bytes' in payload)) {
      return html`<p>${texts.erased(shortHash(ref.sha256))}</p>`;
    }
    const { text, wellFormed } = showBytes(payload.bytes);
    const value = treeOf(payload.bytes);
    const form = value === undefined && this.#form.value === 'tree' ? 'indented' : this.#form.value;
    return html`<div class="head">
        <span>${wellFormed ? texts.encoded(size) : texts.notEncoded(size)}</span>
        <span class="soft">${texts.sha256} ${shortHash(ref.sha256)}</span>
        <span class="space"></span>
        <span class="pair" role="group" aria-label=${texts.formsLabel}>${value === undefined ? '' : this.#mode('tree', form)}${this.#mode('indented', form)}${this.#mode('exact', form)}</span>
      </div>
      ${ref.kept === undefined ? '' : html`<p class="wait">${texts.cut(ref.kept - (ref.salt ?? 0))}</p>`}
      ${form === 'tree' && value !== undefined ? jsonTree(value.json, inspector().message.label) : html`<sp-json .text=${text} .pointer=${pointer} ?pretty=${form === 'indented'} label=${texts.label}></sp-json>`}`;
  }

  #mode(form: MessageForm, current: MessageForm): TemplateResult {
    const choose = (): void => {
      this.#form.value = form;
    };
    return html`<button type="button" aria-pressed=${form === current} @click=${choose}>${inspector().message.forms[form]}</button>`;
  }
}

type MessageForm = 'tree' | 'indented' | 'exact';

function jsonTree(json: JsonValue, label: string): TemplateResult {
  return html`<sp-tree .value=${json} label=${label}>${loading('tree', () => import('../parts/json-tree.ts'))}</sp-tree>`;
}

const trees = new WeakMap<Uint8Array, { readonly json: JsonValue } | undefined>();

/** The value of bytes that the gate decodes, where it has members. */
function treeOf(bytes: Uint8Array): { readonly json: JsonValue } | undefined {
  if (trees.has(bytes)) return trees.get(bytes);
  const read = decode(bytes);
  const found = read.ok && typeof read.value === 'object' && read.value !== null ? { json: read.value } : undefined;
  trees.set(bytes, found);
  return found;
}

function sent(
  group: StepGroup | undefined,
  record: { readonly kind: string; readonly body: object },
): PayloadRef | undefined {
  const proposal = find(group, 'proposal')?.body.payload;
  if (proposal !== undefined) return proposal;
  return record.kind === 'task' && 'text' in record.body ? (record.body.text as PayloadRef) : undefined;
}

customElements.define('sp-inspector', Inspector);
customElements.define('sp-fields', Fields);
customElements.define('sp-message', MessageView);
