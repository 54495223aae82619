import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';

const en = {
  title: 'Your first minute',
  progress: (step: number, steps: number): string => `${step} of ${steps}`,
  /** By the control that is to be used next. */
  texts: {
    step: (): TemplateResult =>
      html`Press <strong>Step</strong> in the bar at the top. The first request of the model goes through the ten gates.`,
    receipt: (): TemplateResult =>
      html`Each step ends in a receipt, which says what every gate decided. Open the tab <strong>Receipt</strong> of the record.`,
    record: (): TemplateResult =>
      html`Choose the newest <strong>receipt</strong> in the ledger. It says what every gate decided.`,
    question: (): TemplateResult =>
      html`Press <strong>Run</strong> in the bar at the top. The model goes on until a call needs the approval of a person.`,
    wait: (): TemplateResult =>
      html`The model is asked. Its proposal goes through the ten gates as soon as it is here.`,
    answer: (): TemplateResult =>
      html`The run waits for you. Read what the call would do, and then <strong>deny</strong> or <strong>approve</strong> it.`,
    script: (): TemplateResult =>
      html`Choose <strong>Script</strong> under <em>Who proposes</em>: its model goes on until a call needs a person.`,
    model: (): TemplateResult => html`Now be the model: choose <strong>You</strong> under <em>Who proposes</em>.`,
    draft: (): TemplateResult =>
      html`Type any text as your proposal, for example <q>hello</q>, and send it. A gate stops it, and the receipt says why.`,
    send: (): TemplateResult => html`Press <strong>Send</strong>: your proposal goes through the ten gates.`,
    over: (): TemplateResult =>
      html`This run is over. Press <strong>New run</strong> in the bar at the top, and go on there.`,
  },
  end: 'You have seen a run from both sides: as the person who decides, and as the model. The lessons go on from here.',
  where: 'Take me there',
  next: 'Next',
  skip: 'Skip',
  finish: 'Finish',
  learn: 'To the lessons',
};

export type GuideTexts = typeof en;
export const guide: Area<GuideTexts> = area('guide', en);
