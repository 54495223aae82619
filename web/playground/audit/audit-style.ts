import { type CSSResult, css } from 'lit';

export const auditStyles: CSSResult = css`
  :host {
    height: 100%;
    overflow-y: auto;
    container-type: inline-size;
  }
  .audit {
    display: grid;
    grid-template-columns: minmax(0, 1fr) minmax(0, 2fr);
    align-items: start;
    gap: 0.75rem;
    padding: 0 0.75rem 2rem;
  }
  header,
  .bar {
    grid-column: 1 / -1;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.75rem;
    margin: 0 -0.75rem;
    padding: 0.75rem 1.25rem 0;
    background: var(--panel);
  }
  .bar {
    justify-content: space-between;
    position: sticky;
    top: 0;
    z-index: 2;
    margin-top: -0.75rem;
    padding: 0.25rem 1.25rem 0.75rem;
    border-bottom: 1px solid var(--line);
  }
  sp-import {
    display: contents;
  }
  h1 {
    font-size: 1.25rem;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  .space {
    flex: 1;
  }
  .hashes {
    overflow-wrap: anywhere;
  }
  .verdict {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 1.75rem;
    font-size: 1.125rem;
    font-weight: 650;
  }
  .card,
  .empty {
    display: grid;
    gap: 0.75rem;
    min-width: 0;
    padding: 1.25rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .bar.bare {
    padding: 0;
  }
  .bare .verdict {
    min-height: 0.75rem;
  }
  .empty {
    grid-column: 1 / -1;
    justify-items: center;
    padding: 3rem 1.5rem;
    border-style: dashed;
    border-color: var(--edge);
    background: none;
  }
  .empty > svg {
    width: 2.75rem;
    height: 2.75rem;
    color: var(--accent);
  }
  .empty h2 {
    font-size: 1.25rem;
    text-align: center;
  }
  .empty > p {
    max-width: 36rem;
    text-align: center;
  }
  .empty h3 {
    margin-top: 0.75rem;
  }
  .empty :is(.runs, .filter, .filter input) {
    width: min(44rem, 100%);
  }
  .empty .runs {
    max-height: 34rem;
    overflow-y: auto;
  }
  .empty .row {
    height: 6.75rem;
    padding-bottom: 0.5rem;
  }
  .empty .row button {
    justify-content: space-between;
    width: 100%;
    height: 100%;
  }
  .card > * {
    min-width: 0;
  }
  .card p {
    overflow-wrap: anywhere;
  }
  .card p svg {
    vertical-align: -0.25rem;
  }
  .anchor {
    display: grid;
    gap: 0.25rem;
  }
  sp-happened + .card {
    grid-column: 1 / -1;
  }
  .under {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
  }
  .under progress {
    width: 12rem;
    max-width: 100%;
  }
  .tools {
    display: flex;
    flex: 1 0 100%;
    flex-wrap: wrap;
    align-items: center;
    margin-top: 0.375rem;
    padding: 0.1875rem;
    border-radius: var(--radius-small);
    background: var(--sunk);
  }
  .tools strong {
    padding: 0 0.75rem;
    color: var(--soft);
    font-weight: 400;
  }
  .tools button {
    min-height: 2.25rem;
    padding: 0.25rem 0.625rem;
    border-color: transparent;
  }
  .tools button:hover {
    background: var(--accent-wash);
  }
  .tools .last {
    background: var(--raised);
    box-shadow: var(--shadow);
    color: var(--bad);
  }
  @container (max-width: 52rem) {
    .audit {
      display: block;
      padding: 0 0 2rem;
    }
    header,
    .bar {
      margin: 0;
      padding: 0.5rem 0.75rem;
    }
    .bar.bare {
      padding: 0;
    }
    .empty {
      padding: 2rem 1rem;
    }
    .card,
    .empty {
      margin-top: 0.75rem;
      border-width: 1px 0;
      border-radius: 0;
    }
    .card {
      padding: 1rem;
    }
    /* Only the verdict stays in sight: the tools take as many lines as they need, and go with the page. */
    .bar {
      display: contents;
    }
    .bar > * {
      padding: 0.25rem 0.75rem;
      background: var(--panel);
    }
    .verdict {
      position: sticky;
      top: 0;
      z-index: 2;
      min-height: 2.75rem;
      border-bottom: 1px solid var(--line);
    }
    .bare .verdict:empty {
      display: none;
    }
    .tools {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr));
      margin: 0;
      padding: 0.5rem 0.75rem;
      border-bottom: 1px solid var(--line);
      border-radius: 0;
      background: var(--sunk);
    }
    .tools strong,
    .tools .space {
      grid-column: 1 / -1;
      padding: 0 0.25rem;
    }
    .tools .space {
      display: none;
    }
    .tools button {
      justify-content: start;
      text-align: start;
      white-space: normal;
    }
    h1 {
      font-size: 1.125rem;
    }
    header .space {
      flex-basis: 100%;
    }
    .file {
      flex: none;
    }
  }
  /* In the pane of a lesson the buttons keep their words, and take a second line. */
  @container (max-width: 34rem) {
    header .word {
      position: absolute;
      width: 1px;
      height: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    header button {
      min-width: 2.75rem;
      padding: 0.25rem;
    }
  }
`;
