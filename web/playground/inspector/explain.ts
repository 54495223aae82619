import { type CSSResult, html, type TemplateResult } from 'lit';
import { CODES, type Code } from '../../../core/index.ts';
import type { StripGate } from '../../records/gates.ts';
import { groupAt, type StepGroup } from '../../records/steps.ts';
import { isToolCall } from '../../records/tool-call.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { captionOf } from '../../texts/captions.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { labelWord } from '../../texts/label-word.ts';
import { inFigures } from '../parts/figures.ts';
import { closestTo } from '../run/registered-names.ts';
import { originOf } from '../run/registry.ts';
import { find, type Reply, replyOf, textOf } from '../run/reply.ts';
import { isStrange, type RunSession } from '../run/session.ts';
import { callerOf } from '../run/session-caller.ts';
import { explainRecord } from './explain-record.ts';
import { explainStyles } from './explain-style.ts';
import '../parts/json-text.ts';
import { GATE_ICONS } from '../parts/gate-strip.ts';
import { loading } from '../parts/loading.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { evidence } from './gate-evidence.ts';

/** A step in plain words: each gate, its question, its result, and the reply to the model. */
export class Explain extends View {
  static override styles: CSSResult[] = [shared, explainStyles];

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const record = this.store.selection.record.value;
    if (session === undefined || record === undefined) return html``;
    const group = groupAt(session.steps.value, record.run_seq);
    return group?.step === undefined ? explainRecord(this.store, session, record) : this.#ofStep(session, group);
  }

  #ofStep(session: RunSession, group: StepGroup): TemplateResult {
    const texts = inspector();
    const reply = replyOf(session, group);
    const proposal = textOf(session, find(group, 'proposal')?.body.payload);
    const reader = callerOf(session.records.value) === undefined ? 'model' : 'caller';
    return html`
      <div>${this.#headline(group, reply)}${this.#meant(session, reply)}${this.#caption(proposal)}${this.#remedy(session, group, proposal)}</div>
      ${proposal === undefined ? '' : html`<section><h3>${texts.proposal}</h3><sp-json .text=${proposal} .pointer=${reply?.pointer} pretty label=${texts.proposal}></sp-json></section>`}
      ${reply === undefined ? '' : html`<section><h3>${texts.received[reader]}</h3><sp-json .text=${reply.text} pretty label=${texts.reply}></sp-json></section>`}
      ${labels(group, reader)}
      ${this.#program(session, group)}
      <section>
        <h3>${texts.gates.title}</h3>
        <ol class="gates">${group.gates.map((gate, i) => this.#gate(gate, i, group, reply))}</ol>
      </section>
      ${this.#fork(group.step)}
    `;
  }

  /** A call of a tool: the program carried it out, and its arguments went to the origin that the tool names. */
  #program(session: RunSession, group: StepGroup): TemplateResult | string {
    if (!isCarriedOut(group)) return '';
    const texts = inspector().carriedOut;
    const origin = originOf(session, group.title);
    const where = origin === undefined ? '' : texts.sentTo(shown(origin));
    return html`<section>
      <h3>${texts.title}</h3>
      <p>${texts.text}${where}</p>
    </section>`;
  }

  /** A slip of the pen is the person's to see, and the model's to find. */
  #meant(session: RunSession, reply: Reply | undefined): TemplateResult | string {
    const wanted = reply?.code === 'unknown_capability' ? reply.details?.['name'] : undefined;
    const name = typeof wanted === 'string' ? closestTo(session, wanted) : undefined;
    if (reply?.code === 'unknown_capability' && name === undefined)
      return html`<p class="caption">${inspector().toolsListed}</p>`;
    return name === undefined ? '' : html`<p class="caption">${inspector().closest(name)}</p>`;
  }

  /** The remedies for a stop: write the proposal anew, permit it, or look at the failure. */
  #remedy(session: RunSession, group: StepGroup, proposal: string | undefined): TemplateResult {
    const { remedies } = inspector();
    const { stopped, title } = group;
    const rows = this.store.catalogue.rows.value;
    // a tool may be gone, and a file may name capabilities of another program
    const named = group.named && rows?.some(({ name }) => name === title) !== false;
    if (stopped === 'authorize' || stopped === 'execute') {
      const isTool = isCarriedOut(group);
      const word = stopped === 'authorize' ? remedies.grants : isTool ? remedies.definition : remedies.code;
      return named
        ? html`<p class="remedy"><button type="button" id="remedy" @click=${() => this.#lookUp(title)}>${icon('key')}${word}</button></p>${stopped === 'execute' && !isTool ? line(session, group) : ''}`
        : html``;
    }
    const isLive = session.run !== undefined && session.view.value?.end === undefined;
    if (stopped === undefined || stopped === 'approve' || proposal === undefined || !isLive) return html``;
    return html`<p class="remedy"><button type="button" id="remedy" @click=${() => this.#edit(proposal)}>${icon('pen')}${remedies.edit}</button></p>`;
  }

  #lookUp(name: string): void {
    const { place, view } = this.store;
    place.part.value = 'catalogue';
    place.capability.value = name;
    view.value = 'capabilities';
  }

  #edit(proposal: string): void {
    this.store.draftUndo.put(proposal);
    this.store.choose('you');
    this.store.column.value = 'setup';
  }

  #fork(step: number | undefined): TemplateResult {
    if (step === undefined) return html``;
    const { fork: texts } = inspector();
    const session = this.store.session.value;
    const told = session !== undefined && isStrange(session) ? texts.stepped : texts.after;
    return html`<section class="fork">
      <button type="button" id="fork" @click=${() => this.store.fork(step)}>${icon('fork')}${texts.button}</button>
      <p class="soft">${step === 1 ? texts.fromStart : told(step - 1)}</p>
    </section>`;
  }

  /** The demo's own word on this step, where the proposal is the script's, byte for byte. */
  #caption(proposal: string | undefined): TemplateResult {
    const { scenario } = this.store;
    const caption = captionOf(scenario, scenario.script.indexOf(proposal ?? ''));
    return caption === undefined ? html`` : html`<p class="caption">${caption}</p>`;
  }

  #headline(group: StepGroup, reply: Reply | undefined): TemplateResult {
    const { headline: texts } = inspector();
    const finish = find(group, 'verdict')?.body.kind;
    if (group.stopped !== undefined) {
      const why = reply?.message === undefined ? '' : inFigures(reply.message, reply.details);
      const where = why.startsWith('Stopped') ? '' : texts.stoppedAt(group.stopped);
      return html`<p class="headline bad">${icon('barrier')}<span>${where}<span lang="en">${shown(why)}</span></span></p>`;
    }
    const waits = group.gates.find((gate) => gate.state === 'waiting');
    if (waits !== undefined) {
      return html`<p class="headline wait">${icon('hand')}<span>${texts.waits}</span></p>`;
    }
    return html`<p class="headline good">${icon('check')}<span>${isCarriedOut(group) ? texts.carriedOut : texts.passed[finish ?? 'call']}</span></p>`;
  }

  #gate(gate: StripGate, i: number, group: StepGroup, reply: Reply | undefined): TemplateResult {
    const stopped = gate.state === 'stopped';
    return html`<li class=${gate.state}>
      <span class="icon-cell">${icon(GATE_ICONS[gate.state])}</span>
      <span class="n">${i + 1}</span>
      <span class="what">
        <strong>${gate.name}</strong> <span class="state">${gateTexts().states[gate.state]}</span>
        <span class="question">${stopped ? this.#why(reply) : (evidence(gate, group) ?? (gate.name === 'execute' && isCarriedOut(group) ? inspector().gates.toolQuestion : gateTexts().questions[gate.name]))}</span>
      </span>
    </li>`;
  }

  #why(reply: Reply | undefined): TemplateResult {
    const texts = inspector().gates;
    const code = reply?.code;
    if (code === undefined) return html`${texts.seeReceipt}`;
    const todo = Object.hasOwn(CODES, code) ? remedies()[code as Code] : '';
    return html`<span class="mono">${code}</span>${reply?.pointer === undefined || reply.pointer === '' ? '' : texts.at(shown(reply.pointer))}. ${todo}`;
  }
}

/**
 * Labels of the data that the model had read before this decision. The guard asks a person because of them, even where
 * a grant allows the call.
 */
function labels(group: StepGroup, reader: 'model' | 'caller'): TemplateResult {
  const held = find(group, 'decision')?.body.labels ?? [];
  if (held.length === 0) return html``;
  return html`<section>
    <h3>${inspector().hadRead[reader]}</h3>
    <p>${held.map((label) => html`<span class="badge label">${labelWord(label)}</span> `)}<span class="soft">${inspector().labelsTell[reader]}</span></p>
  </section>`;
}

/** Loaded with the first call that its sandbox stopped. */
function line({ records: { value: all }, bytes }: RunSession, { records }: StepGroup): TemplateResult {
  const step = { configuration: all[0], records, bytes };
  return html`<sp-stopped class="remedy" .step=${step}>${loading('stopped', () => import('../lab/stopped.ts'))}</sp-stopped>`;
}

function isCarriedOut(group: StepGroup): boolean {
  const evidence = find(group, 'receipt')?.body.evidence;
  const [operation, second] = evidence?.operations ?? [];
  return isToolCall((second === undefined ? operation : undefined) ?? evidence ?? {});
}

customElements.define('sp-explain', Explain);
