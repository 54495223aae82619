import { type CSSResult, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { canonicalText, isObject, type JsonValue } from '../../../core/index.ts';
import { gatesOf } from '../../records/gates.ts';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import type { Trial } from '../lab/lab.ts';
import type { ProposalTrial, TryMode } from './draft-trials.ts';
import '../parts/code-field.ts';
import '../parts/json-text.ts';
import { WorkshopPart } from './workshop-part.ts';
import '../lab/stopped.ts';
import '../parts/gate-strip.ts';
import { consoleLines, powerLines, spent, told } from '../lab/trial.ts';
import { count, shown } from '../parts/text.ts';
import { tryoutStyles } from './tryout-style.ts';

const MODES: { readonly [M in TryMode]: string } = { args: 'Arguments', script: 'Script' };

/** Calls the draft through every gate, in a lab, and shows its result, its cost, and the gate that stopped it. */
export class Tryout extends WorkshopPart {
  static override styles: CSSResult[] = [shared, quoted, tryoutStyles];

  protected override view(): TemplateResult {
    const { mode, tried, busy } = this.workshop;
    return html`<div @keydown=${(event: KeyboardEvent) => this.#key(event)}>
      <header><h2>Try it</h2>
        <div class="modes" role="group" aria-label="Try with">${Object.entries(MODES).map(([name, word]) => this.#mode(name as TryMode, word))}</div>
      </header>
      ${mode.value === 'args' ? this.#args() : this.#script()}
      <p class="act">
        ${
          busy.value
            ? html`<button type="button" id="stop" @click=${() => this.workshop.cancel()}>${icon('stop')}Stop</button><span class="soft" role="status">Running in the sandbox…</span>`
            : html`<button type="button" id="try" class="primary" @click=${() => void this.workshop.attempt()}>${icon('play')}Try</button><span class="soft"><span class="keyed"><kbd>Ctrl</kbd> <kbd>Enter</kbd> · </span>in a lab of its own, through every gate</span>`
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
    return html`<sp-code id="sample" class="given" language="json" label="Arguments to try" .text=${args.value} @sp-text=${write}></sp-code>`;
  }

  #script(): TemplateResult {
    const { script } = this.workshop;
    const write = (event: Event): void => {
      script.value = (event.target as HTMLTextAreaElement).value;
    };
    return html`<textarea id="script" class="given" aria-label="Proposals to try" spellcheck="false" placeholder='{"next_step":{"tool":"…","arguments":{},"goal":"…"}}' .value=${live(script.value)} @input=${write}></textarea>
      <p class="soft">Whole proposals, byte for byte; a line of three dashes stands between two.</p>`;
  }

  #tried({ trial, trouble, proposal }: ProposalTrial): TemplateResult {
    if (trial === undefined) return html`<p class="bad">${shown(trouble ?? '')}</p>`;
    const value = resultOf(trial);
    const { step } = trial;
    return html`<article>
      ${value === undefined ? this.#stopped(trial) : html`<p class="headline good">${icon('check')}<span>It answered.</span></p><sp-json .text=${value} pretty label="Result"></sp-json>`}
      <sp-stopped .step=${step}></sp-stopped>
      <dl class="cost">${spent(trial)}<div><dt>Answer</dt><dd>${count(trial.reply.length, 'character')}</dd></div></dl>
      <sp-strip .gates=${gatesOf(trial.records)} label="Gates of this call"></sp-strip>
      ${consoleLines(trial)} ${powerLines(trial)}
      <details><summary>The proposal and the reply to the model</summary>
        <sp-json .text=${proposal} label="Proposal"></sp-json><sp-json .text=${trial.reply} pretty label="Reply to the model"></sp-json>
      </details>
    </article>`;
  }

  #stopped(trial: Trial): TemplateResult {
    const { reason } = trial.receipt.body.evidence;
    if (reason === undefined)
      return html`<p class="headline good">${icon('check')}<span>Recorded. Nothing was executed.</span></p>`;
    return html`<p class="headline bad">${icon('barrier')}<span><span class="mono">${reason.code}</span> at ${reason.step ?? 'the end'}. ${shown(told(trial))}</span></p>`;
  }

  #key(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void this.workshop.attempt();
  }
}

function resultOf({ reply }: Trial): string | undefined {
  const answer = reply === '' ? null : (JSON.parse(reply) as JsonValue);
  if (!isObject(answer) || answer['status'] !== 'success') return undefined;
  return canonicalText(answer['result'] ?? null);
}

customElements.define('sp-tryout', Tryout);
