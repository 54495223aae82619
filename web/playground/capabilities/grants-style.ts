import { type CSSResult, css } from 'lit';

export const grantsStyles: CSSResult = css`
  :host {
    container-type: inline-size;
    padding: 1rem 1.25rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--sunk);
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  h2 .soft {
    font-weight: 400;
  }
  .none {
    display: flex;
    gap: 0.5rem;
    color: var(--soft);
  }
  .none svg {
    margin-top: 0.125rem;
  }
  li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 0.75rem;
    padding: 0.25rem 0;
  }
  li + li {
    border-top: 1px solid var(--line);
  }
  .what {
    display: flex;
    flex: 1 1 14rem;
    align-items: center;
    gap: 0.5rem;
  }
  .what span:first-child {
    display: inline-flex;
  }
  li sp-json {
    flex: 1 0 100%;
    margin-bottom: 0.5rem;
  }
  details {
    margin-top: 0.375rem;
  }
  form {
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0.75rem 1.25rem;
    align-items: start;
    padding-top: 0.5rem;
  }
  fieldset {
    display: grid;
    min-width: 0;
    margin: 0;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    color: var(--soft);
  }
  .mode {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2.25rem;
    cursor: pointer;
  }
  .mode input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  form > label {
    color: var(--soft);
  }
  label > :is(textarea, input[type='number'], input[type='datetime-local']) {
    margin-top: 0.25rem;
    color: var(--ink);
  }
  .wide {
    grid-column: 1 / -1;
  }
  form button {
    justify-self: start;
  }
  .said:not(:empty) {
    margin-top: 0.5rem;
    overflow-wrap: anywhere;
  }
  @container (max-width: 32rem) {
    form {
      grid-template-columns: minmax(0, 1fr);
    }
  }
`;
