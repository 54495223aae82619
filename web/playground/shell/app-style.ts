import { type CSSResult, css } from 'lit';

/** Wide: three columns. Middle: two, the setup first. Narrow: a single column, with tabs at the bottom. */
export const appStyles: CSSResult = css`
  :host {
    container: app / inline-size;
  }
  .frame {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr) auto;
    height: 100dvh;
    min-height: 40rem;
  }
  .top {
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  /* Its place is part of the first drawing, so that nothing moves when its code has loaded. */
  sp-named {
    display: block;
    min-height: 5.5rem;
    padding: 0 0.75rem 0.75rem;
  }
  footer {
    border-top: 1px solid var(--line);
    background: var(--panel);
  }
  .whole {
    min-height: 0;
    overflow: hidden;
  }
  .run-view {
    display: grid;
    grid-template-columns:
      minmax(16rem, var(--left, 24rem)) 1rem minmax(20rem, 1fr) 1rem
      minmax(20rem, var(--right, 1.15fr));
    grid-template-rows: auto minmax(0, 1fr);
    grid-template-areas: 'run run run run run' 'left one timeline two inspector';
    row-gap: 0.75rem;
    min-height: 0;
    padding: 0 0.75rem 0.75rem;
  }
  .run {
    grid-area: run;
    margin: 0 -0.75rem;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
  }
  .strip {
    padding: 0 1.25rem 0.75rem;
  }
  .strip p {
    display: flex;
    flex-wrap: wrap;
    gap: 0 0.625rem;
    margin-bottom: 0.5rem;
  }
  .strip .outcome {
    font-weight: 650;
  }
  .strip .badge {
    border-color: var(--edge);
    font-weight: 400;
  }
  .setup,
  .timeline,
  .inspector {
    min-height: 0;
    overflow: hidden;
    border: 1px solid var(--line);
    border-radius: var(--radius);
    background: var(--panel);
  }
  .setup {
    flex: 1 1 auto;
    overflow-y: auto;
  }
  /* As wide as a finger wants it, over a gap that is not. */
  sp-splitter {
    grid-area: one;
    margin: 0 -0.25rem;
  }
  sp-splitter[edge='right'] {
    grid-area: two;
  }
  .timeline {
    grid-area: timeline;
  }
  .inspector {
    grid-area: inspector;
  }
  sp-timeline,
  sp-inspector {
    height: 100%;
  }
  /* Its place is part of the first drawing, so that nothing moves when its code has loaded. */
  sp-guide {
    display: block;
    grid-area: guide;
    min-height: 9.25rem;
  }
  .run-view:has(sp-guide) {
    grid-template-rows: auto minmax(0, 1fr) auto;
    grid-template-areas: 'run run run run run' 'left one timeline two inspector' 'left one timeline two guide';
  }
  .left {
    grid-area: left;
    display: flex;
    flex-direction: column;
    min-height: 0;
  }
  .card {
    max-height: 100%;
  }
  /* While a question waits, no proposal can be sent: the question stands in the proposer's place. */
  .left:has(.card:not([hidden])) .setup {
    display: none;
  }
  .columns {
    display: none;
  }
  @container app (max-width: 76rem) {
    .frame {
      min-height: 46rem;
    }
    .run-view {
      grid-template-columns: minmax(19rem, 1fr) 1rem minmax(19rem, var(--right, 1.1fr));
      grid-template-rows: auto minmax(0, 1fr) minmax(0, 1fr);
      grid-template-areas: 'run run run' 'left two inspector' 'timeline two inspector';
    }
    sp-splitter[edge='left'] {
      display: none;
    }
    sp-named {
      min-height: 7rem;
    }
  }
  @container app (max-width: 76rem) {
    .run-view:has(sp-guide) {
      grid-template-rows: auto minmax(0, 1fr) minmax(0, 1fr) auto;
      grid-template-areas: 'run run run' 'left two inspector' 'timeline two inspector' 'timeline two guide';
    }
    .run-view:has(.card:not([hidden])) {
      grid-template-rows: auto minmax(22rem, 3fr) minmax(8rem, 2fr);
    }
    .run-view:has(sp-guide):has(.card:not([hidden])) {
      grid-template-rows: auto minmax(22rem, 3fr) minmax(0, 2fr) auto;
    }
  }
  @container app (max-width: 47rem) {
    .frame {
      display: block;
      height: auto;
      min-height: 100dvh;
      padding-bottom: 8rem;
    }
    .whole {
      overflow: visible;
    }
    .run-view {
      display: block;
      padding: 0;
    }
    .run {
      position: sticky;
      top: 0;
      z-index: 5;
      margin: 0;
    }
    .strip {
      padding: 0 0.75rem 0.75rem;
    }
    .left {
      display: contents;
    }
    sp-splitter {
      display: none;
    }
    sp-named {
      min-height: 13rem;
    }
    sp-guide {
      min-height: 12.5rem;
      padding: 0.5rem;
    }
    /* The card of a question lies over the lower part of the page: the guide comes back after the answer. */
    .run-view:has(.card:not([hidden])) sp-guide {
      display: none;
    }
    .setup,
    .timeline,
    .inspector {
      display: none;
      border-width: 0 0 1px;
      border-radius: 0;
      overflow: visible;
    }
    [data-column='setup'] .left .setup,
    [data-column='timeline'] .timeline,
    [data-column='inspector'] .inspector {
      display: block;
    }
    sp-timeline,
    sp-inspector {
      height: auto;
    }
    sp-inspector {
      scroll-margin-top: 11rem;
    }
    sp-timeline {
      --scrubber: sticky;
    }
    /* With the guide above it, the head of the ledger can be near the lower edge: a bar there would lie over it. */
    .run-view:has(sp-guide) sp-timeline {
      --scrubber: static;
    }
    .card {
      position: fixed;
      inset: auto 0.5rem 4rem;
      z-index: 10;
      max-height: 62dvh;
      border-radius: var(--radius);
      box-shadow: var(--lift);
    }
    footer {
      border: 0;
      background: none;
    }
    /* A person who waits for a model sees for how long, and can cancel, wherever the page is scrolled to. */
    footer:has(sp-status[asking]) {
      position: fixed;
      inset: auto 0 3.5rem;
      z-index: 9;
      border-top: 1px solid var(--line);
      background: var(--panel);
    }
    .frame:has(.columns[hidden]) footer {
      bottom: 0;
    }
    .columns {
      position: fixed;
      inset: auto 0 0;
      z-index: 9;
      display: grid;
      grid-template-columns: repeat(3, 1fr);
      border-top: 1px solid var(--line);
      background: var(--panel);
    }
    .columns button {
      flex-direction: column;
      gap: 0;
      min-height: 3.5rem;
      border-radius: 0;
      outline-offset: -3px;
    }
    .columns button[aria-current='true'] {
      box-shadow: inset 0 3px 0 var(--accent);
      color: var(--accent);
      font-weight: 650;
    }
    @container app (max-width: 24rem) {
      sp-guide {
        min-height: 14rem;
      }
    }
    /* A phone held sideways, or a page at twice its size: fixed bars would leave no room for the scrolling part. */
    @media (max-height: 30rem) {
      .run {
        position: static;
      }
      sp-timeline {
        --scrubber: static;
      }
      .card {
        max-height: calc(100dvh - 4.5rem);
        overflow-y: auto;
      }
    }
  }
  /* Printing shows the whole view alone. */
  @media print {
    .frame {
      display: block;
      height: auto;
    }
    .top,
    .columns,
    .left,
    sp-guide,
    sp-splitter,
    footer {
      display: none;
    }
    .run-view,
    .timeline,
    .inspector {
      display: block;
      overflow: visible;
    }
    sp-timeline,
    sp-inspector {
      display: block;
      height: auto;
    }
    /* The open record, for example a receipt, on a page of its own. */
    .inspector {
      break-before: page;
    }
    .whole {
      overflow: visible;
    }
  }
`;
