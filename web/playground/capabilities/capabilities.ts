import '../breakout/breakout-view.ts';
import '../workshop/workshop-view.ts';
import './allowed.ts';
import './grants.ts';
import '../parts/json-text.ts';
import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, nothing, type TemplateResult } from 'lit';
import { type CapabilityDefinition, countLookalike } from '../../../core/index.ts';
import type { CapabilityRow } from '../../../workers/api.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { capabilities } from '../../texts/en/capabilities.ts';
import { PARTS, type PartName } from '../link.ts';
import { browseStyles } from '../parts/browse-style.ts';
import { MODES, strictestOf } from '../parts/grant-modes.ts';
import { WindowedList } from '../parts/line-window.ts';
import { bringInSight } from '../parts/scroll.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import { exampleArgs } from '../run/example-arguments.ts';
import { proposeAsYou } from '../run/proposal.ts';

const ICONS: { readonly [P in PartName]: IconName } = {
  catalogue: 'list',
  allowed: 'key',
  workshop: 'pen',
  breakout: 'barrier',
};

const SHOWN: { readonly [P in PartName]: (store: Playground) => TemplateResult } = {
  catalogue: (store) => html`<sp-catalogue .store=${store}></sp-catalogue>`,
  allowed: (store) => html`<sp-allowed .store=${store}></sp-allowed>`,
  workshop: (store) => html`<sp-workshop .store=${store}></sp-workshop>`,
  breakout: (store) => html`<sp-breakout .store=${store}></sp-breakout>`,
};

/** The capabilities that a proposal may name: to look at, with what is permitted, to write, and to attack. */
export class Capabilities extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        container-type: inline-size;
      }
      .parts {
        display: flex;
        gap: 0.25rem;
        padding: 0.375rem 0.75rem 0;
      }
      .parts button[aria-current='true'] {
        color: var(--accent);
        font-weight: 650;
        box-shadow: inset 0 -3px var(--accent);
        border-radius: var(--radius-small) var(--radius-small) 0 0;
      }
      .part {
        flex: 1;
        min-height: 0;
      }
      @container (max-width: 30rem) {
        .parts {
          flex-wrap: wrap;
          justify-content: space-between;
          padding-inline: 0.25rem;
          gap: 0;
        }
        .parts button {
          padding-inline: 0.25rem;
        }
        .parts svg {
          display: none;
        }
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { part } = this.store.place;
    return html`<nav class="parts" aria-label=${capabilities().partsLabel}>${PARTS.map((name) => this.#tab(name, part.value === name))}</nav>
      <div class="part">${SHOWN[part.value](this.store)}</div>`;
  }

  #tab(name: PartName, current: boolean): TemplateResult {
    const turn = (): void => {
      this.store.place.part.value = name;
    };
    return html`<button type="button" class="plain" aria-current=${current ? 'true' : 'false'} @click=${turn}>${icon(ICONS[name])}${capabilities().parts[name]}</button>`;
  }
}

type CatalogueLine =
  | { readonly kind: 'head'; readonly key: string; readonly word: string }
  | { readonly kind: 'row'; readonly key: string; readonly row: CapabilityRow };

/** A shorter list is read faster than it is searched. */
const FILTERED_MIN = 20;

/** The catalogue: each capability with its arguments, result, grants and whole source. */
class CatalogueView extends View {
  static override styles: CSSResult[] = [
    shared,
    quoted,
    browseStyles,
    css`
      nav input {
        width: 100%;
      }
      nav .row + .head {
        padding-top: 0.375rem;
        border-top: 1px solid var(--line);
      }
    `,
  ];
  readonly #confirming: Signal<boolean> = signal(false);
  readonly #typed: Signal<string> = signal('');
  readonly #lines: WindowedList<CatalogueLine> = new WindowedList<CatalogueLine>(this, 'nav', { head: 36, row: 44 });

  override connectedCallback(): void {
    super.connectedCallback();
    void this.store.catalogue.refresh();
    void this.store.recent.refresh().catch(() => undefined);
  }

