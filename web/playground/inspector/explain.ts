import { type CSSResult, html, type TemplateResult } from 'lit';
import { type Bodies, CODES, type Code } from '../../../core/index.ts';
import { GATE_QUESTIONS, GATE_WORDS, type StripGate } from '../../records/gates.ts';
import { groupAt, type StepGroup } from '../../records/steps.ts';
import { isToolCall } from '../../records/tool-call.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { inFigures } from '../parts/figures.ts';
import { closestTo } from '../run/registered-names.ts';
import { originOf } from '../run/registry.ts';
import { find, type Reply, replyOf, textOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import { callerOf } from '../run/session-caller.ts';
import { explainRecord } from './explain-record.ts';
import { explainStyles } from './explain-style.ts';
import '../parts/json-text.ts';
import { GATE_ICONS } from '../parts/gate-strip.ts';
import { loading } from '../parts/loading.ts';
import { count, shown } from '../parts/text.ts';
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
    const reply = replyOf(session, group);
    const proposal = textOf(session, find(group, 'proposal')?.body.payload);
    const reader = callerOf(session.records.value) === undefined ? 'model' : 'caller';
    return html`
      <div>${this.#headline(group, reply)}${this.#meant(session, reply)}${this.#caption(proposal)}${this.#remedy(session, group, proposal)}</div>
      ${proposal === undefined ? '' : html`<section><h3>The proposal</h3><sp-json .text=${proposal} .pointer=${reply?.pointer} pretty label="The proposal"></sp-json></section>`}
      ${reply === undefined ? '' : html`<section><h3>The ${reader} received</h3><sp-json .text=${reply.text} pretty label="The reply"></sp-json></section>`}
      ${labels(group, reader)}
      ${this.#program(session, group)}
      <section>
        <h3>Gate by gate</h3>
        <ol class="gates">${group.gates.map((gate, i) => this.#gate(gate, i, group, reply))}</ol>
      </section>
      ${this.#fork(group.step)}
    `;
  }

  /** A call of a tool: the program carried it out, and its arguments went to the origin that the tool names. */
  #program(session: RunSession, group: StepGroup): TemplateResult | string {
    if (!isCarriedOut(group)) return '';
    const origin = originOf(session, group.title);
    const where = origin === undefined ? '' : html` Its arguments went to <bdi class="mono">${shown(origin)}</bdi>.`;
    return html`<section>
      <h3>Who carried it out</h3>
      <p>The program, outside the sandbox: there is no image and no fuel.${where}</p>
    </section>`;
  }

  /** A slip of the pen is the person's to see, and the model's to find. */
  #meant(session: RunSession, reply: Reply | undefined): TemplateResult | string {
    const wanted = reply?.code === 'unknown_capability' ? reply.details?.['name'] : undefined;
    const name = typeof wanted === 'string' ? closestTo(session, wanted) : undefined;
    if (reply?.code === 'unknown_capability' && name === undefined)
      return html`<p class="caption">The tools of this run are listed under Propose, You, with their arguments.</p>`;
    return name === undefined
      ? ''
      : html`<p class="caption">The closest name is <span class="mono">${name}</span>. The model is not told.</p>`;
  }

  /** The remedies for a stop: write the proposal anew, permit it, or look at the failure. */
  #remedy(session: RunSession, group: StepGroup, proposal: string | undefined): TemplateResult {
    const { stopped, title } = group;
    const rows = this.store.catalogue.rows.value;
    // a tool may be gone, and a file may name capabilities of another program
    const named = group.named && rows?.some(({ name }) => name === title) !== false;
    if (stopped === 'authorize' || stopped === 'execute') {
      const isTool = isCarriedOut(group);
      const word =
        stopped === 'authorize' ? 'See its grants' : isTool ? 'See its definition' : 'See its code and limits';
      return named
        ? html`<p class="remedy"><button type="button" id="remedy" @click=${() => this.#lookUp(title)}>${icon('key')}${word}</button></p>${stopped === 'execute' && !isTool ? line(session, group) : ''}`
        : html``;
    }
    const isLive = session.run !== undefined && session.view.value?.end === undefined;
    if (stopped === undefined || stopped === 'approve' || proposal === undefined || !isLive) return html``;
    return html`<p class="remedy"><button type="button" id="remedy" @click=${() => this.#edit(proposal)}>${icon('pen')}Edit and send again</button></p>`;
  }

  #lookUp(name: string): void {
    const { place, view } = this.store;
    place.part.value = 'catalogue';
    place.capability.value = name;
    view.value = 'capabilities';
  }

  #edit(proposal: string): void {
    this.store.draft.value = proposal;
    this.store.choose('you');
    this.store.column.value = 'setup';
  }

  #fork(step: number | undefined): TemplateResult {
    if (step === undefined) return html``;
    return html`<section class="fork">
      <button type="button" id="fork" @click=${() => this.store.fork(step)}>${icon('fork')}Fork before this step</button>
      <p class="soft">${step === 1 ? 'A new run' : `A new run makes the same ${count(step - 1, 'proposal')} again`}, and then it is your turn. This one stays as it is.</p>
    </section>`;
  }

  /** The demo's own word on this step, where the proposal is the script's, byte for byte. */
  #caption(proposal: string | undefined): TemplateResult {
    const { script, steps } = this.store.scenario;
    const caption = steps[script.indexOf(proposal ?? '')]?.caption;
    return caption === undefined ? html`` : html`<p class="caption">${caption}</p>`;
  }

  #headline(group: StepGroup, reply: Reply | undefined): TemplateResult {
    const finish = find(group, 'verdict')?.body.kind;
    if (group.stopped !== undefined) {
      const why = reply?.message === undefined ? '' : inFigures(reply.message, reply.details);
      const where = why.startsWith('Stopped') ? '' : html`Stopped at <strong>${group.stopped}</strong>. `;
      return html`<p class="headline bad">${icon('barrier')}<span>${where}${shown(why)}</span></p>`;
    }
    const waits = group.gates.find((gate) => gate.state === 'waiting');
    if (waits !== undefined) {
      return html`<p class="headline wait">${icon('hand')}<span>Valid and permitted, if you say yes. Nothing has run.</span></p>`;
    }
    return html`<p class="headline good">${icon('check')}<span>${isCarriedOut(group) ? CARRIED_OUT : PASSED[finish ?? 'call']}</span></p>`;
  }

  #gate(gate: StripGate, i: number, group: StepGroup, reply: Reply | undefined): TemplateResult {
    const stopped = gate.state === 'stopped';
    return html`<li class=${gate.state}>
      <span class="icon-cell">${icon(GATE_ICONS[gate.state])}</span>
      <span class="n">${i + 1}</span>
      <span class="what">
        <strong>${gate.name}</strong> <span class="state">${GATE_WORDS[gate.state]}</span>
        <span class="question">${stopped ? this.#why(reply) : (evidence(gate, group) ?? (gate.name === 'execute' && isCarriedOut(group) ? TOOL_QUESTION : GATE_QUESTIONS[gate.name]))}</span>
      </span>
    </li>`;
  }

  #why(reply: Reply | undefined): TemplateResult {
    const code = reply?.code;
    if (code === undefined) return html`See the receipt.`;
    const todo = Object.hasOwn(CODES, code) ? CODES[code as Code].todo : '';
    return html`<span class="mono">${code}</span>${reply?.pointer === undefined || reply.pointer === '' ? '' : html` at <span class="mono">${shown(reply.pointer)}</span>`}. ${todo}`;
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
    <h3>What the ${reader} had read</h3>
    <p>${held.map((label) => html`<span class="badge label">${label}</span> `)}<span class="soft">${labelsTell(reader)}</span></p>
  </section>`;
}

const labelsTell = (reader: string): string =>
  `After the ${reader} has read untrusted data, each write needs your approval. After it has read private data too, each sending does.`;

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

const CARRIED_OUT = 'Through every gate: carried out by the program, and recorded.';
const TOOL_QUESTION = 'Does the program answer in time, with a result that its schema permits?';

const PASSED: { readonly [K in NonNullable<Bodies['verdict']['kind']>]: string } = {
  finish: 'The model says it is done.',
  say: 'A message: it is shown as text and runs no code.',
  work: 'Through every gate: all of it was carried out, and recorded.',
  call: 'Through every gate: executed in the sandbox, and recorded.',
};

customElements.define('sp-explain', Explain);
