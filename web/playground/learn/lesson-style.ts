import { type CSSResult, css } from 'lit';

export const lessonStyles: CSSResult = css`
  :host {
    height: 100%;
    container-type: inline-size;
  }
  .lesson {
    display: flex;
    flex-direction: column;
    height: 100%;
  }
  .way {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.75rem;
    padding: 0.5rem 0.75rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .space {
    flex: 1;
  }
  .columns {
    flex: 1;
    min-height: 0;
    display: grid;
    grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
    gap: 0.75rem;
    padding: 0.75rem;
  }
  .pane {
    min-height: 0;
    overflow-y: auto;
    padding: 1.25rem 1.5rem 2rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  h1 {
    font-size: 1.5rem;
    font-weight: 700;
    letter-spacing: -0.015em;
  }
  .goal {
    margin-top: 0.5rem;
    font-size: 1.0625rem;
  }
  .predict {
    display: grid;
    gap: 0.25rem;
    min-width: 0;
    margin: 1.25rem 0 0;
    padding: 0.875rem 1rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius);
  }
  .predict legend {
    padding: 0 0.375rem;
    font-weight: 650;
  }
  .predict label {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2.25rem;
  }
  .predict input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .predict .right {
    color: var(--good);
    font-weight: 650;
  }
  section > h2 {
    display: flex;
    align-items: center;
    gap: 0.5rem;
    margin: 1.5rem 0 0.5rem;
    font-size: 1.0625rem;
  }
  .tasks {
    display: grid;
    gap: 0.625rem;
  }
  .tasks li {
    display: flex;
    gap: 0.75rem;
  }
  .tasks li div {
    flex: 1;
    min-width: 0;
  }
  .mark {
    flex: none;
    display: grid;
    place-items: center;
    width: 1.625rem;
    height: 1.625rem;
    border: 2px solid var(--edge);
    border-radius: 50%;
    color: var(--soft);
  }
  .mark svg {
    width: 1rem;
    height: 1rem;
  }
  .done .mark {
    border-color: var(--good);
    background: var(--good-wash);
    color: var(--good);
  }
  .tasks summary {
    min-height: 1.75rem;
    padding: 0.125rem 0;
    color: var(--soft);
    font-weight: 400;
  }
  .solved {
    margin-top: 1.5rem;
    padding: 0 1rem 1rem;
    border: 1px solid var(--good);
    border-radius: var(--radius);
    background: var(--good-wash);
  }
  .solved h2 {
    margin: 1rem 0 0.375rem;
    color: var(--good);
  }
  .act {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    margin-top: 0.75rem;
  }
  @container (max-width: 56rem) {
    .lesson {
      display: block;
      height: auto;
    }
    .columns {
      display: block;
      padding: 0;
    }
    .turn {
      scroll-margin-top: 40vh;
    }
    .pane {
      overflow: visible;
      padding: 1rem 1rem 1.5rem;
      border-width: 0 0 1px;
      border-radius: 0;
    }
  }
  /* On paper a lesson is a worksheet: the question, and circles to tick. */
  @media print {
    .way,
    .pane + .pane,
    .tasks details,
    .mark svg {
      display: none;
    }
    .lesson,
    .columns {
      display: block;
      height: auto;
      padding: 0;
    }
    .pane {
      padding: 0;
      border: 0;
    }
    .tasks li {
      break-inside: avoid;
      min-height: 4rem;
    }
  }
`;
