import { type CSSResult, css, html, LitElement, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { type JsonValue, visible } from '../../core/index.ts';
import type { FormName, PlaceChange } from '../../core/privilege/forms.ts';
import type { PlaceInHistory } from '../../core/privilege/propose.ts';
import type {
  DraftPlace,
  RuleCall,
  RuleCalls,
  RuleChanges,
  RuleDraft,
  TriedDraft,
} from '../../core/privilege/revise.ts';
import type { TriedAs } from '../../core/privilege/try.ts';
import { placeText, ruleText } from '../../core/privilege/words.ts';
import { dialogStyles } from '../style/dialog.ts';
import { icon } from '../style/icons.ts';
import { shared } from '../style/shared.ts';
import { rules } from '../texts/en/rules.ts';
import { dateTime, number } from '../texts/intl.ts';
import { isGesture } from './card-watch.ts';
import { sentenceOf } from './error-text.ts';

/** Work for the dialog: it ends with the signal, and tells the share that is done, from 0 to 1. */
export interface RuleWork {
  readonly signal: AbortSignal;
  readonly progress: (share: number) => void;
}

/** A rule as it is offered to a person. */
export interface OfferedRule {
  /** Absent where no call is left that a rule could rest on. */
  readonly draft?: RuleDraft;
  /** Wider permissions whose place it takes. */
  readonly replaces: number;
}

/** The place that rules come from and go to: a gateway, or the runtime of this page. */
export interface RulePort {
  readonly tool: string;
  /** A call that no grant covers asks a person, and is not refused. */
  readonly asksOutside: boolean;
  draft(changes: RuleChanges, work: RuleWork): Promise<OfferedRule>;
  attempt(changes: RuleChanges, work: RuleWork): Promise<TriedDraft>;
  /** Puts the rule in force as it was drawn. Resolves with what happened; rejects where nothing was changed. */
  accept(changes: RuleChanges, drawn: RuleDraft): Promise<string>;
  /** Shows the step of a call. Absent where no step can be shown. */
  open?(place: PlaceInHistory): void;
  /** The dialog was closed. */
  closed?(): void;
}

type Busy = 'reading' | 'trying' | 'accepting';

/** A rule from what ran: a person reads it, narrows it, tries it, and puts it in force. */
export class RuleDialog extends LitElement {
  static override styles: CSSResult[] = [shared, dialogStyles, ruleStyles()];
  static override properties: PropertyDeclarations = { language: { attribute: false } };
  /** Language of the texts; another one draws the dialog again. */
  declare language: string;
  #port: RulePort | undefined;
  #changes: RuleChanges = {};
  #offered: OfferedRule | undefined;
  #tried: TriedDraft | undefined;
  #busy: Busy | undefined;
  #share: number | undefined;
  #said: { readonly bad: boolean; readonly text: () => string } | undefined;
  #isAccepted = false;
  #work = new AbortController();

  /** Opens the dialog on the rules of a port. */
  async show(port: RulePort): Promise<void> {
    this.#work.abort();
    this.#port = port;
    this.#changes = {};
    this.#offered = this.#tried = this.#said = undefined;
    this.#isAccepted = false;
    const reading = this.#read();
    await this.updateComplete;
    const { dialog } = this;
    if (dialog !== null && !dialog.open) dialog.showModal();
    await reading;
  }

  get dialog(): HTMLDialogElement | null {
    return this.renderRoot.querySelector('dialog');
  }

  protected override render(): TemplateResult {
    const texts = rules();
    return html`<dialog aria-labelledby="title" @close=${() => this.#closed()}>
      <div class="head">
        <h2 id="title">${texts.title}: <span class="mono">${shown(this.#port?.tool ?? '')}</span></h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.dialog?.close()}>${icon('close')}</button>
      </div>
      <p role="status" class=${this.#said?.bad === true ? 'bad' : 'soft'}>${this.#statusText()}</p>
      ${this.#busy === 'reading' && this.#offered === undefined ? this.#progress() : this.#body()}
    </dialog>`;
  }

  #statusText(): string {
    const texts = rules();
    if (this.#busy === 'reading')
      return this.#share === undefined ? texts.reading : texts.readShare(Math.floor(100 * this.#share));
    if (this.#busy === 'trying') return texts.trying;
    if (this.#busy === 'accepting') return texts.accepting;
    return this.#said?.text() ?? '';
  }

  #progress(): TemplateResult {
    const texts = rules();
    return html`<progress max="1" value=${this.#share ?? nothing} aria-label=${texts.reading}></progress>
      <p class="actions"><button type="button" id="cancel" @click=${() => this.#cancel()}>${texts.cancel}</button></p>`;
  }

  #body(): TemplateResult {
    const texts = rules();
    if (this.#offered === undefined)
      return html`<p class="actions"><button type="button" id="again" @click=${() => void this.#read()}>${icon('reply')}${texts.again}</button></p>`;
    const { draft } = this.#offered;
    if (this.#isAccepted)
      return html`<p class="actions"><button type="button" class="primary" id="done" @click=${() => this.dialog?.close()}>${texts.close}</button></p>`;
    return draft === undefined ? this.#nothing() : this.#draft(draft, this.#offered);
  }

  #nothing(): TemplateResult {
    const texts = rules();
    const isChanged = Object.keys(this.#changes).length > 0;
    if (!isChanged) return html`<p class="empty">${texts.none}</p>`;
    return html`<p class="empty">${texts.noneLeft}</p>
      <p class="actions"><button type="button" id="reset" @click=${() => this.#change({})}>${icon('reply')}${texts.backToProposal}</button></p>`;
  }

  #draft(draft: RuleDraft, { replaces }: OfferedRule): TemplateResult {
    const texts = rules();
    const { rule, beyond, covers, refuses, places } = draft;
    const isBusy = this.#busy !== undefined;
    return html`<div class="body" aria-busy=${isBusy}>
        <section aria-labelledby="words">
          <h3 id="words">${texts.inWords}</h3>
          <p class="rule ${rule.terms.mode === 'allow' ? 'allows' : ''}">${shown(ruleText(rule, dateTime, texts.words))}</p>
          ${beyond === undefined ? '' : html`<p class="rule">${shown(ruleText(beyond, dateTime, texts.words))}</p>`}
          <p class="soft">${texts.rest(rule.evidence.calls)}</p>
          ${replaces === 0 ? '' : html`<p class="soft" id="replaces">${texts.replaces(replaces)}</p>`}
        </section>
        ${this.#mode(draft)}
        ${places.length === 0 ? '' : html`<section aria-labelledby="places"><h3 id="places">${texts.places}</h3>${places.map((place) => this.#place(place))}</section>`}
        <div class="beside">
          ${this.#calls('covers', texts.covers(covers.count), covers)}
          ${this.#calls('refuses', (this.#port?.asksOutside === true ? texts.asksOutside : texts.refuses)(refuses.count), refuses)}
        </div>
        ${this.#tried === undefined ? '' : this.#trial(this.#tried)}
      </div>
      <div class="actions">
        ${Object.keys(this.#changes).length === 0 ? '' : html`<button type="button" id="reset" class="plain" aria-disabled=${isBusy} @click=${() => isBusy || this.#change({})}>${icon('reply')}${texts.backToProposal}</button>`}
        <button type="button" id="try" aria-disabled=${isBusy} @click=${() => isBusy || void this.#try()}>${icon('play')}${texts.attempt}</button>
        ${isBusy ? html`<button type="button" id="cancel" @click=${() => this.#cancel()}>${texts.cancel}</button>` : ''}
        <button type="button" id="accept" class="primary" aria-disabled=${isBusy} @click=${(event: UIEvent) => void this.#accept(event, draft)}>${icon('check')}${texts.accept}</button>
      </div>`;
  }

  #mode({ rule: { terms, effect }, keeps }: RuleDraft): TemplateResult {
    const texts = rules();
    const choice = (mode: 'allow' | 'ask'): TemplateResult => {
      const isKept = mode === 'allow' && keeps !== undefined;
      const take = (): void => this.#change({ ...this.#changes, mode });
      return html`<label class="choice"><input type="radio" name="mode" value=${mode} .checked=${terms.mode === mode} ?disabled=${isKept} @change=${take} />${texts.modes[mode]}</label>`;
    };
    const leaves = effect === 'write' || effect === 'egress' ? effect : undefined;
    return html`<fieldset><legend>${texts.mode}</legend>
      <div class="choices">${choice('ask')}${choice('allow')}</div>
      ${keeps === undefined ? '' : html`<p class="wait" id="keeps">${texts.keeps[keeps]}</p>`}
      ${leaves === undefined || terms.mode !== 'allow' ? '' : html`<p class="wait" id="allows">${texts.allows[leaves]} ${texts.guard}</p>`}
    </fieldset>`;
  }

  #place(place: DraftPlace): TemplateResult {
    const texts = rules();
    const { pointer, form, schema, forms, values, beyond } = place;
    const change = this.#changes.places?.[pointer] ?? {};
    const taken = new Set(change.taken?.map(textOf));
    const left = new Set(change.without?.map(textOf));
    const open = beyond.filter((value) => !taken.has(textOf(value))).length;
    const isAbsent = forms.length === 0 && values.length === 0;
    const words = isAbsent ? pointer.slice(1) : placeText({ pointer, form, schema, below: [] }, texts.words);
    const choose = (event: Event): void => {
      const { value } = event.target as HTMLSelectElement;
      this.#changePlace(pointer, { ...change, form: value as FormName });
    };
    const without = (value: JsonValue, isIn: boolean): void => {
      const others = (change.without ?? []).filter((each) => textOf(each) !== textOf(value));
      this.#changePlace(pointer, { ...change, without: isIn ? others : [...others, value] });
    };
    const take = (value: JsonValue, isIn: boolean): void => {
      const others = (change.taken ?? []).filter((each) => textOf(each) !== textOf(value));
      this.#changePlace(pointer, { ...change, taken: isIn ? [...others, value] : others });
    };
    return html`<details class="place" data-place=${pointer}>
      <summary>${shown(words || texts.whole)}
        ${taken.size === 0 ? '' : html`<span class="soft">· ${texts.taken(taken.size)}</span>`}
        ${open === 0 ? '' : html`<span class="wait">· ${texts.offered(open)}</span>`}</summary>
      ${forms.length < 2 ? '' : html`<label class="wide">${texts.form}<select @change=${choose} .value=${form}>${forms.map((each) => html`<option value=${each.form} ?selected=${each.form === form}>${texts.forms[each.form]}</option>`)}</select></label>`}
      ${values.length === 0 && beyond.length === 0 ? html`<p class="soft">${texts.unquoted}</p>` : ''}
      ${values.length === 0 ? '' : html`<p class="soft">${texts.seen}</p><ul class="values seen">${values.map((value) => this.#value(value, !left.has(textOf(value)), without))}</ul>`}
      ${beyond.length === 0 ? '' : html`<p class="wait">${texts.beyond}</p><ul class="values beyond">${beyond.map((value) => this.#value(value, taken.has(textOf(value)), take))}</ul>`}
    </details>`;
  }

  #value(value: JsonValue, isIn: boolean, turn: (value: JsonValue, isIn: boolean) => void): TemplateResult {
    const changed = (event: Event): void => turn(value, (event.target as HTMLInputElement).checked);
    return html`<li><label class="choice"><input type="checkbox" .checked=${isIn} @change=${changed} /><bdi class="mono">${shown(shortened(textOf(value)))}</bdi></label></li>`;
  }

  #calls(id: string, title: string, { count, newest }: RuleCalls): TemplateResult {
    const texts = rules();
    return html`<section aria-labelledby=${id}>
      <h3 id=${id}>${title}</h3>
      ${count === 0 ? html`<p class="soft">${texts.noCall}</p>` : ''}
      <div class="calls" tabindex="0" role="group" aria-labelledby=${id}><ul>${newest.map((call) => this.#call(call, call.end === 'ran' ? '' : texts.ends[call.end]))}</ul></div>
      ${count > newest.length ? html`<p class="soft">${texts.newest(newest.length)}</p>` : ''}
    </section>`;
  }

  #call(call: RuleCall, note: string): TemplateResult {
    const texts = rules();
    const { run_id, step, now, args } = call;
    const open = (): void => {
      this.dialog?.close();
      this.#port?.open?.({ run_id, step });
    };
    const word =
      this.#port?.open === undefined
        ? texts.step(step)
        : html`<button type="button" class="plain" aria-label=${texts.openStep(step)} @click=${open}>${texts.step(step)}</button>`;
    return html`<li><bdi class="mono">${args === undefined ? html`<span class="soft">${texts.hidden}</span>` : shown(args)}</bdi>
      <span class="soft">${word} · ${dateTime(now)}${note === '' ? '' : html` · <strong>${note}</strong>`}</span></li>`;
  }

  #trial({ counts, changed }: TriedDraft): TemplateResult {
    const texts = rules();
    const names = Object.keys(counts) as TriedAs[];
    return html`<section aria-labelledby="tried" id="trial" tabindex="-1">
      <h3 id="tried">${texts.tried}</h3>
      <dl>${names.map((as) => html`<div class=${as === 'refused' && counts[as] > 0 ? 'bad' : ''}><dt>${texts.words.tried[as]}</dt><dd>${number(counts[as])}</dd></div>`)}</dl>
      ${changed.length === 0 ? html`<p class="soft">${texts.unchanged}</p>` : html`<div class="calls" tabindex="0" role="group" aria-labelledby="tried"><ul>${changed.map((call) => this.#call(call, texts.words.tried[call.as]))}</ul></div>`}
      <p class="soft">${texts.unknownPath}</p>
    </section>`;
  }

  #changePlace(pointer: string, change: PlaceChange): void {
    this.#change({ ...this.#changes, places: { ...this.#changes.places, [pointer]: change } });
  }

  #change(changes: RuleChanges): void {
    this.#changes = changes;
    this.#tried = undefined;
    void this.#read();
  }

  /** Does one work at a time: the next ends the one before it. */
  async #do(
    busy: Busy,
    work: (port: RulePort, with_: RuleWork) => Promise<void>,
    failed: (why: string) => string,
  ): Promise<void> {
    this.#work.abort();
    const own = new AbortController();
    this.#work = own;
    const isOver = (): boolean => own.signal.aborted;
    this.#busy = busy;
    this.#share = this.#said = undefined;
    this.requestUpdate();
    const progress = (share: number): void => {
      if (isOver()) return;
      this.#share = share;
      this.requestUpdate();
    };
    try {
      if (this.#port !== undefined) await work(this.#port, { signal: own.signal, progress });
    } catch (error) {
      if (!isOver()) this.#said = { bad: true, text: () => failed(sentenceOf(error)) };
    }
    if (isOver()) return;
    this.#busy = undefined;
    this.requestUpdate();
    await this.updateComplete;
  }

  #read(): Promise<void> {
    const changes = this.#changes;
    return this.#do(
      'reading',
      async (port, work) => {
        const offered = await port.draft(changes, work);
        if (!work.signal.aborted) this.#offered = offered;
      },
      (why) => rules().failed(why),
    );
  }

  async #try(): Promise<void> {
    const changes = this.#changes;
    await this.#do(
      'trying',
      async (port, work) => {
        const tried = await port.attempt(changes, work);
        if (!work.signal.aborted) this.#tried = tried;
      },
      (why) => rules().failed(why),
    );
    const trial = this.renderRoot.querySelector<HTMLElement>('#trial');
    trial?.scrollIntoView({ block: 'nearest' });
    trial?.focus({ preventScroll: true });
  }

  /** A person's own click counts, on the rule that is drawn. */
  async #accept(event: UIEvent, drawn: RuleDraft): Promise<void> {
    if (!isGesture(event) || this.#busy !== undefined) return;
    const changes = this.#changes;
    await this.#do(
      'accepting',
      async (port) => {
        const said = await port.accept(changes, drawn);
        this.#isAccepted = true;
        this.#said = { bad: false, text: () => said };
      },
      (why) => rules().notAccepted(why),
    );
    this.renderRoot.querySelector<HTMLElement>('#done')?.focus();
  }

  #cancel(): void {
    this.#work.abort();
    this.#busy = undefined;
    this.#said = { bad: false, text: () => rules().canceled };
    this.requestUpdate();
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('#again, #try')?.focus());
  }

  #closed(): void {
    this.#work.abort();
    this.#busy = undefined;
    this.#port?.closed?.();
  }
}

/** A stranger's text as text: invisible characters are written out and marked. */
function shown(text: string): readonly TemplateResult[] {
  return visible(text).map((piece) =>
    'text' in piece ? html`${piece.text}` : html`<span class="hidden" title=${piece.name}>${piece.escape}</span>`,
  );
}

function textOf(value: JsonValue): string {
  return JSON.stringify(value);
}

const VALUE_MAX = 160;

function shortened(text: string): string {
  const chars = Array.from(text);
  return chars.length > VALUE_MAX ? `${chars.slice(0, VALUE_MAX).join('')}…` : text;
}

function ruleStyles(): CSSResult {
  return css`
    dialog[open] {
      display: flex;
      flex-direction: column;
      gap: 0.75rem;
      width: min(64rem, calc(100vw - 2rem));
    }
    .head {
      gap: 0.5rem;
      margin: 0;
    }
    [role='status']:empty {
      display: none;
    }
    progress {
      width: 100%;
      accent-color: var(--accent);
    }
    .body {
      display: grid;
      gap: 1rem;
      min-height: 0;
      overflow-y: auto;
      overscroll-behavior: contain;
    }
    .body section,
    fieldset {
      min-width: 0;
    }
    h3 {
      margin-bottom: 0.25rem;
    }
    .rule {
      padding: 0.5rem 0.75rem;
      border-left: 0.25rem solid var(--wait);
      background: var(--sunk);
      overflow-wrap: anywhere;
    }
    .rule + .rule {
      margin-top: 0.375rem;
    }
    .rule.allows {
      border-color: var(--good);
    }
    fieldset {
      margin: 0;
      padding: 0;
      border: 0;
    }
    legend {
      padding: 0;
      font-weight: 650;
    }
    .choices {
      display: flex;
      flex-wrap: wrap;
      gap: 0 1.25rem;
    }
    .choice {
      display: flex;
      align-items: center;
      gap: 0.625rem;
      min-height: 2.25rem;
      cursor: pointer;
    }
    .choice input {
      flex: none;
      width: 1.25rem;
      min-height: 1.25rem;
      height: 1.25rem;
      margin: 0;
      accent-color: var(--accent);
    }
    .choice bdi {
      min-width: 0;
    }
    .choice:has(input:disabled) {
      color: var(--soft);
      cursor: not-allowed;
    }
    .place {
      border-top: 1px solid var(--line);
      padding: 0.125rem 0;
    }
    .place summary {
      font-weight: 400;
      overflow-wrap: anywhere;
    }
    .wide {
      display: block;
      max-width: 22rem;
      margin: 0.25rem 0 0.5rem;
      color: var(--soft);
    }
    .wide select {
      color: var(--ink);
    }
    .values {
      max-height: 14rem;
      overflow-y: auto;
      margin-bottom: 0.5rem;
    }
    .beside {
      display: grid;
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: 1rem;
    }
    .calls {
      max-height: 14rem;
      overflow-y: auto;
    }
    .calls li {
      display: grid;
      gap: 0.125rem;
      padding: 0.375rem 0;
      border-top: 1px solid var(--line);
    }
    .calls button {
      min-height: 1.75rem;
      padding: 0 0.375rem;
      text-decoration: underline;
    }
    dl {
      display: grid;
      gap: 0.125rem;
      max-width: 26rem;
    }
    dl div {
      display: flex;
      justify-content: space-between;
      gap: 1rem;
    }
    dd {
      font-variant-numeric: tabular-nums;
    }
    .actions {
      display: flex;
      flex-wrap: wrap;
      justify-content: flex-end;
      gap: 0.5rem;
    }
    @media (max-width: 40rem) {
      dialog[open] {
        display: grid;
        padding: 1rem;
        overflow-y: auto;
      }
      .body {
        overflow: visible;
      }
      .beside {
        grid-template-columns: minmax(0, 1fr);
      }
      .actions button {
        flex: 1 1 auto;
      }
    }
  `;
}

/** Makes `sp-rule` an element of the page. */
export function defineRuleDialog(): void {
  if (customElements.get('sp-rule') === undefined) customElements.define('sp-rule', RuleDialog);
}
