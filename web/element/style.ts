import { type CSSResult, css } from 'lit';

/** Names of the colours and sizes, for the element and for a card that stands alone. */
export const tokens: CSSResult = css`
  --fg: var(--sallyport-fg, light-dark(#12181d, #e7ecef));
  --bg: var(--sallyport-bg, light-dark(#fff, #161b1f));
  --muted: var(--sallyport-muted, light-dark(#4b5761, #a5b1ba));
  --line: var(--sallyport-line, light-dark(#dbe0e5, #2a3238));
  --accent: var(--sallyport-accent, light-dark(#0a5c78, #7cd0ea));
  --on-accent: var(--sallyport-on-accent, light-dark(#fff, #06212b));
  --ok: var(--sallyport-ok, light-dark(#1a6b41, #76d3a0));
  --wait: var(--sallyport-wait, light-dark(#7c4d00, #f0bf63));
  --wait-wash: var(--sallyport-wait-wash, light-dark(#fdf1dc, #33260d));
  --bad: var(--sallyport-bad, light-dark(#b0231c, #ff958a));
  --radius: var(--sallyport-radius, 8px);
  --gap: var(--sallyport-gap, 0.75rem);
  --mono: var(--sallyport-mono, ui-monospace, Menlo, Consolas, monospace);
`;

/** Buttons and the focus, of the element and of a card that stands alone. */
export const buttonStyles: CSSResult = css`
  button {
    min-height: 2.75rem;
    padding: 0.375rem 1rem;
    border: 1px solid var(--muted);
    border-radius: var(--radius);
    background: var(--bg);
    color: var(--fg);
    font: inherit;
    cursor: pointer;
  }
  button.primary {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--on-accent);
  }
  button[aria-disabled='true'] {
    border-color: var(--line);
    background: var(--bg);
    color: var(--muted);
    cursor: not-allowed;
  }
  :focus-visible {
    outline: 3px solid var(--accent);
    outline-offset: 2px;
  }
`;

/** Colours and sizes a page may set as `--sallyport-…`; adopted as a sheet, so the strictest style policy allows it. */
export const runStyles: CSSResult = css`
  :host {
    ${tokens}
    display: block;
    container-type: inline-size;
    padding: var(--gap);
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--bg);
    color: var(--fg);
    font-family: var(--sallyport-font, system-ui, sans-serif);
    line-height: 1.5;
    color-scheme: light dark;
  }
  :host([theme='light']) {
    color-scheme: light;
  }
  :host([theme='dark']) {
    color-scheme: dark;
  }
  :host([hidden]) {
    display: none;
  }
  :host([mode='frame']) {
    padding: 0;
  }
  iframe {
    display: block;
    width: 100%;
    height: var(--sallyport-frame-height, 36rem);
    border: 0;
    border-radius: var(--radius);
  }
  header,
  .controls {
    display: flex;
    flex-wrap: wrap;
    align-items: baseline;
    gap: var(--gap);
  }
  header p {
    flex: 1 1 14rem;
    margin: 0;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  p,
  ol {
    margin: var(--gap) 0;
    padding: 0;
    list-style: none;
  }
  .saying {
    max-height: 8rem;
    overflow: auto;
    overflow-wrap: anywhere;
    white-space: pre-wrap;
    color: var(--muted);
    font-family: monospace;
    font-size: 0.8125rem;
  }
  .asking {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    font-variant-numeric: tabular-nums;
  }
  .gates {
    display: flex;
    flex-wrap: wrap;
    gap: 3px;
  }
  .gates li {
    flex: 1;
    padding-top: 0.25rem;
    border-top: 4px solid var(--line);
    color: var(--muted);
    font-size: 0.75rem;
    white-space: nowrap;
  }
  .gates li:nth-child(7) {
    margin-left: 0.75rem;
  }
  .gates .passed {
    border-top-color: var(--ok);
    color: var(--ok);
  }
  .gates .skipped {
    border-top-style: dotted;
  }
  .gates .stopped {
    border-top-width: 8px;
    border-top-color: var(--bad);
    color: var(--bad);
  }
  .gates .waiting,
  .gates .running {
    border-top-color: var(--wait);
    color: var(--wait);
  }
  .records {
    max-height: 18rem;
    overflow: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
  }
  .records li {
    display: grid;
    grid-template-columns: 3rem 8rem 1fr;
    gap: 0.5rem;
    padding: 0.25rem var(--gap);
    border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere;
  }
  .records button {
    min-height: 1.75rem;
    padding: 0 0.5rem;
  }
  .records li:last-child {
    border-bottom: 0;
  }
  .muted,
  .records .seq {
    color: var(--muted);
  }
  .good {
    color: var(--ok);
  }
  .bad {
    color: var(--bad);
  }
  .wait {
    color: var(--wait);
  }
  .verdict {
    font-weight: 650;
  }
  .message {
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  .held {
    display: inline-block;
    max-width: 100%;
    max-height: 14rem;
    padding: 0 0.4em;
    overflow: auto;
    border: 1px dashed var(--muted);
    border-radius: var(--radius);
    background: var(--line);
    vertical-align: bottom;
    overflow-wrap: anywhere;
  }
  .handle {
    font-family: var(--mono);
    font-size: 0.8em;
    color: var(--muted);
  }
  ${buttonStyles}
  @container (max-width: 34rem) {
    /* Two rows, a row for each door, so that every gate keeps its name. */
    .gates::before {
      content: '';
      order: 1;
      flex-basis: 100%;
    }
    .gates li:nth-child(n + 7) {
      order: 2;
      margin-left: 0;
    }
    .records li {
      grid-template-columns: 2rem 1fr;
    }
    .records li span:last-child {
      grid-column: 2;
    }
  }
  @container (max-width: 22rem) {
    .gates li {
      font-size: 0.625rem;
    }
  }
  @media (forced-colors: active) {
    button[aria-disabled='true'] {
      border-color: GrayText;
      color: GrayText;
    }
    .gates li {
      border-top-color: CanvasText;
    }
  }
`;
