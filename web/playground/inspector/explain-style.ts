import { type CSSResult, css } from 'lit';

export const explainStyles: CSSResult = css`
  :host {
    display: grid;
    gap: 1.25rem;
    grid-template-columns: minmax(0, 1fr);
  }
  h3 {
    margin-bottom: 0.375rem;
  }
  .headline {
    display: flex;
    gap: 0.625rem;
    font-size: 1.0625rem;
  }
  .headline svg {
    margin-top: 0.1875rem;
  }
  .headline span {
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .remedy {
    margin-top: 0.75rem;
  }
  .caption {
    margin-top: 0.5rem;
    color: var(--soft);
  }
  .label {
    border-color: var(--edge);
    font-weight: 400;
  }
  blockquote {
    margin: 0;
    padding-left: 0.875rem;
    border-left: 3px solid var(--line);
    overflow-wrap: anywhere;
  }
  .beside {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr));
    gap: 0.75rem 1.5rem;
  }
  .gates li {
    position: relative;
    display: grid;
    grid-template-columns: 1.5rem 1.5rem minmax(0, 1fr);
    gap: 0 0.5rem;
    padding: 0.3125rem 0.5rem;
    border-radius: var(--radius-small);
    color: var(--soft);
  }
  .gates li:nth-child(7) {
    margin-top: 0.5rem;
    border-top: 2px solid var(--line);
    border-radius: 0;
    padding-top: 0.8125rem;
  }
  .icon-cell {
    display: flex;
    padding-top: 0.125rem;
  }
  .n {
    font-family: var(--mono);
    text-align: right;
  }
  .what strong {
    color: var(--ink);
    font-weight: 650;
  }
  .what {
    overflow-wrap: anywhere;
  }
  .question {
    display: block;
  }
  .passed .icon-cell {
    color: var(--good);
  }
  .passed .state {
    color: var(--good);
  }
  .gates .stopped {
    background: var(--bad-wash);
    color: var(--ink);
  }
  .stopped .icon-cell,
  .stopped .state,
  .stopped .what strong {
    color: var(--bad);
  }
  .gates .waiting {
    background: var(--wait-wash);
    color: var(--ink);
  }
  .waiting .icon-cell,
  .waiting .state,
  .waiting .what strong {
    color: var(--wait);
  }
  .never .what strong,
  .ahead .what strong {
    color: var(--soft);
    font-weight: 400;
  }
  .never .question {
    display: none;
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.375rem 1.25rem;
  }
  dt {
    color: var(--soft);
  }
  @media print {
    .remedy,
    .fork {
      display: none;
    }
  }
`;
