import { type CSSResult, css } from 'lit';

/** The scoreboard over two columns: the attempts, and how each ended. */
export const breakoutStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    container-type: inline-size;
  }
  .board {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem 1rem;
    padding: 0.75rem 1.25rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .board h1 {
    font-size: 1.25rem;
    font-weight: 650;
    letter-spacing: -0.01em;
  }
  .score {
    flex: 1;
    min-width: 14rem;
  }
  .score strong {
    font-variant-numeric: tabular-nums;
  }
  progress {
    width: 10rem;
    height: 0.625rem;
    accent-color: var(--accent);
  }
  .columns {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: clamp(17rem, 32vw, 24rem) minmax(0, 1fr);
    gap: 0.75rem;
    padding: 0.75rem;
  }
  .list,
  article {
    min-height: 0;
    overflow-y: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .list {
    padding: 0.5rem;
  }
  .list h2 {
    padding: 0.5rem 0.75rem 0.25rem;
    color: var(--soft);
    font-weight: 600;
  }
  .list button {
    display: grid;
    grid-template-columns: 1.25rem minmax(0, 1fr) auto;
    gap: 0.625rem;
    width: 100%;
    min-height: 2.25rem;
    padding: 0.25rem 0.75rem;
    text-align: left;
    white-space: normal;
  }
  .list button[aria-current='true'] {
    background: var(--accent-wash);
    font-weight: 650;
  }
  .when {
    color: var(--soft);
    font-weight: 400;
    font-variant-numeric: tabular-nums;
  }
  article {
    display: grid;
    align-content: start;
    gap: 1rem;
    padding: 1.25rem 1.5rem 2rem;
  }
  article > * {
    min-width: 0;
    max-width: 60rem;
  }
  article header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 1rem;
  }
  article header h2 {
    flex: 1;
    font-size: 1.25rem;
  }
  .headline {
    display: flex;
    align-items: start;
    gap: 0.625rem;
    padding: 0.75rem 1rem;
    border: 1px solid currentcolor;
    border-radius: var(--radius-small);
    font-weight: 650;
  }
  .headline.good {
    background: var(--good-wash);
  }
  .headline.bad {
    background: var(--bad-wash);
  }
  .headline svg {
    margin-top: 0.125rem;
  }
  .headline p {
    color: var(--ink);
    overflow-wrap: anywhere;
  }
  .cost {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr));
    gap: 0.75rem 1.25rem;
  }
  .cost div {
    min-width: 0;
  }
  .cost dt {
    color: var(--soft);
  }
  .cost dd {
    font-size: 1.0625rem;
    font-variant-numeric: tabular-nums;
    overflow-wrap: anywhere;
  }
  pre {
    max-height: 22rem;
  }
  .console {
    max-height: 12rem;
  }
  .spin {
    animation: turn 900ms linear infinite;
  }
  @keyframes turn {
    to {
      transform: rotate(1turn);
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .spin {
      animation: none;
    }
  }
  @container (max-width: 47rem) {
    :host {
      display: block;
    }
    .columns {
      display: block;
      padding: 0;
    }
    .list,
    article {
      border-width: 0 0 1px;
      border-radius: 0;
    }
    .list {
      max-height: 17rem;
    }
    article {
      overflow: visible;
      padding: 1rem 1rem 2rem;
    }
  }
`;
