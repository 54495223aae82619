import { type CSSResult, css } from 'lit';

export const reviewStyles: CSSResult = css`
  :host {
    height: 100%;
    overflow-y: auto;
  }
  .review {
    display: grid;
    gap: 1.25rem;
    max-width: 56rem;
    margin: 0 auto;
    padding: 1.5rem 1.25rem 3rem;
  }
  .review > * {
    min-width: 0;
  }
  h1 {
    font-size: 1.5rem;
    font-weight: 650;
    letter-spacing: -0.015em;
    overflow-wrap: anywhere;
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  h2 .soft {
    font-weight: 400;
  }
  .headline {
    display: flex;
    gap: 0.625rem;
    padding: 0.75rem 1rem;
    border: 1px solid currentcolor;
    border-radius: var(--radius-small);
    font-weight: 650;
  }
  .headline span {
    overflow-wrap: anywhere;
  }
  .headline.wait {
    background: var(--wait-wash);
  }
  .headline.bad {
    background: var(--bad-wash);
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.375rem 1.25rem;
  }
  dt {
    color: var(--soft);
  }
  dd {
    overflow-wrap: anywhere;
  }
  sp-json + sp-json {
    display: block;
    margin-top: 0.5rem;
  }
  pre {
    max-height: 30rem;
  }
`;
