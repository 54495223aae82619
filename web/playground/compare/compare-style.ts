import { type CSSResult, css } from 'lit';

export const compareStyles: CSSResult = css`
  dialog[open] {
    display: flex;
    flex-direction: column;
    gap: 0.75rem;
    width: min(70rem, calc(100vw - 2rem));
  }
  .head {
    margin: 0;
  }
  .choice {
    display: flex;
    flex-wrap: wrap;
    align-items: end;
    gap: 0.5rem;
  }
  .choice label:first-of-type {
    flex: 1;
    min-width: 12rem;
  }
  .result {
    overflow: auto;
    min-height: 0;
  }
  table {
    width: 100%;
    border-collapse: collapse;
    table-layout: fixed;
  }
  th,
  td {
    padding: 0.375rem 0.75rem 0.375rem 0;
    text-align: left;
    vertical-align: top;
    font-weight: 400;
    overflow-wrap: anywhere;
  }
  thead th {
    font-weight: 650;
  }
  .step th,
  .step td {
    border-top: 1px solid var(--line);
  }
  .path {
    padding-bottom: 0;
    color: var(--soft);
  }
  .value {
    white-space: pre-wrap;
  }
  .only {
    color: var(--soft);
  }
`;
