import { describe, expect, it } from 'vitest';
import { endingOf, statusOf } from '../../../../web/playground/run/run-status.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { decided, receipt, record, refused } from '../../records/sample-records.ts';

const RUN = '0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d';

describe('the state of a run', () => {
  const view = { run_id: RUN, dialect: 'xct', phase: 'IDLE', mode: 'paused', steps: 0, records: 2 } as const;

  it('the status of a run says that a step was cut off, until another step has ended', () => {
    const cut = statusOf({ view: { ...view, steps: 3 }, asked: false, cutOff: true });
    expect(cut).toMatchObject({ word: 'Interrupted', tone: 'bad' });
    expect(cut.sentence).toContain('Step 3 was cut off');
  });
  it('the status of a run says that it was resumed, and by which record', () => {
    const taken = statusOf({ view: { ...view, steps: 3 }, asked: false, takenUp: 9 });
    expect(taken).toMatchObject({ word: 'Resumed', sentence: expect.stringContaining('record 9') as string });
    expect(statusOf({ view: { ...view, steps: 3 }, asked: false, takenUp: 9, cutOff: true }).word).toBe('Interrupted');
  });
  it('the status of a run is Ready before the first step', () =>
    expect(statusOf({ view, asked: false }).word).toBe('Ready'));
  it('the status of a run names the model that is waited for, and its answer while it comes', () => {
    const asking = { model: 'tiny', hasBegun: false };
    const waits = { word: 'Waiting for the model', sentence: 'Waiting for tiny.', isRunning: true, isAsking: true };
    const busy = { ...view, phase: 'INPUT_RECEIVED', mode: 'running' } as const;
    expect(statusOf({ view: busy, asked: false, asking })).toMatchObject(waits);
    // a pause lets the request end
    expect(statusOf({ view: { ...busy, mode: 'paused' }, asked: false, asking })).toMatchObject(waits);
    const again = { ...busy, waiting: { message: 'Busy.', since: 0, failures: 1 } };
    expect(statusOf({ view: again, asked: false, asking })).toMatchObject(waits);
    const answers = statusOf({ view: busy, asked: false, asking: { ...asking, hasBegun: true } });
    expect(answers.sentence).toBe('tiny is answering.');
    expect(statusOf({ view: busy, asked: false }).isAsking).toBeUndefined();
  });
  it('the status of a run is Read only without a live run', () =>
    expect(statusOf({ view: undefined, asked: false }).word).toBe('Read only'));
  it('the status of a session does not offer to continue it here', () => {
    const free = statusOf({ view: undefined, asked: false, elsewhere: 'free', isSession: true });
    expect(free.sentence).toBe('No program has this session open. The program that began it can resume it.');
    expect(statusOf({ view: undefined, asked: false, elsewhere: 'there', isSession: true }).word).toBe('Followed');
  });
  it('the status of a run asks for an approval before all else', () => {
    const pending = {
      run_id: RUN,
      step_id: 's',
      capability: 'notes.put',
      capability_hash: '',
      effect: 'write',
      args: '{}',
      digest: 'd',
      reason: '',
    } as const;
    const asks = statusOf({ view: { ...view, mode: 'running', pending }, asked: true });
    expect(asks.sentence).toBe('Paused. notes.put needs your approval.');
    expect(asks.keyHint).toBe('F8 goes to the question.');
  });
  it('the status of a run names the key to a question of consent apart from its sentence', () => {
    const consent = { run_id: RUN, origin: 'https://models.example', bytes: 9, bytes_max: 99, digest: 'd' } as const;
    const asks = statusOf({ view: { ...view, mode: 'running', consent }, asked: false });
    expect(asks.sentence).toMatch(/^Paused\. .*https:\/\/models\.example\.$/u);
    expect(asks.keyHint).toBe('F8 goes to the question.');
  });
  it('the status of a run names no key where no person is asked', () =>
    expect(statusOf({ view, asked: false }).keyHint).toBeUndefined());
  it('the status of a run gives the end of the last step, and the gate that stopped it', () => {
    const stopped = endingOf(groupSteps(refused('parse')));
    expect(stopped).toBe('Step 1, a proposal, was stopped at parse: json_syntax.');
    expect(statusOf({ view: { ...view, steps: 1 }, asked: false, ending: stopped }).sentence).toContain(stopped);
    expect(endingOf(groupSteps([...decided('AUTHORIZED'), receipt(5, 'SUCCESS')]))).toContain('notes.put, passed');
    expect(endingOf(groupSteps(decided('AUTHORIZED')))).toBeUndefined();
  });
  it('the status of a run gives the code of its failure', () => {
    const end = { state: 'failed', code: 'model_exhausted', steps: 3, head: '' } as const;
    expect(statusOf({ view: { ...view, end }, asked: false }).sentence).toContain('model_exhausted');
    expect(record(1, 'seal', { state: 'failed' }).kind).toBe('seal');
  });
  it('the status of a run tells the tokens that it has used', () => {
    const end = { state: 'completed', steps: 1, head: '' } as const;
    const tokens = { input: 1200, output: 34 };
    expect(statusOf({ view: { ...view, tokens, end }, asked: false }).sentence).toBe(
      `Completed in 1 step and ${(1234).toLocaleString()} tokens.`,
    );
  });
  it('the status of a run tells why and since when it waits for its model, and whether it asks again by itself', () => {
    const since = Date.parse('2026-01-02T03:04:05Z');
    const waiting = { message: 'The server is busy.', said: 'later', since, failures: 1 };
    const rests = statusOf({ view: { ...view, waiting }, asked: false });
    const time = new Date(since).toLocaleTimeString();
    expect(rests.word).toBe('Waiting for the model');
    expect(rests.sentence).toBe(
      `Paused. The server is busy. The model has not answered since ${time}. Run asks again. It said: later`,
    );
    const asks = statusOf({ view: { ...view, phase: 'INPUT_RECEIVED', mode: 'running', waiting }, asked: false });
    expect(asks.sentence).toContain('Running. The server is busy.');
    expect(asks.sentence).toContain('It is asked again soon.');
  });
});
