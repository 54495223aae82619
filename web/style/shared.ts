import { type CSSResult, css } from 'lit';

/**
 * Base styles of every view: box, text, focus, buttons, tones. Adopted as a sheet, so that a strict policy allows it.
 */
export const shared: CSSResult = css`
  :host {
    display: block;
    min-width: 0;
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  h1,
  h2,
  h3,
  p,
  ol,
  ul,
  dl,
  dd,
  figure,
  pre {
    margin: 0;
    padding: 0;
  }
  /* A character that would not be seen, written out (\`shown\`). */
  .hidden {
    border: 1px solid currentcolor;
    border-radius: 3px;
    color: var(--bad);
  }
  ol,
  ul {
    list-style: none;
  }
  h2,
  h3 {
    font-size: 1rem;
    font-weight: 650;
    line-height: 1.4;
  }
  :focus-visible {
    outline: 3px solid var(--focus);
    outline-offset: 2px;
  }
  /* The control that the guide speaks of. */
  [data-guided]:not(:focus-visible) {
    outline: 3px dashed var(--accent);
    outline-offset: 1px;
  }
  button,
  input,
  textarea,
  select {
    font: inherit;
    color: inherit;
  }
  a {
    color: var(--accent);
  }
  button,
  .file {
    display: inline-flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2.5rem;
    padding: 0.375rem 0.875rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
    cursor: pointer;
  }
  button {
    justify-content: center;
    background: var(--raised);
    white-space: nowrap;
    transition:
      background var(--ease),
      border-color var(--ease);
  }
  /* On a narrow screen a long word of another language needs a second line. */
  @media (max-width: 24rem) {
    button {
      white-space: normal;
    }
  }
  button:hover {
    background: var(--accent-wash);
    border-color: var(--accent);
  }
  button:disabled,
  button[aria-disabled='true'] {
    color: var(--soft);
    background: var(--sunk);
    border-color: var(--line);
    cursor: not-allowed;
  }
  button.primary {
    background: var(--accent);
    border-color: var(--accent);
    color: var(--on-accent);
    font-weight: 650;
  }
  button.primary:hover {
    background: var(--accent-strong);
  }
  button.primary:disabled,
  button.primary[aria-disabled='true'] {
    background: var(--sunk);
    border-color: var(--line);
    color: var(--soft);
  }
  button.plain {
    border-color: transparent;
    background: none;
  }
  button.plain:hover {
    background: var(--accent-wash);
  }
  /* A button to look at, an input to use. */
  .file {
    position: relative;
  }
  .file:hover {
    background: var(--accent-wash);
  }
  .file:focus-within {
    outline: 3px solid var(--focus);
    outline-offset: 2px;
  }
  .file input {
    position: absolute;
    inset: 0;
    opacity: 0;
    cursor: pointer;
  }
  input,
  select,
  textarea {
    width: 100%;
    min-height: 2.5rem;
    padding: 0.375rem 0.625rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
    background: var(--raised);
  }
  textarea {
    resize: vertical;
    font-family: var(--mono);
    line-height: 1.5;
  }
  ::placeholder {
    color: var(--soft);
    opacity: 1;
  }
  kbd {
    padding: 0 0.375rem;
    border: 1px solid var(--edge);
    border-radius: 4px;
    font: inherit;
    font-family: var(--mono);
  }
  summary {
    min-height: 2rem;
    padding: 0.25rem 0;
    cursor: pointer;
    font-weight: 650;
  }
  summary .soft {
    font-weight: 400;
  }
  svg.icon {
    flex: none;
    vertical-align: text-bottom;
    width: 1.25rem;
    height: 1.25rem;
  }
  .mono {
    font-family: var(--mono);
    font-variant-ligatures: none;
    overflow-wrap: anywhere;
  }
  .soft {
    color: var(--soft);
  }
  .good {
    color: var(--good);
  }
  .own {
    color: var(--accent);
  }
  .bad {
    color: var(--bad);
  }
  .wait {
    color: var(--wait);
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .badge {
    display: inline-flex;
    align-items: center;
    gap: 0.375rem;
    padding: 0.125rem 0.625rem;
    border: 1px solid currentcolor;
    border-radius: 99px;
    font-weight: 650;
    white-space: nowrap;
    vertical-align: middle;
  }
  .badge.good {
    background: var(--good-wash);
  }
  .badge.bad {
    background: var(--bad-wash);
  }
  .badge.wait {
    background: var(--wait-wash);
  }
  /* With the reader's own few colours, borders replace the washes and tints. */
  @media (forced-colors: active) {
    button:is(:disabled, [aria-disabled='true']) {
      border-color: GrayText !important;
      color: GrayText !important;
    }
    button.primary:not(:disabled, [aria-disabled='true']),
    button:is([aria-current='true'], [aria-current='page'], [aria-pressed='true'], [aria-selected='true']) {
      forced-color-adjust: none;
      border-color: Highlight !important;
      background: Highlight !important;
      color: HighlightText !important;
    }
    button:is([aria-current='true'], [aria-current='page'], [aria-pressed='true'], [aria-selected='true']) * {
      color: inherit !important;
    }
    ::placeholder {
      color: GrayText;
    }
  }
  /* Without a keyboard there is no key to name. */
  .touched {
    display: none;
  }
  @media (hover: none) and (pointer: coarse) {
    .keyed {
      display: none !important;
    }
    .touched {
      display: inline;
    }
  }
  @media (pointer: coarse) {
    button {
      min-height: 2.75rem;
    }
  }
`;
