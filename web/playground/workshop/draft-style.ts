import { type CSSResult, css } from 'lit';

export const draftStyles: CSSResult = css`
  :host {
    container-type: inline-size;
  }
  .fields,
  .limits {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(11rem, 100%), 1fr));
    gap: 0.75rem;
  }
  .fields {
    grid-template-columns: minmax(0, 2fr) minmax(6rem, 1fr) minmax(0, 2fr);
  }
  .wide {
    grid-column: 1 / -1;
  }
  label {
    display: block;
    color: var(--soft);
  }
  small {
    font-size: 1rem;
  }
  .fields {
    align-items: start;
  }
  label > :is(input, select) {
    margin-top: 0.25rem;
    color: var(--ink);
  }
  label.mono {
    font-family: inherit;
  }
  label.mono input {
    font-family: var(--mono);
  }
  input[aria-invalid='true'] {
    border-color: var(--bad);
    box-shadow: 0 0 0 1px var(--bad);
  }
  section,
  details {
    margin-top: 1.25rem;
  }
  details + details {
    margin-top: 0.5rem;
  }
  h2 .soft {
    font-weight: 400;
  }
  .source {
    --code-height: 17rem;
  }
  .schemas {
    --code-height: 14rem;
    display: grid;
    grid-template-columns: repeat(2, minmax(0, 1fr));
    gap: 0 1rem;
  }
  .problems {
    display: grid;
    gap: 0.25rem;
    margin-top: 1rem;
    padding: 0.375rem;
    border: 1px solid var(--bad);
    border-radius: var(--radius-small);
    background: var(--bad-wash);
  }
  .problems button {
    justify-content: start;
    align-items: start;
    width: 100%;
    text-align: left;
    white-space: normal;
  }
  .problems span {
    overflow-wrap: anywhere;
  }
  .powers {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
  }
  .check {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2rem;
    color: var(--ink);
  }
  .check input {
    width: 1.25rem;
    min-height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  @container (max-width: 40rem) {
    .fields {
      grid-template-columns: minmax(0, 1fr);
    }
    .schemas {
      display: block;
    }
  }
`;
