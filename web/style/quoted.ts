import { type CSSResult, css } from 'lit';

/** What a stranger wrote, as it is: every character, and those that would hide made visible. */
export const quoted: CSSResult = css`
  pre {
    padding: 0.75rem 0.875rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--sunk);
    font: 1rem / 1.5 var(--mono);
    font-variant-ligatures: none;
    tab-size: 2;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  /* Source keeps its lines, and scrolls. */
  .source {
    white-space: pre;
  }
  .hidden {
    border: 1px solid currentcolor;
    border-radius: 3px;
    color: var(--bad);
  }
`;
