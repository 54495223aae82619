import { effect, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, LitElement, type PropertyDeclarations, type TemplateResult } from 'lit';
import { shared } from '../../style/shared.ts';
import { shell } from '../../texts/en/shell.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';

/** Percent of the page for a press of an arrow key. */
const STEP = 2;

/**
 * The edge between two columns, as a window splitter (WAI-ARIA Authoring Practices): arrows move it, Home and End move
 * it to its limits, and Enter or a double click makes its column small, and restores it. `aria-controls` names the
 * column whose width it is.
 */
class Splitter extends LitElement {
  static override properties: PropertyDeclarations = { edge: {} };
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        position: relative;
        z-index: 1;
        display: grid;
        place-items: center;
        width: 1.5rem;
        cursor: col-resize;
        touch-action: none;
        user-select: none;
      }
      i {
        width: 4px;
        height: 2.5rem;
        border-radius: 2px;
        background: var(--line);
        transition: background var(--ease);
      }
      :host(:hover) i,
      :host(:focus-visible) i {
        background: var(--accent);
      }
      :host(:focus-visible) {
        outline: 3px solid var(--focus);
        outline-offset: -6px;
        border-radius: var(--radius);
      }
      @media (forced-colors: active) {
        i {
          background: CanvasText;
        }
      }
    `,
  ];
  declare edge: SideColumn;
  #stop: (() => void) | undefined;
  /** The position before Enter made its column small. */
  #before: number | undefined;
  readonly #sizes = new ResizeObserver(() => this.#tell());

  protected override render(): TemplateResult {
    return html`<i></i>`;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const attributes = { role: 'separator', tabindex: '0', 'aria-orientation': 'vertical' };
    for (const [name, value] of Object.entries(attributes)) this.setAttribute(name, value);
    this.#listen();
    this.#stop = effect(() => this.#apply(columnWidths.value[this.edge]));
    this.#sizes.observe(this.#column ?? this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop?.();
    this.#sizes.disconnect();
  }

  #listen(): void {
    this.onkeydown = (event) => this.#key(event);
    this.onpointerdown = (event) => this.#begin(event);
    this.onpointermove = (event) => this.#drag(event);
    this.ondblclick = () => this.#turn();
  }

  get #column(): HTMLElement | null {
    return (this.getRootNode() as ShadowRoot).getElementById(this.getAttribute('aria-controls') ?? '');
  }

  /** The current width of its column, in percent. */
  #share(): number {
    const { left, right } = this.#whole();
    return right <= left ? 0 : (100 * (this.#column?.getBoundingClientRect().width ?? 0)) / (right - left);
  }

  /** The width to which percentages of a track refer: the grid without its padding. */
  #whole(): { readonly left: number; readonly right: number } {
    const grid = this.parentElement;
    if (grid === null) return { left: 0, right: 0 };
    const { left, right } = grid.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(grid);
    return { left: left + parseFloat(paddingLeft), right: right - parseFloat(paddingRight) };
  }

  #apply(percent: number | undefined): void {
    const style = this.parentElement?.style;
    if (percent === undefined) style?.removeProperty(`--${this.edge}`);
    else style?.setProperty(`--${this.edge}`, `${percent}%`);
  }

  /** Announces the real width, which a small window may keep below the requested width. */
  #tell(): void {
    const { min, max } = WIDTH_RANGES[this.edge];
    const now = Math.round(this.#share());
    this.ariaValueMin = String(Math.min(min, now));
    this.ariaValueMax = String(Math.max(max, now));
    this.ariaValueNow = String(now);
    this.ariaValueText = shell().widthShare(now);
  }

  #key(event: KeyboardEvent): void {
    const outward = this.edge === 'left' ? 1 : -1;
    const { min, max } = WIDTH_RANGES[this.edge];
    const to: { readonly [key: string]: number } = {
      ArrowRight: this.#share() + STEP * outward,
      ArrowLeft: this.#share() - STEP * outward,
      Home: min,
      End: max,
    };
    const percent = to[event.key];
    if (percent === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (percent === undefined) this.#turn();
    else resizeColumn(this.edge, percent);
  }

  #turn(): void {
    const { min } = WIDTH_RANGES[this.edge];
    const isSmall = columnWidths.peek()[this.edge] === min;
    const back = this.#before;
    this.#before = isSmall ? undefined : columnWidths.peek()[this.edge];
    resizeColumn(this.edge, isSmall ? back : min);
  }

  #begin(event: PointerEvent): void {
    if (event.button === 0) this.setPointerCapture(event.pointerId);
  }

  /** A pointer move without a pressed button comes from the browser, after another element moved. */
  #drag({ buttons, clientX, pointerId }: PointerEvent): void {
    if (buttons === 0 || !this.hasPointerCapture(pointerId)) return;
    const { left, right } = this.#whole();
    resizeColumn(this.edge, (100 * (this.edge === 'left' ? clientX - left : right - clientX)) / (right - left));
  }
}

/** The columns whose width can be set: the setup on the left, the record on the right. The ledger takes the rest. */
type SideColumn = 'left' | 'right';

/** Percent of the page's width that the column may take. */
const WIDTH_RANGES: { readonly [E in SideColumn]: { readonly min: number; readonly max: number } } = {
  left: { min: 18, max: 45 },
  right: { min: 25, max: 55 },
};

const KEY = 'sallyport.edges';

/** Widths that a reader has set, in percent; the layout decides the width of a column without an entry. */
const columnWidths: Signal<{ readonly [E in SideColumn]?: number }> = signal(read());
effect(() => writeSetting(KEY, JSON.stringify(columnWidths.value)));

/** Sets a column's width within its range; without a percentage, the layout decides again. */
function resizeColumn(name: SideColumn, percent: number | undefined): void {
  const { [name]: _, ...others } = columnWidths.peek();
  columnWidths.value = percent === undefined ? others : { ...others, [name]: within(name, percent) };
}

function within(name: SideColumn, percent: number): number {
  const { min, max } = WIDTH_RANGES[name];
  return Math.round(Math.min(max, Math.max(min, percent)) * 10) / 10;
}

/** The stored text is untrusted: only numbers are taken, and only within a column's range. */
function read(): { readonly [E in SideColumn]?: number } {
  const found: { [E in SideColumn]?: number } = {};
  for (const name of ['left', 'right'] as const) {
    const percent = member(name);
    if (typeof percent === 'number') found[name] = within(name, percent);
  }
  return found;
}

function member(name: SideColumn): unknown {
  try {
    return (JSON.parse(readSetting(KEY) ?? '{}') as Partial<Record<SideColumn, unknown>> | null)?.[name];
  } catch {
    return undefined;
  }
}

customElements.define('sp-splitter', Splitter);
