import { describe, expect, it } from 'vitest';
import {
  followGuide,
  type GuideFacts,
  type GuideProgress,
  nextGuideStep,
} from '../../../../web/playground/guide/steps.ts';

const COUNTS = { proposals: 0, receipts: 0, answers: 0, stops: 0 };
const FRESH: GuideFacts = { run: 'a', ...COUNTS, showsReceipt: false, isModel: false };
const facts = (change: Partial<GuideFacts>): GuideFacts => ({ ...FRESH, ...change });

/** Stands for a guide that has gone. */
const GONE = { step: 'gone' } as unknown as GuideProgress;

/** The progress after these facts in order, from the first step or from `first`. */
function walked(changes: readonly Partial<GuideFacts>[], first: GuideProgress = { step: 'step' }): GuideProgress {
  return changes.reduce<GuideProgress>((progress, change) => followGuide(progress, facts(change)) ?? GONE, first);
}

describe('the steps of the guide', () => {
  it('begin with Step, also before a run is open', () => {
    expect(walked([{ run: undefined }]).step).toBe('step');
    expect(walked([{ run: undefined }, {}]).step).toBe('step');
  });

  it('go on with the first receipt, and wait for a look at its receipt side', () => {
    expect(walked([{}, { receipts: 1 }]).step).toBe('receipt');
    expect(walked([{}, { receipts: 1 }, { receipts: 1, showsReceipt: true }]).step).toBe('question');
  });

  it('go on with an answer of a person, and not with further receipts', () => {
    const seen = { receipts: 1, showsReceipt: true };
    expect(walked([{}, seen, { ...seen, receipts: 4 }]).step).toBe('question');
    expect(walked([{}, seen, { ...seen, answers: 1 }]).step).toBe('model');
  });

  it('pass each step that a person did before its turn', () => {
    expect(walked([{}, { receipts: 5, answers: 1, showsReceipt: true }]).step).toBe('model');
  });

  it('end with a stop of a proposal of the person', () => {
    const before: GuideProgress = { step: 'model' };
    expect(walked([{}, { isModel: true }, { isModel: true, stops: 1 }], before).step).toBe('end');
  });

  it('do not end with a stop of a proposal of the script', () => {
    const before: GuideProgress = { step: 'model' };
    expect(walked([{}, { stops: 1 }, { stops: 1, isModel: true }], before).step).toBe('model');
    expect(walked([{}, { stops: 1 }, { stops: 1, isModel: true }, { stops: 2, isModel: true }], before).step).toBe(
      'end',
    );
  });

  it('do not end where another run with stops is opened', () => {
    const before: GuideProgress = { step: 'model' };
    expect(walked([{ isModel: true }, { run: 'b', isModel: true, stops: 3 }], before).step).toBe('model');
  });

  it('count a new run from its beginning', () => {
    const first: GuideProgress = { step: 'step', again: true };
    expect(walked([{ receipts: 6 }, { run: 'b' }, { run: 'b', receipts: 1 }], first).step).toBe('receipt');
  });

  it('ignore what was done before a person asked for the guide again', () => {
    const first: GuideProgress = { step: 'step', again: true };
    const done = { receipts: 6, answers: 1, stops: 2 };
    expect(walked([done, done], first).step).toBe('step');
    expect(walked([done, { ...done, receipts: 7 }], first).step).toBe('receipt');
    expect(walked([done, { ...done, receipts: 7, showsReceipt: true }], first).step).toBe('question');
  });

  it('stay the same object where nothing has changed, so that an effect comes to rest', () => {
    const progress = walked([{ receipts: 1 }]);
    expect(followGuide(progress, facts({ receipts: 1 }))).toBe(progress);
  });

  it('are gone with the next proposal and the next run after the last words, and not with a record of the same step', () => {
    const stopped = { isModel: true, proposals: 1, stops: 1 };
    const end = walked([{ isModel: true }, stopped, stopped], { step: 'model' });
    expect(walked([{ ...stopped, receipts: 1 }], end).step).toBe('end');
    expect(walked([{ ...stopped, proposals: 2 }], end)).toBe(GONE);
    expect(walked([{ ...stopped, run: 'b' }], end)).toBe(GONE);
  });

  it('go on with Next one by one, and stay at the last words', () => {
    const steps: string[] = [];
    let progress: GuideProgress = { step: 'step' };
    for (let i = 0; i < 5; i++) steps.push((progress = nextGuideStep(progress)).step);
    expect(steps).toEqual(['receipt', 'question', 'model', 'end', 'end']);
  });
});