  protected override view(): TemplateResult {
    const { catalogue, place } = this.store;
    const { catalogue: texts } = capabilities();
    const rows = catalogue.rows.value;
    if (rows === undefined) return html`<p class="empty soft">${texts.asking}</p>`;
    if (rows.length === 0) return html`<p class="empty">${texts.none}</p>`;
    const own = rows.filter(({ name }) => catalogue.added.value.has(name));
    const content = rows.filter(({ name }) => /^(?:content|myfiles)\./u.test(name));
    const tools = rows.filter((row) => row.host !== undefined && !own.includes(row));
    const given = rows.filter((row) => ![...own, ...tools, ...content].includes(row));
    const listed = [...own, ...tools, ...given, ...content];
    const open = listed.find(({ name }) => name === place.capability.value) ?? listed[0];
    const words = this.#typed.value.toLowerCase().split(/\s+/u);
    const fits = ({ name, description }: CapabilityRow): boolean =>
      words.every((word) => name.toLowerCase().includes(word) || description.toLowerCase().includes(word));
    const group = (word: string, all: readonly CapabilityRow[]): readonly CatalogueLine[] => {
      const some = all.filter(fits);
      const lines = some.map((row) => ({ kind: 'row', key: row.name, row }) as const);
      return some.length === 0 ? [] : [{ kind: 'head', key: ` ${word}`, word }, ...lines];
    };
    const lines = [
      ...group(texts.groups.own, own),
      ...group(texts.groups.tools, tools),
      ...this.#scenarios(given).flatMap(([word, some]) => group(word, some)),
      ...group(texts.groups.content, content),
    ];
    const draw = (line: CatalogueLine): TemplateResult =>
      line.kind === 'head'
        ? html`<li class="head"><h2>${line.word}</h2></li>`
        : this.#item(line.row, line.row === open);
    return html`<div class="browse">
      <nav aria-label=${texts.label} @focusin=${bringInSight}>
        ${listed.length < FILTERED_MIN ? '' : html`<label><span class="unseen">${texts.filter}</span><input type="search" placeholder=${texts.filter} .value=${this.#typed.value} @input=${(event: Event) => this.#type(event)} /></label>`}
        ${lines.length === 0 ? html`<p class="soft" role="status">${texts.noneFits}</p>` : ''}
        <ul>${this.#lines.drawn(lines, draw)}</ul>
      </nav>
      ${open === undefined ? '' : this.#detail(open)}
    </div>`;
  }

  #type(event: Event): void {
    this.#typed.value = (event.target as HTMLInputElement).value;
  }

  /** The rows of each open scenario, under its name. A shared capability stands with the first scenario. */
  #scenarios(given: readonly CapabilityRow[]): readonly (readonly [string, readonly CapabilityRow[]])[] {
    const { scenarios, home } = this.store;
    const first = scenarios.filter(({ id }, i) => scenarios.findIndex((each) => each.id === id) === i);
    const of = new Map<string, CapabilityRow[]>(first.map(({ id }) => [id, []]));
    for (const row of given) {
      const owner = first.find(({ capabilities }) => capabilities.some(({ name }) => name === row.name)) ?? home;
      of.get(owner.id)?.push(row);
    }
    return first.map(({ id, name }) => [
      id === home.id ? capabilities().catalogue.groups.home : name,
      of.get(id) ?? [],
    ]);
  }

  #item(row: CapabilityRow, open: boolean): TemplateResult {
    const choose = (): void => {
      this.store.place.capability.value = row.name;
      this.#confirming.value = false;
    };
    const { icon: picture, tone, word } = this.#standing(row);
    return html`<li class="row"><button type="button" class="plain" aria-current=${open} @click=${choose}>
      <span class=${tone} title=${word}>${icon(picture)}<span class="unseen">${word}</span></span><span class="mono">${row.name}</span><span class="soft">${row.effect}</span>
    </button></li>`;
  }

  /** The status that a call would meet: disabled counts before any grant, a denial before other grants. */
  #standing({ hash, enabled }: CapabilityRow): { word: string; icon: IconName; tone: string } {
    const own = this.store.catalogue.grants.value.filter(({ capability_hash }) => capability_hash === hash);
    const { catalogue: texts } = capabilities();
    if (!enabled) return { word: texts.disabled, icon: 'dash', tone: 'soft' };
    if (own.length === 0) return { word: texts.noGrant, icon: 'barrier', tone: 'soft' };
    return MODES[strictestOf(own) ?? 'ask'];
  }

  #detail(row: CapabilityRow): TemplateResult {
    const { scenarios, catalogue } = this.store;
    const known = scenarios.flatMap(({ capabilities }) => capabilities);
    const added = catalogue.added.value.get(row.name);
    const definition = added ?? known.find(({ name }) => name === row.name);
    const isOfDemo = added === undefined && row.host === undefined;
    const { catalogue: texts } = capabilities();
    const { icon: picture, tone, word } = this.#standing(row);
    return html`<article aria-labelledby="name">
      <header>
        <h1 id="name" class="mono">${row.name}</h1>
        <span class="soft">${row.version}</span>
        <span class="badge ${tone}">${icon(picture)}${word}</span>
      </header>
      <p lang=${isOfDemo ? 'en' : nothing}>${shown(row.description)}</p>
      ${row.alike === undefined ? '' : html`<p class="note">${icon('eye')}${texts.alike(row.alike)}</p>`}
      <p class="act">
        <button type="button" id="propose" @click=${() => proposeAsYou(this.store, row.name, JSON.stringify(exampleArgs(row.name, row.args, this.store.scenarios)))}>${icon('play')}${texts.propose}</button>
        ${row.host === undefined ? html`<button type="button" @click=${() => this.#copy(row, definition)}>${icon('pen')}${texts.copy}</button>` : ''}
        <button type="button" id="enable" class="plain" @click=${() => void catalogue.turn(row.name, !row.enabled)}>${row.enabled ? texts.disable : texts.enable}</button>
        ${added === undefined ? '' : this.#removing(row.name)}
      </p>
      ${this.#replaced(row)}
      <sp-grants .store=${this.store} .capability=${row}></sp-grants>
      <dl>
        <dt>${texts.effect}</dt><dd>${row.effect}</dd>
        ${row.host === undefined ? '' : carriedOut(row.host)}
        <dt>${texts.enabled}</dt><dd>${row.enabled ? texts.isEnabled : texts.isDisabled}</dd>
        <dt>${texts.hash}</dt><dd><span class="mono">${row.hash}</span><span class="note soft">${row.host === undefined ? texts.hashOverSource : texts.hashOverOrigin}</span></dd>
      </dl>
      ${this.#definition(definition ?? row)}
    </article>`;
  }

  /** The definition whose place this one took, by a change in the workshop. */
  #replaced({ name }: CapabilityRow): TemplateResult | string {
    const { replaced, bringBack } = this.store.catalogue;
    const before = replaced.value.get(name);
    if (before === undefined) return '';
    const { definition, grants } = before;
    const { catalogue: texts } = capabilities();
    return html`<p class="act"><span>${texts.replaced(shown(definition.version), grants.length)}</span>
      <button type="button" id="bring-back" @click=${() => void bringBack(name)}>${icon('reply')}${texts.bringBack}</button></p>`;
  }

  #removing(name: string): TemplateResult {
    const ask = (): void => {
      this.#confirming.value = true;
    };
    const go = (): void => {
      this.#confirming.value = false;
      void this.store.catalogue.remove(name);
    };
    const { catalogue: texts } = capabilities();
    return this.#confirming.value
      ? html`<button type="button" id="remove" @click=${go}>${icon('cross')}${texts.removeNow}</button>`
      : html`<button type="button" id="remove" class="plain" @click=${ask}>${texts.remove}</button>`;
  }

  #copy(row: CapabilityRow, definition: CapabilityDefinition = row): void {
    const { place } = this.store;
    place.copied.value = definition;
    place.part.value = 'workshop';
  }

  #definition({ args, result, source, powers, host }: CapabilityDefinition): TemplateResult {
    const { catalogue: texts } = capabilities();
    return html`
      ${powers === undefined || powers.length === 0 ? '' : html`<p>${texts.powers(powers)}</p>`}
      <section><h2>${texts.arguments}</h2><sp-json .text=${JSON.stringify(args)} pretty label=${texts.argumentsSchema}></sp-json></section>
      ${result === undefined ? '' : html`<section><h2>${texts.result}</h2><sp-json .text=${JSON.stringify(result)} pretty label=${texts.resultSchema}></sp-json></section>`}
      ${host === undefined ? sourceOf(source) : ''}`;
  }
}

/** A tool has no source: a function of the program answers its calls. */
function carriedOut({ origin }: NonNullable<CapabilityRow['host']>): TemplateResult {
  const { catalogue: texts } = capabilities();
  const going = origin === undefined ? texts.program : html`<bdi class="mono">${shown(origin)}</bdi>`;
  return html`<dt>${texts.code}</dt><dd>${texts.codeOfProgram}</dd>
    <dt>${texts.origin}</dt><dd>${going}<span class="note soft">${texts.originIs}</span>${countLookalike(origin ?? '') === 0 ? '' : html`<span class="note bad">${texts.lookalike}</span>`}</dd>`;
}

function sourceOf(source: string): TemplateResult {
  const { catalogue: texts } = capabilities();
  return html`<section>
        <h2>${texts.sourceIs()}</h2>
        <pre class="source" tabindex="0" role="region" aria-label=${texts.source}>${shown(source.slice(0, 200_000))}</pre>
      </section>`;
}

customElements.define('sp-catalogue', CatalogueView);
customElements.define('sp-capabilities', Capabilities);
