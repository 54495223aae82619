import { type CSSResult, css } from 'lit';

/** Styles that the parts of the corpus panel share. */
export const corpusStyles: CSSResult = css`
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .stack {
    display: grid;
    gap: 0.75rem;
  }
  label {
    display: grid;
    gap: 0.25rem;
    min-width: 0;
  }
  label > span {
    font-weight: 650;
  }
  .lines {
    overflow-x: auto;
    padding: 0.75rem 0;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--sunk);
    font: 1rem / 1.5 var(--mono);
  }
  .lines li {
    display: grid;
    grid-template-columns: 3.5rem minmax(0, 1fr);
    gap: 1rem;
    padding-right: 1rem;
  }
  .lines li span:first-child {
    color: var(--soft);
    text-align: right;
    user-select: none;
  }
  .lines li span:last-child {
    min-height: 1.5em;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  pre.cut {
    max-height: 20rem;
  }
`;
