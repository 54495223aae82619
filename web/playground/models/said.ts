import { type CSSResult, html, type TemplateResult } from 'lit';
import type { StepGroup } from '../../records/steps.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { models } from '../../texts/en/models.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { find, replyOf, textOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import { modelsStyles } from './models-style.ts';

/** As much of an answer as is shown here; the record has all of it. */
const SHOWN_MAX = 4000;
/** Earlier steps are in the ledger. */
const STEPS_MAX = 8;
const TEXT_MAX = 600;
const VALUE_MAX = 160;

/** A model's proposals of this run: each text with its outcome, and at the end the words beside the receipts' values. */
export class Said extends View {
  static override styles: CSSResult[] = [shared, quoted, modelsStyles];

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    if (session === undefined) return html``;
    const steps = session.steps.value.filter(({ step }) => step !== undefined);
    return html`${steps.length === 0 ? '' : html`<h3>${models().said.title}</h3><ol class="said">${steps.slice(-STEPS_MAX).map((group) => this.#step(session, group))}</ol>`}
      ${this.#saying(session)} ${this.#answer(session, steps)}`;
  }

  #step(session: RunSession, group: StepGroup): TemplateResult {
    const text = textOf(session, find(group, 'proposal')?.body.payload);
    return html`<li>
      <p class="soft">${models().said.step(group.step ?? 0)}</p>
      <pre>${shown(cut(text ?? '…', TEXT_MAX))}</pre>
      ${this.#outcome(session, group)}
    </li>`;
  }

  #outcome(session: RunSession, group: StepGroup): TemplateResult {
    const reply = replyOf(session, group);
    const code = find(group, 'verdict')?.body.refusal?.code ?? (reply?.status === 'error' ? reply.code : undefined);
    if (code !== undefined) return html`<p class="bad">${icon('cross')}<span>${this.#refusal(group, code)}</span></p>`;
    const value = valueOf(session, group);
    if (value === undefined) return html``;
    return html`<p class="good">${icon('check')}<span>${models().said.ran(html`<span class="mono">${group.title}</span>`)}</span></p>`;
  }

  #refusal({ stopped }: StepGroup, code: string): TemplateResult {
    const { said: texts } = models();
    const named = html`<span class="mono">${code}</span>`;
    return stopped === 'execute' ? texts.failed(named) : texts.refused(stopped ?? texts.aGate, named);
  }

  #saying(session: RunSession): TemplateResult {
    const text = session.proposer?.saying.value;
    if (text === undefined) return html``;
    return html`<p class="soft">${text === '' ? models().said.noWord : models().said.characters(text.length)}</p>
      <pre id="saying" tabindex="0" role="region" aria-label=${models().said.saying}>${shown(text.slice(-SHOWN_MAX))}</pre>`;
  }

  /** The words of a model beside the values that capabilities returned. */
  #answer(session: RunSession, steps: readonly StepGroup[]): TemplateResult {
    const message = session.view.value?.end?.message;
    if (message === undefined) return html``;
    const values = steps.flatMap((group) => {
      const value = valueOf(session, group);
      return value === undefined ? [] : [{ name: group.title, value }];
    });
    return html`<div class="beside">
        <div><h3>${models().said.words}</h3><p id="words">${shown(message)}</p></div>
        <div class="value"><h3>${models().said.values}</h3>${values.length === 0 ? html`<p>${models().said.noValues}</p>` : html`<dl>${values.map(({ name, value }) => html`<dt class="mono">${name}</dt><dd class="mono">${shown(value)}</dd>`)}</dl>`}</div>
      </div>
      <p class="soft">${models().said.explained}</p>`;
  }

  /** The newest words stay in sight. */
  protected override updated(changed: Map<PropertyKey, unknown>): void {
    super.updated(changed);
    const said = this.renderRoot.querySelector('#saying');
    said?.scrollTo(0, said.scrollHeight);
  }
}

/** The result of a call that ran, as JSON. */
function valueOf(session: RunSession, group: StepGroup): string | undefined {
  if (!group.named) return undefined;
  const reply = replyOf(session, group);
  return reply?.status === 'success'
    ? cut(JSON.stringify(reply.result) ?? models().said.noValue, VALUE_MAX)
    : undefined;
}

/** A long text is cut; its record has all of it. */
function cut(text: string, unitsMax: number): string {
  return text.length > unitsMax ? `${text.slice(0, unitsMax)}…` : text;
}

customElements.define('sp-said', Said);
