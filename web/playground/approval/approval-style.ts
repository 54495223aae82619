import { type CSSResult, css } from 'lit';

export const approvalStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    container-type: inline-size;
  }
  section {
    display: flex;
    flex-direction: column;
    gap: 0.625rem;
    min-height: 0;
    padding: 1rem 1.25rem 1.25rem;
    border: 1px solid var(--wait);
    border-radius: var(--radius);
    background: var(--panel);
    box-shadow: inset 0 4px 0 var(--wait), var(--shadow);
  }
  h2 {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.375rem;
    padding-top: 0.25rem;
    font-size: 1.125rem;
  }
  .body {
    display: grid;
    flex: 1 1 auto;
    gap: 0.625rem;
    min-height: 4rem;
    overflow-y: auto;
    --json-height: none;
  }
  /* In sight when the end of the arguments is. */
  #end {
    min-height: 1px;
  }
  h2 > .wait {
    display: inline-flex;
  }
  .digest {
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .warn {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    font-weight: 650;
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
    align-items: center;
  }
  .actions button {
    padding-inline: 0.75rem;
  }
  .scope {
    display: grid;
    gap: 0.125rem;
    color: var(--soft);
  }
  #approve {
    margin-left: auto;
  }
  @container (max-width: 26rem) {
    section {
      padding: 0.75rem 1rem 1rem;
    }
    .actions {
      gap: 0.25rem;
    }
    .actions button {
      padding-inline: 0.625rem;
    }
  }
  /* Too low for the question and the answers at once, as with large text: the card scrolls as a whole. */
  @media (max-height: 30rem) and (max-width: 47rem) {
    section {
      flex: none;
    }
    .body {
      overflow: visible;
    }
  }
  form {
    display: grid;
    gap: 0.5rem;
  }
`;
