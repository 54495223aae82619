import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { GATES, type GateName, type StripGate } from '../../records/gates.ts';

function mark({ state }: StripGate): TemplateResult {
  return html`<i class=${state}></i>`;
}

/** The strip in the size of a word: six marks, a wall, four marks. Its meaning is said in words beside it. */
export function miniStrip(gates: readonly StripGate[]): TemplateResult {
  const split = GATES.indexOf('authorize' satisfies GateName);
  return html`<span class="mini" aria-hidden="true">${gates.slice(0, split).map(mark)}<i class="wall"></i>${gates.slice(split).map(mark)}</span>`;
}

export const miniStyles: CSSResult = css`
  .mini {
    display: inline-flex;
    align-items: center;
    gap: 2px;
  }
  .mini i {
    width: 6px;
    height: 14px;
    border: 1px solid var(--edge);
    border-radius: 2px;
  }
  .mini .wall {
    width: 0;
    height: 18px;
    margin: 0 2px;
    border-width: 0 0 0 2px;
    border-radius: 0;
  }
  .mini .passed {
    border-color: var(--good);
    background: var(--good);
  }
  .mini .stopped {
    width: 8px;
    height: 18px;
    border-color: var(--bad);
    background: var(--bad);
  }
  .mini .waiting,
  .mini .running {
    border-color: var(--wait);
    background: var(--wait);
  }
  .mini .skipped,
  .mini .never,
  .mini .ahead {
    opacity: 0.45;
  }
  @media (forced-colors: active) {
    .mini .passed,
    .mini .stopped {
      forced-color-adjust: none;
    }
  }
`;
