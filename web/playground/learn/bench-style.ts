import { type CSSResult, css } from 'lit';

export const benchStyles: CSSResult = css`
  :host {
    container-type: inline-size;
  }
  section + section,
  .grants + section,
  .paper + section,
  .paper + sp-approval,
  sp-approval + section {
    margin-top: 1.25rem;
  }
  .held {
    display: grid;
    place-content: center;
    justify-items: center;
    gap: 2rem;
    min-height: min(24rem, 60vh);
    color: var(--soft);
  }
  p.held {
    gap: 0.625rem;
  }
  .held sp-strip {
    width: min(44rem, 100cqi);
  }
  .held p {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    font-size: 1.125rem;
  }
  .asking + section {
    margin-top: 1.25rem;
  }
  .asking .act label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2.25rem;
    cursor: pointer;
  }
  #held {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    min-height: 0;
    margin: 0;
    accent-color: var(--accent);
  }
  .starters {
    display: flex;
    flex-wrap: wrap;
    gap: 0.375rem;
    margin: 0.5rem 0;
  }
  .starters button {
    min-height: 2.25rem;
  }
  textarea {
    min-height: 7rem;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin-top: 0.625rem;
  }
  .noted {
    justify-content: space-between;
    margin: 0 0 0.75rem;
  }
  .grants {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1.25rem;
    min-width: 0;
    margin: 0;
    padding: 0.5rem 1rem 0.75rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius);
  }
  .grants label {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    min-height: 2rem;
  }
  .grants input {
    width: 1.25rem;
    min-height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .write {
    --code-height: 10rem;
    display: grid;
    gap: 0.5rem;
    justify-items: start;
  }
  .write sp-code {
    width: 100%;
  }
  .last {
    display: grid;
    gap: 0.75rem;
    padding-top: 1.25rem;
    border-top: 1px solid var(--line);
  }
  .last > * {
    min-width: 0;
  }
  .last h2 > span,
  .earlier li > span {
    overflow-wrap: anywhere;
  }
  .last h2 .bad,
  .last h2 .good {
    display: inline-flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
  }
  .last h2 .soft {
    font-weight: 400;
  }
  .earlier {
    display: grid;
    gap: 0.5rem;
    margin-top: 0.5rem;
  }
  .earlier li {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    align-items: center;
    gap: 0.75rem;
  }
  .earlier svg {
    vertical-align: text-bottom;
  }
  .todo {
    display: grid;
    gap: 0.5rem;
    margin: 0.5rem 0 0;
    padding-left: 1.5rem;
    list-style: decimal;
  }
  pre {
    max-height: 10rem;
  }
`;
