import { type CSSResult, css } from 'lit';

/** The draft on the left, trying it on the right; below each other where there is no room. */
export const workshopStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    container-type: inline-size;
  }
  .bar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    padding: 0.75rem 1.25rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .bar h1 {
    font-size: 1.25rem;
    font-weight: 650;
    overflow-wrap: anywhere;
  }
  .bar .space {
    flex: 1;
  }
  .bar select {
    width: auto;
    max-width: 12rem;
  }
  .hash {
    flex: 1 0 100%;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 0.5rem;
    min-height: 2.25rem;
    color: var(--soft);
    overflow-wrap: anywhere;
  }
  .hash button {
    min-height: 2.25rem;
    padding: 0.125rem 0.5rem;
    color: var(--accent);
  }
  .columns {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: minmax(0, 3fr) minmax(0, 2fr);
    gap: 0.75rem;
    padding: 0.75rem;
  }
  .pane {
    min-height: 0;
    overflow-y: auto;
    padding: 1rem 1.25rem 2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  @container (max-width: 60rem) {
    :host {
      display: block;
      overflow-y: auto;
    }
    .columns {
      display: block;
      padding: 0;
    }
    .pane {
      overflow: visible;
      border-width: 0 0 1px;
      border-radius: 0;
    }
  }
`;
