import { type CSSResult, css } from 'lit';

export const proposeFormStyles: CSSResult = css`
  :host {
    padding: 0.5rem 0;
    overflow-wrap: anywhere;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 0.5rem;
  }
  header h4 {
    flex: 1;
    margin: 0;
    font-size: 1rem;
  }
  .form,
  .form [role='group'],
  fieldset {
    display: grid;
    gap: 0.75rem;
    min-width: 0;
  }
  .form {
    margin-top: 0.5rem;
  }
  fieldset {
    margin: 0;
    padding: 0.25rem 0.75rem 0.75rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
  }
  legend {
    padding: 0 0.25rem;
  }
  legend,
  .field label {
    font-family: var(--mono);
    font-variant-ligatures: none;
  }
  .field textarea.text {
    font-family: inherit;
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  .notes:empty,
  .notes:not(:has(p)) {
    display: none;
  }
  .fault {
    display: flex;
    gap: 0.375rem;
  }
  .include {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2.25rem;
    cursor: pointer;
  }
  .include input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .item {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: start;
    gap: 0.25rem;
  }
  .remove {
    min-width: 2.5rem;
    padding: 0.375rem;
  }
  .add {
    justify-self: start;
    max-width: 100%;
    white-space: normal;
    text-align: left;
  }
  .edited {
    margin-top: 0.5rem;
    padding: 0.5rem 0.75rem;
    border: 1px solid var(--wait);
    border-radius: var(--radius-small);
    background: var(--wait-wash);
  }
`;
