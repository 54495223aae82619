import { type CSSResult, css } from 'lit';

export const galleryStyles: CSSResult = css`
  dialog {
    width: min(62rem, calc(100vw - 2rem));
    overflow-y: auto;
  }
  .cards {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(17rem, 100%), 1fr));
    gap: 0.75rem;
    margin-top: 1rem;
  }
  .card {
    display: flex;
    flex-direction: column;
    gap: 0.5rem;
    min-width: 0;
    padding: 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    overflow-wrap: anywhere;
  }
  .card.open {
    border-color: var(--accent);
    box-shadow: inset 0 0 0 1px var(--accent);
  }
  h3 {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 0.5rem;
  }
  h3 .soft {
    font-weight: 400;
  }
  .names {
    font-size: 0.8125rem;
  }
  .stopped {
    display: flex;
    gap: 0.5rem;
  }
  .stopped svg {
    flex: none;
    margin-top: 0.125rem;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    margin-top: auto;
    padding-top: 0.25rem;
  }
  .told {
    min-height: 1.5rem;
    margin-top: 0.75rem;
    overflow-wrap: anywhere;
  }
`;
