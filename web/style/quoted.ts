import { type CSSResult, css } from 'lit';

/** A stranger's text, unchanged, in its own kind of box. */
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
`;
