import { type CSSResult, css } from 'lit';

/** A card in the page's own layout: it lies over no control. */
export const guideStyles: CSSResult = css`
  section {
    display: flex;
    flex-direction: column;
    gap: 0.5rem;
    height: 100%;
    padding: 0.75rem 1rem 0.75rem 1.25rem;
    border: 1px solid var(--accent);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .head {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: 0 0.75rem;
  }
  h2:focus-visible {
    border-radius: var(--radius-small);
  }
  .text {
    flex: 1;
    max-width: 40rem;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .actions button {
    min-height: 2.25rem;
  }
  /* On a phone the three buttons share a line. */
  @media (max-width: 24rem) {
    section {
      padding: 0.75rem;
    }
    .actions {
      gap: 0.25rem;
    }
    .actions button {
      padding-inline: 0.5rem;
    }
    .actions svg {
      display: none;
    }
  }
  @media (pointer: coarse) {
    .actions button {
      min-height: 2.75rem;
    }
  }
  @media print {
    section {
      display: none;
    }
  }
`;
