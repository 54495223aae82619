import { type CSSResult, css } from 'lit';

export const codeStyles: CSSResult = css`
  dialog {
    width: min(52rem, calc(100vw - 2rem));
    overflow-y: auto;
  }
  dialog > * + * {
    margin-top: 0.875rem;
  }
  fieldset {
    display: grid;
    gap: 0.25rem;
    min-width: 0;
    margin-inline: 0;
    padding: 0.5rem 1rem 0.75rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
  }
  legend {
    padding: 0 0.25rem;
    font-weight: 650;
  }
  label {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2rem;
  }
  label input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .name {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
  }
  .name h3 {
    flex: 1;
  }
  .actions {
    display: flex;
    gap: 0.5rem;
  }
  pre {
    max-height: 22rem;
    overflow: auto;
    margin-top: 0.375rem;
    padding: 0.75rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--sunk);
    font: 0.8125rem / 1.5 var(--mono);
    font-variant-ligatures: none;
    tab-size: 2;
  }
  p {
    overflow-wrap: anywhere;
  }
  code {
    font-family: var(--mono);
    font-size: 0.875em;
  }
`;
