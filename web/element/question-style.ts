import { type CSSResult, css } from 'lit';
import { tokens } from './style.ts';

export const questionStyles: CSSResult = css`
  :host {
    display: block;
    padding: var(--gap);
    border: 2px solid var(--wait);
    border-radius: var(--radius);
    background: var(--wait-wash);
  }
  :host([standalone]) {
    margin-block: 0.75rem;
    ${tokens}
    color: var(--fg);
    color-scheme: light dark;
    font-family: var(--sallyport-font, system-ui, sans-serif);
    line-height: 1.5;
  }
  h3,
  p {
    margin: 0 0 var(--gap);
    font-size: inherit;
    overflow-wrap: anywhere;
  }
  pre {
    max-height: 14rem;
    margin: 0 0 var(--gap);
    padding: var(--gap);
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--bg);
    font-family: var(--mono);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  /* In sight when the end of the text is. */
  #end {
    display: inline-block;
    width: 1px;
    height: 1em;
  }
  /* Text too long to isolate each string: shown in the order of its characters, right-to-left runs included. */
  .exact {
    unicode-bidi: bidi-override;
  }
  /* Between the beginning and the end of folded arguments: an edge on both sides shows that text is missing. */
  .fold {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: var(--gap);
    padding-left: var(--gap);
    border-left: 4px dashed var(--wait);
    font-weight: 650;
  }
  .lookalike {
    color: var(--bad);
  }
  mark {
    background: var(--wait);
    color: var(--bg);
  }
  .digest {
    font-family: var(--mono);
    font-size: 0.8em;
    overflow-wrap: anywhere;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: var(--gap);
    justify-content: flex-end;
  }
  button {
    min-height: 2.75rem;
    padding: 0.375rem 1rem;
    border: 1px solid var(--muted);
    border-radius: var(--radius);
    background: var(--bg);
    color: var(--fg);
    font: inherit;
    cursor: pointer;
  }
  button.primary {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
  }
  button[aria-disabled='true'] {
    border-color: var(--line);
    background: var(--bg);
    color: var(--muted);
    cursor: not-allowed;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
`;
