import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { GATES, type GateState, type StripGate } from '../../records/gates.ts';
import { type IconName, icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { gates as gateTexts } from '../../texts/en/gates.ts';
import { shell } from '../../texts/en/shell.ts';
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
class Strip extends SignalView {
  static override properties: PropertyDeclarations = { gates: { attribute: false }, label: {} };
  static override styles: CSSResult[] = [
    shared,
    css`
      :host {
        container-type: inline-size;
      }
      ol {
        display: grid;
        grid-template-columns: repeat(6, minmax(0, 1fr)) 1.5rem repeat(4, minmax(0, 1fr));
      }
      li {
        position: relative;
        display: flex;
        flex-direction: column;
        align-items: center;
        gap: 0.25rem;
        color: var(--soft);
      }
      .node {
        position: relative;
        z-index: 1;
        display: grid;
        place-items: center;
        width: 2rem;
        height: 2rem;
        border: 2px solid var(--line);
        border-radius: 50%;
        background: var(--panel);
        transition:
          background var(--ease),
          border-color var(--ease),
          color var(--ease);
      }
      .way {
        position: absolute;
        top: calc(1rem - 1px);
        right: 50%;
        width: 100%;
        height: 0;
        border-top: 2px solid var(--line);
      }
      li:first-child .way {
        display: none;
      }
      .after-wall .way {
        width: calc(100% + 1.5rem);
      }
      /* The wall between the two doors stands in the narrow column before the seventh gate. */
      .after-wall {
        grid-column: 8;
      }
      .after-wall::before {
        content: '';
        position: absolute;
        z-index: 1;
        top: 0;
        left: calc(-0.75rem - 4px);
        width: 0.5rem;
        height: 2rem;
        border: solid var(--edge);
        border-width: 0 2px;
        background: var(--panel);
      }
      .passed {
        color: var(--good);
      }
      .passed .node {
        border-color: var(--good);
        background: var(--good-wash);
      }
      .passed .way,
      .waiting .way,
      .running .way {
        border-top-color: var(--good);
      }
      .skipped .way {
        border-top: 2px solid var(--good);
      }
      .skipped .node {
        border-style: dashed;
        border-color: var(--edge);
      }
      .stopped {
        color: var(--bad);
        font-weight: 650;
      }
      .stopped .node {
        border-radius: 4px;
        border-color: var(--bad);
        background: var(--bad-wash);
      }
      .stopped .way {
        border-top-color: var(--good);
      }
      .never .way {
        border-top-style: dotted;
        border-top-color: var(--edge);
      }
      .after-stop .way {
        border-top-style: dotted;
        border-top-color: var(--edge);
      }
      .waiting,
      .running {
        color: var(--wait);
        font-weight: 650;
      }
      .waiting .node,
      .running .node {
        border-color: var(--wait);
        background: var(--wait-wash);
      }
      .name {
        max-width: 100%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      @container (max-width: 58rem) {
        ol {
          grid-template-columns: repeat(6, minmax(0, 1fr)) 0.75rem repeat(4, minmax(0, 1fr));
        }
        .name {
          max-width: none;
          overflow: visible;
          font-size: 0.75rem;
          font-weight: 400;
        }
        .after-wall .way {
          width: calc(100% + 0.75rem);
        }
        .after-wall::before {
          left: calc(-0.375rem - 4px);
        }
      }
      /* Two rows, a row for each door, so that every gate keeps its name. */
      @container (max-width: 42rem) {
        ol {
          grid-template-columns: repeat(6, minmax(0, 1fr));
          row-gap: 0.375rem;
        }
        li {
          gap: 0.125rem;
        }
        .after-wall {
          grid-column: 2;
        }
        .after-wall::before,
        .after-wall .way {
          display: none;
        }
        .node {
          width: 1.5rem;
          height: 1.5rem;
          border-width: 1.5px;
        }
        .node svg {
          width: 1rem;
          height: 1rem;
        }
        .way {
          top: calc(0.75rem - 1px);
        }
        .name {
          font-size: 0.6875rem;
        }
      }
      @container (max-width: 21rem) {
        .name {
          font-size: 0.5625rem;
          letter-spacing: -0.03em;
        }
      }
      @media (forced-colors: active) {
        .node,
        .way {
          border-color: CanvasText;
        }
        .stopped .node {
          border-width: 4px;
        }
      }
    `,
  ];
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
