import { type CSSResult, css } from 'lit';

export const composerStyles: CSSResult = css`
  :host {
    --json-height: 14rem;
  }
  fieldset {
    display: flex;
    min-width: 0;
    margin: 0 0 0.5rem;
    padding: 0;
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
    overflow: hidden;
  }
  legend {
    float: left;
    padding: 0;
  }
  label.choice {
    position: relative;
    flex: 1;
    display: flex;
    align-items: center;
    justify-content: center;
    min-height: 2.5rem;
    cursor: pointer;
  }
  label.choice + label.choice {
    border-left: 1px solid var(--edge);
  }
  label.choice input {
    position: absolute;
    inset: 0;
    width: 100%;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  label.choice:has(:checked) {
    background: var(--accent);
    color: var(--on-accent);
    font-weight: 650;
  }
  label.choice:has(:focus-visible) {
    outline: 3px solid var(--focus);
    outline-offset: -3px;
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  #wire {
    margin-top: 1.5rem;
  }
  label.choice:has(:disabled) {
    color: var(--soft);
    cursor: not-allowed;
  }
  .off-task {
    margin-bottom: 1rem;
    padding: 0.75rem;
    border: 1px solid var(--wait);
    border-radius: var(--radius-small);
    background: var(--wait-wash);
  }
  .hint {
    margin-bottom: 0.75rem;
  }
  textarea {
    min-height: 10rem;
  }
  #forecast {
    min-height: 1.5rem;
    overflow-wrap: anywhere;
  }
  #say {
    min-height: 4.75rem;
    font-family: inherit;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-top: 0.5rem;
  }
  h3 {
    margin-bottom: 0.375rem;
  }
  @media (forced-colors: active) {
    label.choice:has(:checked) {
      outline: 3px solid Highlight;
      outline-offset: -3px;
    }
  }
`;
