import { type CSSResult, css } from 'lit';

/** A note about something that a link brought, with its buttons. */
export const noteStyles: CSSResult = css`
  .note {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.5rem 0.75rem;
    padding: 0.75rem 1rem;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .note button {
    white-space: normal;
  }
  .note p {
    flex: 1 1 16rem;
    overflow-wrap: anywhere;
  }
`;
