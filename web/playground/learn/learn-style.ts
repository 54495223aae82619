import { type CSSResult, css } from 'lit';

export const learnStyles: CSSResult = css`
  :host {
    height: 100%;
    overflow-y: auto;
    container-type: inline-size;
  }
  .learn {
    max-width: 68rem;
    margin: 0 auto;
    padding: 2rem 1.25rem 3rem;
  }
  header {
    display: grid;
    gap: 0.75rem;
    margin-bottom: 1.75rem;
  }
  header > p:not(.act) {
    max-width: 46rem;
  }
  .space {
    flex: 1;
  }
  h1 {
    font-size: 1.75rem;
    font-weight: 700;
    letter-spacing: -0.02em;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
  }
  ol {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr));
    gap: 0.75rem;
  }
  li button {
    align-items: start;
    justify-content: start;
    gap: 1rem;
    width: 100%;
    height: 100%;
    padding: 0.875rem 1rem;
    border-color: var(--line);
    border-radius: var(--radius);
    background: var(--panel);
    text-align: left;
    white-space: normal;
  }
  .number {
    flex: none;
    display: grid;
    place-items: center;
    width: 2.5rem;
    height: 2.5rem;
    border: 2px solid var(--edge);
    border-radius: 50%;
    font-weight: 700;
    font-variant-numeric: tabular-nums;
  }
  .done .number {
    border-color: var(--good);
    background: var(--good-wash);
    color: var(--good);
  }
  .what {
    display: grid;
    gap: 0.125rem;
  }
  .goal {
    margin-bottom: 0.25rem;
  }
  @media print {
    :host {
      height: auto;
      overflow: visible;
    }
  }
`;
