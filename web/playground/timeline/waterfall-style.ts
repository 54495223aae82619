import { type CSSResult, css } from 'lit';

export const waterfallStyles: CSSResult = css`
  :host {
    flex: 1;
    display: flex;
    flex-direction: column;
    min-height: 0;
    container-type: inline-size;
  }
  .totals {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 1rem;
    padding: 0 1rem 0.5rem;
  }
  .totals li {
    display: flex;
    align-items: center;
    gap: 0.375rem;
  }
  .swatch {
    width: 0.75rem;
    height: 0.75rem;
    border-radius: 2px;
  }
  .controls {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
    padding: 0 1rem 0.5rem;
  }
  .controls button {
    min-height: 2rem;
    padding: 0.125rem 0.625rem;
  }
  .controls button[aria-pressed='true'] {
    border-color: var(--accent);
    background: var(--accent-wash);
    color: var(--accent);
    font-weight: 650;
  }
  details {
    padding: 0 1rem 0.5rem;
  }
  .list {
    border-top: 1px solid var(--line);
  }
  .step {
    grid-template-columns: 2.25rem minmax(4rem, 11rem) minmax(0, 1fr) 4.75rem;
    gap: 0 0.625rem;
    content-visibility: auto;
    contain-intrinsic-height: auto 2.125rem;
  }
  .title {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .title.bad {
    color: var(--bad);
  }
  .all {
    font-variant-numeric: tabular-nums;
    text-align: right;
    white-space: nowrap;
  }
  .spent {
    grid-column: 2 / -1;
    color: var(--soft);
  }
  svg.bar {
    display: block;
    width: 100%;
    height: 0.875rem;
    overflow: visible;
  }
  .bar .track {
    fill: var(--line);
    opacity: 0.5;
  }
  .model {
    fill: var(--accent);
    background: var(--accent);
  }
  .gates {
    fill: var(--ink);
    background: var(--ink);
  }
  .sandbox {
    fill: var(--good);
    background: var(--good);
  }
  .person {
    fill: var(--wait);
    background: var(--wait);
  }
  .disk {
    fill: var(--edge);
    background: var(--edge);
  }
  .detail {
    min-height: 1.5rem;
  }
  @container (max-width: 26rem) {
    .step {
      grid-template-columns: 1.75rem minmax(0, 1fr) 4.75rem;
    }
    svg.bar {
      grid-row: 2;
      grid-column: 2 / -1;
    }
  }
  @media (forced-colors: active) {
    .swatch,
    svg.bar {
      forced-color-adjust: none;
    }
  }
  @media print {
    .controls,
    details {
      display: none;
    }
  }
`;
