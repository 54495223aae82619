import '../parts/json-text.ts';
import './report-view.ts';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { CODES, type Code, type LedgerRecord, type PayloadRef } from '../../../core/index.ts';
import { describe } from '../../records/describe.ts';
import type { GateName, StripGate } from '../../records/gates.ts';
import { heldOf } from '../../records/held.ts';
import type { StepGroup } from '../../records/steps.ts';
import { tokensOf } from '../../records/tokens.ts';
import { isToolCall } from '../../records/tool-call.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { captionOf } from '../../texts/captions.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { shell } from '../../texts/en/shell.ts';
import { labelWord } from '../../texts/label-word.ts';
import { inFigures } from '../parts/figures.ts';
import { GATE_ICONS } from '../parts/gate-strip.ts';
import { loading } from '../parts/loading.ts';
import { shortHash, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { Playground } from '../playground.ts';
import { modelIn } from '../run/proposer.ts';
import { receiptValues } from '../run/receipt-values.ts';
import { closestTo, isUndoable, originOf } from '../run/registry.ts';
import { find, type Reply, replyOf, textOf } from '../run/reply.ts';
import { firstOf, isStrange, type RunSession } from '../run/session.ts';
import { callerOf, sessionName } from '../run/session-caller.ts';
import { scriptIsOffTask } from '../run/tasks.ts';

/** A step in plain words: each gate, its question, its result, and the reply to the model. */
export class Explain extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        display: grid;
        gap: 1.25rem;
        grid-template-columns: minmax(0, 1fr);
      }
      h3 {
        margin-bottom: 0.375rem;
      }
      .headline {
        display: flex;
        gap: 0.625rem;
        font-size: 1.0625rem;
      }
      .headline svg {
        margin-top: 0.1875rem;
      }
      .headline span {
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .remedy {
        margin-top: 0.75rem;
      }
      .caption {
        margin-top: 0.5rem;
        color: var(--soft);
      }
      .label {
        border-color: var(--edge);
        font-weight: 400;
      }
      blockquote {
        margin: 0;
        padding-left: 0.875rem;
        border-left: 3px solid var(--line);
        overflow-wrap: anywhere;
      }
      .beside {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr));
        gap: 0.75rem 1.5rem;
      }
      #tally dl {
        display: block;
        margin-top: 0.375rem;
      }
      .gates li {
        position: relative;
        display: grid;
        grid-template-columns: 1.5rem 1.5rem minmax(0, 1fr);
        gap: 0 0.5rem;
        padding: 0.3125rem 0.5rem;
        border-radius: var(--radius-small);
        color: var(--soft);
      }
      .gates li:nth-child(7) {
        margin-top: 0.5rem;
        border-top: 2px solid var(--line);
        border-radius: 0;
        padding-top: 0.8125rem;
      }
      .icon-cell {
        display: flex;
        padding-top: 0.125rem;
      }
      .n {
        font-family: var(--mono);
        text-align: right;
      }
      .what strong {
        color: var(--ink);
        font-weight: 650;
      }
      .what {
        overflow-wrap: anywhere;
      }
      .question {
        display: block;
      }
      .passed .icon-cell {
        color: var(--good);
      }
      .passed .state {
        color: var(--good);
      }
      .gates .stopped {
        background: var(--bad-wash);
        color: var(--ink);
      }
      .stopped .icon-cell,
      .stopped .state,
      .stopped .what strong {
        color: var(--bad);
      }
      .gates .waiting {
        background: var(--wait-wash);
        color: var(--ink);
      }
      .waiting .icon-cell,
      .waiting .state,
      .waiting .what strong {
        color: var(--wait);
      }
      .never .what strong,
      .ahead .what strong {
        color: var(--soft);
        font-weight: 400;
      }
      .never .question {
        display: none;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0.375rem 1.25rem;
      }
      dt {
        color: var(--soft);
      }
      @media print {
        .remedy,
        .fork {
          display: none;
        }
      }
    `,
  ];

  protected override view(): TemplateResult {
    const session = this.store.session.value;
    const record = this.store.selection.record.value;
    if (session === undefined || record === undefined) return html``;
    const group = this.store.selection.group.value;
    return group?.step === undefined ? explainRecord(this.store, session, record) : this.#ofStep(session, group);
  }

  #ofStep(session: RunSession, group: StepGroup): TemplateResult {
    const texts = inspector();
    const reply = replyOf(session, group);
    const proposal = textOf(session, find(group, 'proposal')?.body.payload);
    const reader = callerOf([firstOf(session)]) === undefined ? 'model' : 'caller';
    return html`
      <div>${this.#headline(group, reply)}${this.#meant(session, reply)}${this.#caption(proposal)}${this.#remedy(session, group, proposal)}</div>
      ${proposal === undefined ? '' : html`<section><h3>${texts.proposal}</h3><sp-json .text=${proposal} .pointer=${reply?.pointer} pretty label=${texts.proposal}></sp-json></section>`}
      ${reply === undefined ? '' : html`<section><h3>${texts.received[reader]}</h3><sp-json .text=${reply.text} pretty label=${texts.reply}></sp-json></section>`}
      ${this.#held(group)} ${labels(group, reader)}
      ${this.#program(session, group)}
      ${this.#takeBack(session, group)}
      <section>
        <h3>${texts.gates.title}</h3>
        <ol class="gates">${group.gates.map((gate, i) => this.#gate(gate, i, group, reply))}</ol>
      </section>
      ${this.#fork(group.step)}
    `;
  }

  /** Loaded with the first held step. */
  #held(group: StepGroup): TemplateResult | string {
    if (heldOf(group.records) === undefined) return '';
    return html`<sp-held-step .store=${this.store}>${loading('held', () => import('./held-step.ts'))}</sp-held-step>`;
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

  /** Loaded with the first call that can be taken back, or that takes one back. */
  #takeBack(session: RunSession, group: StepGroup): TemplateResult | string {
    if (isUndo(firstOf(session))) return undone(this.store);
    const isDone = isCarriedOut(group) && group.stopped === undefined;
    if (!isDone || session.isForeign || !isUndoable(session, group.title)) return '';
    return html`<sp-take-back .store=${this.store}>${loading('take-back', () => import('./take-back.ts'))}</sp-take-back>`;
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
        ? html`<p class="remedy"><button type="button" id="remedy" @click=${() => this.#lookUp(title)}>${icon('key')}${word}</button></p>${stopped === 'execute' && !isTool ? stoppedLine(session, group) : ''}`
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
    const isFromOutside = session !== undefined && isStrange(session);
    const told = isFromOutside ? texts.stepped : texts.after;
    return html`<section class="fork">
      <button type="button" id="fork" @click=${() => this.store.fork(step)}>${icon('fork')}${texts.button}</button>
      <p class="soft">${step === 1 ? texts.fromStart : told(step - 1)}${isFromOutside ? ` ${texts.noAuthority}` : ''}</p>
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
    if (group.stopped !== undefined && heldOf(group.records) !== undefined)
      return html`<p class="headline bad">${icon('barrier')}<span>${texts.stoppedAt(group.stopped)}${texts.untold}</span></p>`;
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
        <span class="question">${stopped ? this.#why(group, reply) : (gateEvidence(gate, group) ?? (gate.name === 'execute' && isCarriedOut(group) ? inspector().gates.toolQuestion : gateTexts().questions[gate.name]))}</span>
      </span>
    </li>`;
  }

  #why(group: StepGroup, reply: Reply | undefined): TemplateResult {
    const texts = inspector().gates;
    // the reply to a held call names no code
    const code = reply?.code ?? find(group, 'receipt')?.body.evidence.reason?.code;
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
function stoppedLine({ records: { value: all }, bytes }: RunSession, { records }: StepGroup): TemplateResult {
  const step = { configuration: all[0], records, bytes };
  return html`<sp-stopped class="remedy" .step=${step}>${loading('stopped', () => import('../lab/stopped.ts'))}</sp-stopped>`;
}

function isCarriedOut(group: StepGroup): boolean {
  const evidence = find(group, 'receipt')?.body.evidence;
  const [operation, second] = evidence?.operations ?? [];
  return isToolCall((second === undefined ? operation : undefined) ?? evidence ?? {});
}

/** The evidence of a passed gate. */
function gateEvidence(gate: StripGate, group: StepGroup): string | undefined {
  return gate.state === 'passed' ? EVIDENCE[gate.name]?.(group) : undefined;
}

const EVIDENCE: { readonly [G in GateName]?: (group: StepGroup) => string | undefined } = {
  parse: (group) => {
    const bytes = find(group, 'proposal')?.body.payload.bytes;
    return bytes === undefined ? undefined : inspector().gates.bytes(bytes);
  },
  form: (group) => find(group, 'verdict')?.body.kind,
  capability: (group) => {
    const verdict = find(group, 'verdict')?.body;
    return verdict?.capability ?? verdict?.operations?.map(({ type, target }) => `${type} ${target}`).join(', ');
  },
  authorize: (group) => {
    const grant = find(group, 'decision')?.body.grant;
    return grant === undefined ? undefined : inspector().gates.grant(grant.slice(0, 12));
  },
  execute: (group) => {
    const { evidence: call } = find(group, 'receipt')?.body ?? {};
    if (isToolCall(call ?? {})) return inspector().gates.byProgram;
    const fuel = call?.fuel;
    return fuel === undefined ? undefined : inspector().gates.fuel(fuel);
  },
  receipt: (group) => {
    const receipt = find(group, 'receipt');
    return receipt === undefined ? undefined : inspector().gates.record(receipt.run_seq, receipt.hash.slice(0, 12));
  },
};

/** A record of a run that belongs to no step, in plain words. */
function explainRecord(store: Playground, session: RunSession, record: LedgerRecord): TemplateResult {
  switch (record.kind) {
    case 'configuration':
      return html`${configuration(record)}${isUndo(record) ? undone(store) : ''}`;
    case 'task':
      return html`<p class="headline">${icon('flag')}<span>${shown(textOf(session, record.body.text) ?? '')}</span></p>`;
    case 'seal':
      return seal(store, session, record);
    case 'state':
      return html`${headline(record)}<p>${inspector().run.happened[record.body.event]}</p>${quote(inspector().run.why, shownText(textOf(session, record.body.reason)))}`;
    default:
      return headline(record);
  }
}

function isUndo(first: LedgerRecord | undefined): boolean {
  return first?.kind === 'configuration' && first.body.undoes !== undefined;
}

/** What the run has taken back, from its ledger. Loaded with the first undo. */
function undone(store: Playground): TemplateResult {
  return html`<sp-undone .store=${store}>${loading('take-back', () => import('./take-back.ts'))}</sp-undone>`;
}

function headline(record: LedgerRecord): TemplateResult {
  const { icon: picture, word, summary } = describe(record);
  return html`<p class="headline">${icon(picture)}<span>${word} ${summary}</span></p>`;
}

function seal(
  store: Playground,
  session: RunSession,
  record: LedgerRecord & { readonly kind: 'seal' },
): TemplateResult {
  const { state, steps, message } = record.body;
  const texts = inspector().run;
  const reader = callerOf([firstOf(session)]) === undefined ? 'model' : 'caller';
  return html`<p class="headline ${state === 'completed' ? 'good' : 'bad'}">${icon('seal')}<span>${texts.ended[state](steps)}</span></p>
    ${spent(session)}
    ${offTask(store)}
    <div class="beside">
      ${state === 'completed' ? quote(texts.lastWords[reader], spoken(session, lastWords(session, message))) : quote(texts.why, shownText(lastWords(session, message)))}
      ${receiptValues(session, record.run_seq)}
    </div>
    ${isUndo(firstOf(session)) ? undone(store) : ''}
    <sp-report .store=${store}></sp-report>`;
}

/** A text that a sender left out is told as left out. */
function lastWords(session: RunSession, message: PayloadRef | undefined): string | undefined {
  const isMissing = message !== undefined && session.payload(message).state === 'missing';
  return isMissing ? inspector().run.leftOut : textOf(session, message);
}

/** The words of a model. Values that they name are drawn by a part that loads with the first such words. */
function spoken(session: RunSession, text: string | undefined): unknown {
  if (text?.includes('{{h') !== true) return shownText(text);
  return html`<sp-held-words .text=${text} .session=${session}>${loading('words', () => import('./held-words.ts'))}</sp-held-words>`;
}

/** The tokens of the whole run, where its server has counted them. */
function spent({ records }: RunSession): TemplateResult | string {
  const [first] = records.value;
  const tokens = tokensOf(records.value);
  if (tokens === undefined || first?.kind !== 'configuration') return '';
  return html`<sp-spent .tokens=${tokens} .model=${modelIn(first.body.model)}>${loading('spent', () => import('../parts/spent.ts'))}</sp-spent>`;
}

/** The script answers only its own task, so for another task its answer has no meaning. */
function offTask({ session, scenario }: Playground): TemplateResult | string {
  const { proposer } = session.value ?? {};
  if (proposer === undefined || proposer.position.value === 0 || !scriptIsOffTask(session.value, scenario)) return '';
  return html`<p class="headline wait">${icon('eye')}<span>${inspector().run.offTask}</span></p>`;
}

function shownText(text: string | undefined): unknown {
  return text === undefined ? undefined : shown(text);
}

/** Words that are not ours, set apart. */
function quote(title: string, words: unknown): TemplateResult | string {
  return words === undefined ? '' : html`<section><h3>${title}</h3><blockquote>${words}</blockquote></section>`;
}

function configuration(record: LedgerRecord & { readonly kind: 'configuration' }): TemplateResult {
  const { body } = record;
  const texts = inspector().settings;
  return html`<p class="headline">${icon('gear')}<span>${texts.title}</span></p>
    <dl>
      <dt>${texts.dialect}</dt><dd class="mono">${body.dialect}</dd>
      <dt>${texts.isolation}</dt><dd>${shell().trust.isolation[body.isolation].short}</dd>
      ${proposer(record)}
      <dt>${texts.capabilities}</dt><dd>${shortHash(body.registry_hash)}</dd>
      <dt>${texts.policy}</dt><dd>${shortHash(body.policy_hash)}</dd>
      <dt>${texts.steps}</dt><dd>${body.limits.steps === Number.MAX_SAFE_INTEGER ? texts.noLimit : body.limits.steps}</dd>
    </dl>`;
}

function proposer(record: LedgerRecord & { readonly kind: 'configuration' }): TemplateResult {
  const texts = inspector().settings;
  const caller = callerOf([record]);
  if (caller === undefined) return html`<dt>${texts.proposer}</dt><dd>${shown(record.body.model)}</dd>`;
  const { labels } = caller;
  return html`<dt>${texts.proposer}</dt><dd>${shown(sessionName(caller))}</dd>
    <dt>${texts.hadRead}</dt><dd>${labels.length === 0 ? texts.hadReadNothing : labels.map((label) => html`<span class="badge label">${labelWord(label)}</span> `)}</dd>`;
}

customElements.define('sp-explain', Explain);
