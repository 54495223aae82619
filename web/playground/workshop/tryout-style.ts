import { type CSSResult, css } from 'lit';

export const tryoutStyles: CSSResult = css`
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
