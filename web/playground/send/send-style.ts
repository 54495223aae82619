import { type CSSResult, css } from 'lit';

/** Styles of the dialogs that send and take runs. */
export const sendStyles: CSSResult = css`
  dialog {
    width: min(40rem, calc(100vw - 2rem));
    overflow-y: auto;
  }
  dialog > * + *,
  form > * + * {
    margin-top: 0.875rem;
  }
  p,
  label {
    overflow-wrap: anywhere;
  }
  fieldset {
    display: grid;
    gap: 0.5rem;
    margin-inline: 0;
    padding: 0.75rem 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
  }
  legend {
    padding: 0 0.25rem;
    font-weight: 650;
  }
  .check {
    display: flex;
    align-items: baseline;
    gap: 0.5rem;
  }
  .check input {
    flex: none;
    width: auto;
    min-height: 0;
  }
  .field {
    display: grid;
    gap: 0.25rem;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .told {
    display: grid;
    gap: 0.25rem;
  }
`;
