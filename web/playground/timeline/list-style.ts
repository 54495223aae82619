import { type CSSResult, css } from 'lit';

/** A list of lines to choose from: records as `.row`, steps as `.step`. The number of a line is `.seq` or `.nth`. */
export const listStyles: CSSResult = css`
  .note {
    padding: 0 1rem 0.5rem;
  }
  .list {
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    overscroll-behavior: contain;
    padding-bottom: 1rem;
    outline-offset: -3px;
  }
  :is(.row, .step) {
    position: relative;
    display: grid;
    align-items: center;
    min-height: 2.125rem;
    padding: 0.125rem 1rem;
    cursor: pointer;
  }
  :is(.row, .step):hover {
    background: var(--sunk);
  }
  :is(.row, .step)[aria-selected='true'] {
    background: var(--accent-wash);
  }
  :is(.row, .step)[aria-selected='true']::before {
    content: '';
    position: absolute;
    inset: 0 auto 0 0;
    width: 4px;
    background: var(--accent);
  }
  :is(.seq, .nth) {
    color: var(--soft);
    font-family: var(--mono);
    text-align: right;
  }
  @media (pointer: coarse) {
    :is(.row, .step) {
      min-height: 2.75rem;
    }
  }
  @media (forced-colors: active) {
    :is(.row, .step)[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
  @media print {
    .list {
      overflow: visible;
    }
  }
`;
