import '../parts/code-field.ts';
import '../parts/json-text.ts';
import '../lab/stopped.ts';
import '../parts/gate-strip.ts';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { CODES, type Code, canonicalText, isObject, type JsonValue } from '../../../core/index.ts';
import { gatesOf } from '../../records/gates.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { remedies } from '../../texts/en/remedies.ts';
import { shell } from '../../texts/en/shell.ts';
import { workshop as texts } from '../../texts/en/workshop.ts';
import type { Trial } from '../lab/lab.ts';
import type { LinkedPlace } from '../lab/stopped.ts';
import { consoleLines, powerLines, spent, told } from '../lab/trial.ts';
import { shown } from '../parts/text.ts';
import type { ProposalTrial, TryMode } from './workshop.ts';
import { WorkshopPart } from './workshop-part.ts';

const MODES: readonly TryMode[] = ['args', 'script'];

/** Calls the draft through every gate, in a lab, and shows its result, its cost, and the gate that stopped it. */
export class Tryout extends WorkshopPart {
  static override get styles(): CSSResult[] {
    return [shared, quoted, tryoutStyles];
  }

  protected override view(): TemplateResult {
    const { tryout } = texts();
    const { keys } = shell();
    const { mode, tried, busy } = this.workshop;
    return html`<div @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <header><h2>${tryout.title}</h2>
        <div class="modes" role="group" aria-label=${tryout.modesLabel}>${MODES.map((name) => this.#mode(name, tryout.modes[name]))}</div>
      </header>
      ${mode.value === 'args' ? this.#args() : this.#script()}
      <p class="act">
        ${
          busy.value
            ? html`<button type="button" id="stop" @click=${() => this.workshop.cancel()}>${icon('stop')}${tryout.stop}</button><span class="soft" role="status">${tryout.running}</span>`
            : html`<button type="button" id="try" class="primary" @click=${() => void this.workshop.attempt()}>${icon('play')}${tryout.try}</button><span class="soft"><span class="keyed"><kbd>${keys.Control}</kbd> <kbd>${keys.Enter}</kbd> · </span>${tryout.where}</span>`
        }
      </p>
      <div class="results" role="status">${tried.value.map((each) => this.#tried(each))}</div>
    </div>`;
  }

  #mode(name: TryMode, word: string): TemplateResult {
    const { mode } = this.workshop;
    const turn = (): void => {
      mode.value = name;
    };
    return html`<button type="button" aria-pressed=${mode.value === name ? 'true' : 'false'} @click=${turn}>${word}</button>`;
  }

  #args(): TemplateResult {
    const { args } = this.workshop;
    const write = (event: CustomEvent<string>): void => {
      args.value = event.detail;
    };
    return html`<sp-code id="sample" class="given" language="json" label=${texts().tryout.args} .text=${args.value} @sp-text=${write}></sp-code>`;
  }

  #script(): TemplateResult {
    const { script } = this.workshop;
    const write = (event: Event): void => {
      script.value = (event.target as HTMLTextAreaElement).value;
    };
    return html`<textarea id="script" class="given" aria-label=${texts().tryout.proposals} spellcheck="false" placeholder='{"next_step":{"tool":"…","arguments":{},"goal":"…"}}' .value=${live(script.value)} @input=${write}></textarea>
      <p class="soft">${texts().tryout.scriptIs}</p>`;
  }

  #tried({ trial, trouble, proposal }: ProposalTrial): TemplateResult {
    if (trial === undefined) return html`<p class="bad">${shown(trouble ?? '')}</p>`;
    const { tryout } = texts();
    const value = resultOf(trial);
    const { step } = trial;
    return html`<article>
      ${value === undefined ? this.#stopped(trial) : html`<p class="headline good">${icon('check')}<span>${tryout.answered}</span></p><sp-json .text=${value} pretty label=${tryout.result}></sp-json>`}
      <sp-stopped linked .step=${step} @sp-place=${(event: CustomEvent<LinkedPlace>) => this.workshop.mark({ ...event.detail, message: told(trial) })}></sp-stopped>
      <dl class="cost">${spent(trial)}<div><dt>${tryout.answer}</dt><dd>${tryout.characters(trial.reply.length)}</dd></div></dl>
      <sp-strip .gates=${gatesOf(trial.records)} label=${tryout.gates}></sp-strip>
      ${consoleLines(trial)} ${powerLines(trial)}
      <details><summary>${tryout.bytes}</summary>
        <sp-json .text=${proposal} label=${tryout.proposal}></sp-json><sp-json .text=${trial.reply} pretty label=${tryout.reply}></sp-json>
      </details>
    </article>`;
  }

  #stopped(trial: Trial): TemplateResult {
    const { tryout } = texts();
    const { reason } = trial.receipt.body.evidence;
    const why = html`<span lang="en">${shown(told(trial))}</span>`;
    if (reason === undefined) return html`<p class="headline good">${icon('check')}<span>${tryout.recorded}</span></p>`;
    return html`<p class="headline bad">${icon('barrier')}<span>${tryout.stopped(reason.code, reason.step, why)}</span></p>
      <p>${adviceOn(reason.code)}</p>`;
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void this.workshop.attempt();
  }
}

/** For the author: the advice that a model gets speaks of other arguments and other capabilities. */
function adviceOn(code: string): string {
  const { advice }: { advice: Partial<Record<string, string>> } = texts().tryout;
  return advice[code] ?? (code.endsWith('_exceeded') ? (advice['exceeded'] ?? '') : remedyOf(code));
}

function remedyOf(code: string): string {
  return Object.hasOwn(CODES, code) ? remedies()[code as Code] : '';
}

function resultOf({ reply }: Trial): string | undefined {
  const answer = reply === '' ? null : (JSON.parse(reply) as JsonValue);
  if (!isObject(answer) || answer['status'] !== 'success') return undefined;
  return canonicalText(answer['result'] ?? null);
}

const tryoutStyles: CSSResult = css`
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.5rem;
    margin-bottom: 0.75rem;
  }
  h2 {
    font-size: 1.125rem;
  }
  .modes {
    display: flex;
  }
  .modes button {
    min-height: 2.25rem;
    border-radius: 0;
  }
  .modes button:first-child {
    border-radius: var(--radius-small) 0 0 var(--radius-small);
  }
  .modes button:last-child {
    border-left: 0;
    border-radius: 0 var(--radius-small) var(--radius-small) 0;
  }
  .modes button[aria-pressed='true'] {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 650;
  }
  sp-code.given {
    --code-height: 8rem;
  }
  textarea.given {
    min-height: 12rem;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin-top: 0.75rem;
  }
  article {
    display: grid;
    gap: 0.875rem;
    margin-top: 1.25rem;
    padding-top: 1.25rem;
    border-top: 1px solid var(--line);
  }
  article > * {
    min-width: 0;
  }
  .headline {
    display: flex;
    gap: 0.5rem;
    font-weight: 650;
  }
  .headline span {
    overflow-wrap: anywhere;
  }
  .cost {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
    gap: 0.75rem 1.25rem;
  }
  .cost > div {
    display: flex;
    flex-direction: column;
    justify-content: space-between;
  }
  .cost dt {
    color: var(--soft);
  }
  .cost dd {
    font-size: 1.0625rem;
    font-variant-numeric: tabular-nums;
  }
  details {
    display: grid;
    gap: 0.5rem;
  }
  details sp-json {
    margin-bottom: 0.5rem;
  }
  pre {
    max-height: 12rem;
  }
`;

customElements.define('sp-tryout', Tryout);
