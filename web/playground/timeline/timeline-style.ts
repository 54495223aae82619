import { type CSSResult, css } from 'lit';

export const timelineStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    container-type: inline-size;
  }
  header {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 3.25rem;
    padding: 0.375rem 1rem;
  }
  header .soft {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  header .small {
    flex: none;
  }
  .space {
    flex: 1;
  }
  .small {
    min-width: 2rem;
    min-height: 2rem;
    padding: 0.25rem;
  }
  #time {
    padding-inline: 0.5rem;
  }
  #time[aria-pressed='true'] {
    border-color: currentcolor;
    color: var(--accent);
  }
  .up svg {
    transform: rotate(-90deg);
  }
  .down svg {
    transform: rotate(90deg);
  }
  .filter {
    position: relative;
    display: block;
    margin: 0 1rem 0.75rem;
  }
  .filter svg {
    position: absolute;
    top: 0.625rem;
    left: 0.625rem;
    color: var(--soft);
  }
  .filter input {
    padding-left: 2.375rem;
    background: var(--sunk);
    border-color: var(--line);
  }
  .filter input:focus {
    border-color: var(--edge);
  }
  .note:empty {
    display: none;
  }
  .offers {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem;
  }
  .offers button {
    min-height: 2rem;
    padding: 0 0.5rem;
  }
  mark {
    border-radius: 3px;
    background: var(--wait-wash);
    color: var(--ink);
    font-weight: 650;
  }
  @media print {
    button,
    label,
    sp-scrubber {
      display: none;
    }
  }
  .group {
    border-top: 1px solid var(--line);
    padding: 0.375rem 0 0.5rem;
  }
  /* Where lines out of sight are left out, each kind has a fixed height, so that their place is known. An element may
     stand for another line then: a browser that follows it scrolls away. */
  .windowed {
    overflow-anchor: none;
  }
  .windowed .group {
    border: 0;
    padding: 0;
  }
  .windowed .head {
    border-top: 1px solid var(--line);
  }
  .gap {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    min-height: 1.75rem;
    padding: 0 1rem;
  }
  .gap::before,
  .gap::after {
    content: '';
    flex: 1;
    border-top: 1px dashed var(--edge);
  }
  .head {
    display: flex;
    align-items: center;
    gap: 0.75rem;
    min-height: 2.25rem;
    padding: 0 1rem;
  }
  .head .title {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .head .mini {
    margin-left: auto;
  }
  .head .chip {
    padding: 0 0.5rem;
    border-color: var(--edge);
    color: var(--soft);
    font-weight: 400;
  }
  .head .chip svg {
    width: 1rem;
    height: 1rem;
  }
  .outcome {
    min-width: 9.5rem;
    font-weight: 650;
    white-space: nowrap;
  }
  .row {
    grid-template-columns: 2.25rem 1.25rem auto minmax(0, 1fr) auto;
    gap: 0.625rem;
  }
  /* The list cuts what lies outside. */
  .row[data-guided] {
    outline-offset: -3px;
  }
  @media (max-width: 47rem) {
    .row {
      scroll-margin: 11rem 0 6rem;
    }
  }
  .mark {
    display: flex;
    color: var(--soft);
  }
  .good .mark {
    color: var(--good);
  }
  .bad .mark,
  .bad .word {
    color: var(--bad);
  }
  .wait .mark,
  .wait .word {
    color: var(--wait);
  }
  .word {
    font-weight: 550;
    white-space: nowrap;
  }
  .summary {
    overflow: hidden;
    color: var(--soft);
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .pin {
    display: flex;
    color: var(--accent);
  }
  .empty {
    padding: 1rem;
  }
  .empty[role='status'] {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
  }
  @container (max-width: 34rem) {
    .outcome {
      min-width: 4.75rem;
    }
    .place {
      display: none;
    }
  }
  @container (max-width: 30rem) {
    header {
      gap: 0.375rem;
    }
    h2 + .soft .unit {
      display: none;
    }
  }
  /* The number of records beside the number that a filter shows needs the room of the word for problems. */
  @container (max-width: 26.5rem) {
    h2 + .soft:not(:has(.unit)) ~ .soft .unit {
      display: none;
    }
  }
  @container (max-width: 24rem) {
    .unit {
      display: none;
    }
  }
  @container (max-width: 21rem) {
    .head .mini {
      display: none;
    }
    .head .outcome {
      min-width: 0;
      margin-left: auto;
    }
  }
`;

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
