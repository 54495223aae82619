import { type CSSResult, css } from 'lit';

/** A list on the left, its selected item on the right; stacked where there is no room. */
export const browseStyles: CSSResult = css`
  :host {
    height: 100%;
    container-type: inline-size;
  }
  .browse {
    display: grid;
    grid-template-columns: clamp(16rem, 28vw, 20rem) minmax(0, 1fr);
    gap: 0.75rem;
    height: 100%;
    padding: 0.75rem;
  }
  nav,
  article {
    min-height: 0;
    overflow-y: auto;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  nav {
    padding: 0.5rem;
  }
  nav button {
    justify-content: space-between;
    width: 100%;
    white-space: normal;
    text-align: left;
  }
  nav button .mono {
    flex: 1;
  }
  nav button span {
    overflow-wrap: anywhere;
  }
  nav h2 {
    margin: 0;
    padding: 0.625rem 0.875rem 0.25rem;
    color: var(--soft);
  }
  nav ul + h2 {
    margin-top: 0.375rem;
    border-top: 1px solid var(--line);
  }
  nav button[aria-current='true'] {
    background: var(--accent-wash);
    color: var(--accent);
    font-weight: 650;
  }
  article {
    display: grid;
    align-content: start;
    gap: 1.25rem;
    padding: 1.25rem 1.5rem 2rem;
  }
  article > * {
    min-width: 0;
    max-width: 60rem;
  }
  header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
  }
  h1 {
    font-size: 1.25rem;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  h2 {
    margin-bottom: 0.375rem;
  }
  dl {
    display: grid;
    grid-template-columns: max-content minmax(0, 1fr);
    gap: 0.375rem 1.25rem;
  }
  dt {
    color: var(--soft);
  }
  .note {
    display: block;
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    gap: 0.5rem;
  }
  .empty {
    padding: 2rem;
  }
  @container (max-width: 47rem) {
    .browse {
      display: block;
      height: auto;
      padding: 0;
    }
    nav,
    article {
      overflow: visible;
      border-width: 0 0 1px;
      border-radius: 0;
    }
    /* High enough to show that the list goes on; the selected item follows right below. */
    nav {
      max-height: 14.5rem;
      overflow-y: auto;
    }
  }
`;
