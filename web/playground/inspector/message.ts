import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { decode, type JsonValue, type PayloadRef } from '../../../core/index.ts';
import { groupAt, type StepGroup } from '../../records/steps.ts';
import { shared } from '../../style/shared.ts';
import { find, replyOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import '../parts/json-text.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { loading } from '../parts/loading.ts';
import { shortHash, showBytes } from '../parts/text.ts';
import { View } from '../parts/view.ts';

/** The exact bytes of a direction: the proposal, or the reply. */
export class MessageView extends View {
  static override properties: PropertyDeclarations = { side: {} };
  static override styles: CSSResult[] = [
    shared,
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
    const group = groupAt(session.steps.value, record.run_seq);
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
      ${form === 'tree' && value !== undefined ? tree(value.json) : html`<sp-json .text=${text} .pointer=${pointer} ?pretty=${form === 'indented'} label=${texts.label}></sp-json>`}`;
  }

  #mode(form: MessageForm, current: MessageForm): TemplateResult {
    const choose = (): void => {
      this.#form.value = form;
    };
    return html`<button type="button" aria-pressed=${form === current} @click=${choose}>${inspector().message.forms[form]}</button>`;
  }
}

type MessageForm = 'tree' | 'indented' | 'exact';

function tree(json: JsonValue): TemplateResult {
  return html`<sp-tree .value=${json} label=${inspector().message.label}>${loading('tree', () => import('../parts/json-tree.ts'))}</sp-tree>`;
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

customElements.define('sp-message', MessageView);
