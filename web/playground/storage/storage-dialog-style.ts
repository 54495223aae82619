import { type CSSResult, css } from 'lit';

export const keepStyles: CSSResult = css`
  dialog {
    width: min(42rem, calc(100vw - 2rem));
  }
  dialog > * + *,
  .ask > * + * {
    margin-top: 0.875rem;
  }
  .head {
    margin-bottom: 0;
  }
  [role='status'] {
    display: flex;
    gap: 0.5rem;
    overflow-wrap: anywhere;
  }
  [role='status']:empty {
    margin: 0;
  }
  .under,
  .actions,
  .acts {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .acts {
    flex: none;
    gap: 0.25rem;
  }
  progress {
    flex: 1;
    min-width: 6rem;
    accent-color: var(--accent);
  }
  .space {
    flex: 1;
  }
  .small {
    min-height: 2rem;
    padding: 0.125rem 0.625rem;
  }
  .runs,
  .stored {
    max-height: 16rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
  }
  .runs li,
  .stored li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 0.375rem 1rem;
    padding: 0.5rem 0.75rem;
  }
  .runs li + li,
  .stored li + li {
    border-top: 1px solid var(--line);
  }
  .file {
    background: var(--raised);
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.5rem 1rem;
  }
  dt {
    font-weight: 650;
  }
  details {
    flex: 1;
    min-width: 0;
  }
  dd {
    overflow-wrap: anywhere;
  }
  .check {
    grid-template-columns: auto 1fr;
    align-items: center;
  }
  label {
    display: grid;
    gap: 0.25rem;
  }
  label:not(.file) {
    justify-content: start;
    white-space: normal;
  }
  .danger {
    color: var(--bad);
    border-color: var(--bad);
    font-weight: 650;
  }
  .danger[aria-disabled='true'] {
    color: var(--soft);
    border-color: var(--line);
  }
`;
