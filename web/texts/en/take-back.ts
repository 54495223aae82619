import { html, type TemplateResult } from 'lit';
import { UNDO_REASONS, type UndoReason } from '../../../core/errors/run.ts';
import { type Area, area } from '../area.ts';
import { plural } from '../intl.ts';

/** A piece of a sentence that the view draws: the name of a tool, a stranger's text. */
type Piece = TemplateResult | string;

const en = {
  title: 'Take back',
  ask: 'Take back…',
  ranges: {
    label: 'Which calls',
    step: (step: number): string => `Step ${step} alone`,
    from: (step: number): string => `All from step ${step} on`,
  },
  reading: 'Reading what an undo would do…',
  would: (calls: number): string =>
    plural(calls, {
      one: 'This call would be taken back:',
      other: 'These # calls would be taken back, newest first:',
    }),
  /** The place of a call, before the name of its tool. */
  place: {
    step: (step: number): string => `Step ${step}`,
    operation: (step: number, operation: number): string => `Step ${step}, operation ${operation}`,
    inner: (step: number, call: number): string => `Step ${step}, call ${call} of its program`,
  },
  by: (tool: Piece): TemplateResult => html`by ${tool}`,
  impossible: 'Nothing can be taken back as long as these calls are among them:',
  /** Each as the end of a sentence about a call. */
  reasons: UNDO_REASONS as { readonly [R in UndoReason]: string },
  before: 'Taken back before',
  nothing: 'There is nothing to take back.',
  laterCalls: (calls: number): string =>
    plural(calls, { one: '# later call of this run stays.', other: '# later calls of this run stay.' }),
  laterRuns: (runs: number): string =>
    plural(runs, {
      one: '# run began later. It stays, and may rest on these calls.',
      other: '# runs began later. They stay, and may rest on these calls.',
    }),
  own: 'The undo is a run of its own. It asks you about each call, unless a grant permits it.',
  act: 'Take back',
  /** For an undo that a crash or a closed page has cut off. */
  goOn: 'Go on with the undo',
  beginning: 'The undo begins…',
  openRun: (run: string): string => `Open run ${run}`,
  failed: (why: Piece): TemplateResult => html`Nothing was changed. ${why}`,
  /** For the status line: an undo that had begun. */
  broke: (why: string): string => `The undo failed: ${why}`,

  /** What an undo has come to. */
  undone: {
    title: 'What it takes back',
    of: (run: string): string => `Calls of the run ${run}, newest first:`,
    ends: {
      undone: 'taken back',
      stands: 'stands',
      untried: 'stands: the undo ended before it',
      unknown: 'unknown: the undo was cut off in this call',
      open: 'under way',
      ahead: 'not yet',
    },
  },
};

export type TakeBackTexts = typeof en;
export const takeBack: Area<TakeBackTexts> = area('take-back', en);
