import { type CSSResult, css } from 'lit';

/** Styles of every dialog of the page. */
export const dialogStyles: CSSResult = css`
  dialog {
    width: min(34rem, calc(100vw - 2rem));
    max-height: calc(100dvh - 3rem);
    padding: 1.5rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius);
    background: var(--panel);
    color: var(--ink);
    box-shadow: var(--lift);
  }
  dialog::backdrop {
    background: rgb(8 12 15 / 45%);
  }
  .head {
    display: flex;
    align-items: center;
    justify-content: space-between;
    margin-bottom: 0.75rem;
  }
  h2 {
    font-size: 1.25rem;
  }
`;
