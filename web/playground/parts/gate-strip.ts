import { type CSSResult, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { GATES, type GateState, type StripGate } from '../../records/gates.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { shell } from '../../texts/en/shell.ts';
import { gateStripStyles } from './gate-strip-style.ts';
import { SignalView } from './signal-view.ts';

export const GATE_ICONS: { readonly [S in GateState]: IconName } = {
  passed: 'check',
  stopped: 'barrier',
  waiting: 'hand',
  running: 'play',
  skipped: 'dash',
  never: 'dash',
  ahead: 'dot',
};

const AHEAD: readonly StripGate[] = GATES.map((name) => ({ name, state: 'ahead' }));

/** The gate strip: how far a proposal came, and the gate that stopped it. Two doors, never both open at once. */
export class Strip extends SignalView {
  static override properties: PropertyDeclarations = { gates: { attribute: false }, label: {} };
  static override styles: CSSResult[] = [shared, gateStripStyles];
  declare gates: readonly StripGate[] | undefined;
  declare label: string;

  protected override view(): TemplateResult {
    const gates = this.gates === undefined || this.gates.length === 0 ? AHEAD : this.gates;
    const stop = gates.findIndex((gate) => gate.state === 'stopped');
    return html`<ol aria-label=${this.label ?? shell().gates}>
      ${gates.map((gate, i) => this.#gate(gate, stop >= 0 && i > stop))}
    </ol>`;
  }

  #gate({ name, state }: StripGate, afterStop: boolean): TemplateResult {
    const wall = name === 'authorize' ? 'after-wall' : '';
    return html`<li class="${state} ${wall} ${afterStop ? 'after-stop' : ''}" title="${name}: ${gateTexts().states[state]}">
      <span class="way"></span>
      <span class="node">${icon(GATE_ICONS[state])}</span>
      <span class="name" aria-hidden="true">${name}</span>
      <span class="unseen">${name}: ${gateTexts().states[state]}</span>
    </li>`;
  }
}

customElements.define('sp-strip', Strip);
