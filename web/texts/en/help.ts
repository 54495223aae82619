import { type Area, area } from '../area.ts';

const en = {
  title: 'Keys',
  close: 'Close',
  escape: 'Close what is open; it never ends a run',
  send: 'Send your proposal',
  edge: 'Move a column’s edge while it has the focus',
  letters: 'Single letters act',
  noKey: 'Approving has no key of its own, on purpose.',
  documentation: 'Documentation',
  beTheModel: 'Be the model',
  walkthrough: 'What the page shows',
};

export type HelpTexts = typeof en;
export const help: Area<HelpTexts> = area('help', en);
