import { type CSSResult, css, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { canonicalize, type JsonValue, sha256Text } from '../../../core/index.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { parts } from '../../texts/en/parts.ts';
import {
  NO_CHOICES,
  PAGE_MEMBERS,
  pointerOf,
  sizeOf,
  type TreeLine,
  type TreeState,
  treeLines,
  treeMove,
} from './json-tree-lines.ts';
import { SignalView } from './signal-view.ts';
import { shown } from './text.ts';

/** Characters of a string that are shown; a copy has all of them. */
const STRING_UNITS = 300;

const COPIES = ['value', 'path', 'hash'] as const;
type CopyKind = (typeof COPIES)[number];

/** A stranger's JSON as a tree that folds, with keys as the ARIA tree pattern has them. */
class JsonTree extends SignalView {
  static override properties: PropertyDeclarations = {
    value: { attribute: false },
    label: {},
    state: { state: true },
    at: { state: true },
    told: { state: true },
  };
  static override styles: CSSResult[] = [
    shared,
    css`
      .copies {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.375rem;
        margin-bottom: 0.5rem;
      }
      .copies button {
        min-height: 2rem;
        padding: 0.125rem 0.625rem;
      }
      .tree {
        padding: 0.25rem 0;
        border: 1px solid var(--line);
        border-radius: var(--radius-small);
        background: var(--sunk);
        font-family: var(--mono);
        overflow-x: auto;
      }
      .line {
        display: flex;
        align-items: baseline;
        gap: 0.375rem;
        min-height: 1.625rem;
        padding: 0 0.5rem;
        cursor: pointer;
        overflow-wrap: anywhere;
      }
      .line[aria-selected='true'] {
        background: var(--accent-wash);
        box-shadow: inset 3px 0 var(--accent);
      }
      .fold {
        flex: none;
        width: 0.875rem;
        color: var(--soft);
      }
      .fold svg {
        width: 0.875rem;
        height: 0.875rem;
      }
      [aria-expanded='true'] .fold svg {
        transform: rotate(90deg);
      }
      .indent {
        flex: none;
        width: 0.875rem;
      }
      .name {
        flex: none;
        max-width: 50%;
        color: var(--accent);
        unicode-bidi: isolate;
      }
      .string {
        min-width: 0;
        unicode-bidi: isolate;
        white-space: pre-wrap;
      }
      .number,
      .word {
        color: var(--wait);
      }
      @media (pointer: coarse) {
        .line {
          min-height: 2.5rem;
          align-items: center;
        }
      }
      @media (forced-colors: active) {
        .line[aria-selected='true'] {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
      }
      @media print {
        .copies {
          display: none;
        }
      }
    `,
  ];
  declare value: JsonValue;
  declare label: string;
  declare private state: TreeState;
  /** Pointer of the selected line. */
  declare private at: string;
  declare private told: string;
  #of: JsonValue | undefined;

  protected override willUpdate(): void {
    if (this.value === this.#of) return;
    this.#of = this.value;
    this.state = NO_CHOICES;
    this.at = '';
    this.told = '';
  }

  protected override view(): TemplateResult {
    const lines = treeLines(this.value, this.state);
    const at = this.#place(lines);
    const { json: texts } = parts();
    return html`<div class="copies" role="group" aria-label=${texts.selected}>
        ${COPIES.map((kind) => html`<button type="button" id=${kind} @click=${() => void this.#copy(kind, lines)}>${texts.copy[kind]}</button>`)}
        <span class="soft" role="status">${shown(this.told)}</span>
      </div>
      <div class="tree" role="tree" tabindex="0" dir="ltr" aria-label=${this.label ?? 'JSON'} aria-activedescendant="l${at}" @keydown=${(event: KeyboardEvent) => this.#key(event, lines)}>
        ${repeat(
          lines,
          ({ pointer }) => pointer,
          (line, nth) => this.#line(line, nth, nth === at),
        )}
      </div>`;
  }

  #place(lines: readonly TreeLine[]): number {
    return Math.max(
      lines.findIndex(({ pointer }) => pointer === this.at),
      0,
    );
  }

  #line(line: TreeLine, nth: number, isSelected: boolean): TemplateResult {
    const { level, place, siblings, isOpen, name } = line;
    const click = (): void => {
      this.at = line.pointer;
      this.#toggle(line);
    };
    return html`<div class="line" role="treeitem" id="l${nth}" aria-level=${level} aria-posinset=${place} aria-setsize=${siblings} aria-expanded=${isOpen ?? nothing} aria-selected=${isSelected} @click=${click}>
      ${Array.from({ length: Math.min(level - 1, 24) }, () => html`<span class="indent"></span>`)}
      <span class="fold">${isOpen === undefined ? '' : icon('chevron')}</span>
      ${name === undefined ? '' : html`<span class="name">${shown(name)}</span>`}
      ${line.more === undefined ? valueText(line) : html`<span class="soft">${parts().json.more(line.more, Math.min(line.more, PAGE_MEMBERS))}</span>`}
    </div>`;
  }

  #key(event: KeyboardEvent, lines: readonly TreeLine[]): void {
    if (event.altKey || (event.shiftKey && event.key !== '*')) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key === 'c' && getSelection()?.isCollapsed !== false) void this.#copy('value', lines);
      return;
    }
    const move = treeMove(event.key, lines, this.#place(lines));
    if (move === undefined) return;
    event.preventDefault();
    if ('toggle' in move) this.#toggle(move.toggle);
    else if ('openAll' in move) this.#open(move.openAll);
    else this.#select(lines[move.to]);
  }

  #select(line: TreeLine | undefined): void {
    if (line === undefined) return;
    this.at = line.pointer;
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' }),
    );
  }

  #toggle(line: TreeLine): void {
    const { open, listed } = this.state;
    const { pointer, isOpen, more } = line;
    if (more !== undefined) {
      const parent = pointerOf(line);
      this.state = { open, listed: new Map(listed).set(parent, (listed.get(parent) ?? PAGE_MEMBERS) + PAGE_MEMBERS) };
    } else if (isOpen !== undefined) this.state = { listed, open: new Map(open).set(pointer, !isOpen) };
  }

  #open(lines: readonly TreeLine[]): void {
    const open = new Map([...this.state.open, ...lines.map(({ pointer }) => [pointer, true] as const)]);
    this.state = { ...this.state, open };
  }

  async #copy(kind: CopyKind, lines: readonly TreeLine[]): Promise<void> {
    const line = lines[this.#place(lines)];
    if (line === undefined) return;
    try {
      await navigator.clipboard.writeText(copyOf(kind, line));
      const { copied, whole } = parts().json;
      this.told = copied[kind](pointerOf(line) || whole);
    } catch {
      this.told = parts().json.notCopied;
    }
  }
}

/** The value as JSON text, a string as it is; the JSON pointer; or the SHA-256 of the canonical JSON. */
function copyOf(kind: CopyKind, line: TreeLine): string {
  const { value } = line;
  if (kind === 'path') return pointerOf(line);
  if (kind === 'value') return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  const text = canonicalize(value);
  return sha256Text(text.ok ? text.value : JSON.stringify(value));
}

function valueText({ value, isOpen }: TreeLine): TemplateResult {
  if (Array.isArray(value)) return html`<span class="soft">[${parts().json.items(value.length)}]</span>`;
  if (typeof value === 'object' && value !== null)
    return html`<span class="soft">{${parts().json.members(sizeOf(value))}}${isOpen === false ? ' …' : ''}</span>`;
  if (typeof value !== 'string')
    return html`<span class=${typeof value === 'number' ? 'number' : 'word'}>${String(value)}</span>`;
  const cut = value.length > STRING_UNITS;
  return html`<span class="string">“${shown(cut ? value.slice(0, STRING_UNITS) : value)}${cut ? '…' : '”'}</span>${cut ? html`<span class="soft">${parts().json.characters(value.length)}</span>` : ''}`;
}

customElements.define('sp-tree', JsonTree);
