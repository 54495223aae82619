import { type Signal, signal } from '@preact/signals-core';
import { html, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';

/** A line of a list; all lines of a kind have the same height. */
export interface WindowLine {
  readonly kind: string;
  readonly key: string;
}

/** Heights in px, by kind of line. */
type Heights<K extends string> = { readonly [N in K]: number };

/** The start of each line, and after them the end of the last line. */
export function offsetsOf<K extends string>(lines: readonly { readonly kind: K }[], heights: Heights<K>): Float64Array {
  const offsets = new Float64Array(lines.length + 1);
  lines.forEach(({ kind }, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + heights[kind];
  });
  return offsets;
}

/** The lines that touch a stretch of the list: from the first to before the last. */
export function linesBetween(offsets: Float64Array, top: number, bottom: number): readonly [number, number] {
  const count = offsets.length - 1;
  const from = Math.min(Math.max(firstAbove(offsets, top) - 1, 0), count);
  return [from, Math.max(Math.min(firstAbove(offsets, bottom), count), from)];
}

/** The first line that begins below `y`. */
function firstAbove(offsets: Float64Array, y: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] ?? 0) > y) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The lines of a list that are in the page, and the empty stretches that stand for the lines before and after. */
export class LineWindow<L extends WindowLine> {
  /** Up to this number every line is in the page, for searching and for speech. */
  readonly #allMax: number;
  /** The stretch of the list that is in sight, in px. */
  readonly #sight: Signal<readonly [number, number]> = signal([0, 1500]);
  /** Before the first measurement: an estimate. */
  #heights: Heights<L['kind']>;
  #lines: readonly L[] = [];
  #offsets: Float64Array = new Float64Array(1);
  #range: readonly [number, number] = [0, 0];

  constructor(heights: Heights<L['kind']>, allMax: number) {
    this.#heights = heights;
    this.#allMax = allMax;
  }

  /** False while every line is in the page. */
  get isPartial(): boolean {
    return this.#lines.length > this.#allMax;
  }

  /** Takes all lines, and returns the lines to draw. A view that calls it is drawn again when others come into sight. */
  drawn(lines: readonly L[]): readonly L[] {
    this.#lines = lines;
    if (!this.isPartial) return lines;
    this.#offsets = offsetsOf<L['kind']>(lines, this.#heights);
    const [top, bottom] = this.#sight.value;
    const margin = bottom - top;
    this.#range = linesBetween(this.#offsets, top - margin, bottom + margin);
    return lines.slice(...this.#range);
  }

  /** Heights of the stretches before and after the drawn lines, in px. */
  stretches(): readonly [before: number, after: number] {
    const [from, to] = this.#range;
    const end = this.#offsets[this.#lines.length] ?? 0;
    return [this.#offsets[from] ?? 0, end - (this.#offsets[to] ?? end)];
  }

  /** Follows the list, which scrolls by itself, or with the page where it is the page. */
  look(list: Element): void {
    if (!this.isPartial) return;
    const scrolls = list.scrollHeight > list.clientHeight + 1;
    const top = scrolls ? list.scrollTop : Math.max(-list.getBoundingClientRect().top, 0);
    const height = scrolls ? list.clientHeight : innerHeight;
    const [seenTop, seenBottom] = this.#sight.peek();
    // scrolling within the rendered margin needs no new rendering
    if (Math.abs(top - seenTop) > height / 2 || Math.abs(height - (seenBottom - seenTop)) > 1)
      this.#sight.value = [top, top + height];
  }

  /** Takes the heights of drawn lines, in px; 0 for a line that is not laid out. True if a height has changed. */
  measure(heightOf: (kind: L['kind']) => number | undefined): boolean {
    const before = this.#heights;
    const kinds = Object.keys(before) as L['kind'][];
    const heights = Object.fromEntries(kinds.map((kind) => [kind, heightOf(kind) || before[kind]]));
    this.#heights = heights as Heights<L['kind']>;
    return kinds.some((kind) => before[kind] !== this.#heights[kind]);
  }

  /** Distance of a line from the top of the list, in px; undefined where the list has no such line. */
  offsetOf(key: string): number | undefined {
    const at = this.#lines.findIndex((line) => line.key === key);
    return at < 0 ? undefined : (this.#offsets[at] ?? 0);
  }
}

/** Up to this number a list is whole. */
const ALL_MAX = 100;

type ListHost = ReactiveControllerHost & { readonly renderRoot: ParentNode };

/**
 * A list of which the lines in sight are in the page. It is an element that scrolls by itself, found by `selector` in
 * the host, whose lines are elements with their kind as class.
 */
export class WindowedList<L extends WindowLine> implements ReactiveController {
  readonly #host: ListHost;
  readonly #selector: string;
  readonly #window: LineWindow<L>;
  #list: Element | undefined;

  /** @param heights of lines in px, before the first of a kind is measured. */
  constructor(host: ListHost, selector: string, heights: Heights<L['kind']>) {
    this.#host = host;
    this.#selector = selector;
    this.#window = new LineWindow<L>(heights, ALL_MAX);
    host.addController(this);
  }

  /** The lines in sight, between the stretches that stand for the rest. */
  drawn(lines: readonly L[], draw: (line: L) => TemplateResult): TemplateResult {
    const drawn = repeat(this.#window.drawn(lines), ({ key }) => key, draw);
    if (!this.#window.isPartial) return html`${drawn}`;
    return html`<li role="presentation" class="before"></li>${drawn}<li role="presentation" class="after"></li>`;
  }

  hostUpdated(): void {
    const list = this.#host.renderRoot.querySelector(this.#selector);
    if (list !== this.#list) {
      this.#list?.removeEventListener('scroll', this.#look);
      list?.addEventListener('scroll', this.#look, { passive: true });
    }
    this.#list = list ?? undefined;
    if (list === null || !this.#window.isPartial) return;
    // the page's policy takes no style from an attribute
    for (const [nth, px] of this.#window.stretches().entries()) {
      const stretch = list.querySelector<HTMLElement>(nth === 0 ? '.before' : '.after');
      if (stretch !== null) stretch.style.height = `${px}px`;
    }
    const heightOf = (kind: string): number | undefined =>
      list.querySelector(`.${kind}`)?.getBoundingClientRect().height;
    if (this.#window.measure(heightOf)) this.#host.requestUpdate();
    this.#look();
  }

  readonly #look = (): void => {
    if (this.#list !== undefined) this.#window.look(this.#list);
  };
}
