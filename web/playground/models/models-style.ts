import { type CSSResult, css } from 'lit';

export const modelsStyles: CSSResult = css`
  fieldset {
    margin: 0 0 0.75rem;
    padding: 0;
    border: 0;
  }
  legend {
    padding: 0;
    font-weight: 650;
  }
  label.kind {
    display: flex;
    gap: 0.625rem;
    align-items: baseline;
    padding: 0.25rem 0;
    cursor: pointer;
  }
  label.kind input,
  label.switch input {
    flex: none;
    width: 1.125rem;
    height: 1.125rem;
    min-height: 0;
    margin: 0;
    align-self: start;
    translate: 0 0.2rem;
    accent-color: var(--accent);
  }
  label.kind .soft {
    display: block;
  }
  label.switch {
    display: flex;
    gap: 0.625rem;
    align-items: baseline;
    margin-top: 0.5rem;
    cursor: pointer;
  }
  section {
    display: grid;
    gap: 0.5rem;
    margin-bottom: 1rem;
  }
  sp-said {
    margin-top: 1rem;
  }
  h3 {
    margin-bottom: 0.25rem;
  }
  p:has(> svg.icon:first-child) {
    display: flex;
    gap: 0.375rem;
    align-items: start;
  }
  p:has(> svg.icon:first-child) svg {
    margin-top: 0.125rem;
  }
  .loaded {
    display: inline-flex;
    gap: 0.25rem;
    align-items: center;
  }
  .which {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.75rem;
    margin-bottom: 0.5rem;
    overflow-wrap: anywhere;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem;
    margin-top: 0.5rem;
  }
  .drop {
    display: grid;
    gap: 0.5rem;
    justify-items: start;
    padding: 0.75rem;
    border: 1px dashed var(--edge);
    border-radius: var(--radius-small);
  }
  .drop.over {
    border-color: var(--accent);
    background: var(--accent-wash);
  }
  ul.files {
    margin-bottom: 0.5rem;
  }
  .drop + p {
    margin-top: 0.5rem;
  }
  ul.files li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
    padding: 0.375rem 0;
    border-bottom: 1px solid var(--line);
    overflow-wrap: anywhere;
  }
  ul.files .name {
    flex: 1 1 9rem;
    min-width: 0;
  }
  button.small {
    min-height: 2rem;
    padding: 0.125rem 0.625rem;
  }
  .ask {
    flex-basis: 100%;
    padding: 0.625rem;
    border: 1px solid var(--wait);
    border-radius: var(--radius-small);
    background: var(--wait-wash);
  }
  .under {
    display: grid;
    gap: 0.375rem;
    justify-items: start;
  }
  progress {
    display: block;
    width: 100%;
    height: 0.5rem;
    accent-color: var(--accent);
  }
  pre {
    max-height: 14rem;
    margin: 0.375rem 0;
  }
  ol.said > li {
    padding: 0.5rem 0;
    border-top: 1px solid var(--line);
  }
  ol.said pre {
    max-height: none;
  }
  .beside {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
    gap: 0.5rem;
    margin: 0.5rem 0;
  }
  sp-elapsed {
    display: inline;
    white-space: nowrap;
  }
  .beside > * {
    min-width: 0;
    padding: 0.625rem 0.75rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    overflow-wrap: anywhere;
  }
  .beside .value {
    border-color: var(--good);
    background: var(--good-wash);
  }
  dt {
    font-weight: 650;
  }
`;
