import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UNDO_REASONS } from '../../../../core/errors/run.ts';
import { LIBRARY_TOOLS } from '../../../../web/playground/gallery/library/tools.ts';
import { choiceOf, placeOf, stayingIn, storyOf, targetOf } from '../../../../web/playground/inspector/undo-story.ts';
import { takeBack } from '../../../../web/texts/en/take-back.ts';
import type { Runtime, Session, UndoEnd } from '../../../../workers/api.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { spoken } from '../../texts/spoken.ts';

let runtime: Runtime;
// another test of the same process may have lent a book
beforeEach(() => {
  const settings = new Map([['sallyport.library', '{}']]);
  const localStorage = { getItem: (key: string) => settings.get(key) ?? null, setItem: settings.set.bind(settings) };
  vi.stubGlobal('localStorage', localStorage);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await runtime.close();
});

const yes = async () => ({ approved: true }) as const;

async function lending(): Promise<Session> {
  const grants = LIBRARY_TOOLS.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);
  runtime = await openRuntime({ tools: LIBRARY_TOOLS, grants, approve: yes });
  return runtime.openSession();
}

const undo = (session: Session, step: number, range: 'step' | 'from'): Promise<UndoEnd> =>
  runtime.undo({ ...targetOf(session.run.id, step, range), approve: yes });

const endsOf = async (id: string) =>
  storyOf(await runtime.ledger.records(id))?.calls.map(({ call, by, end }) => [call.step, by, end]);

interface Shelf {
  readonly books: readonly { readonly book: string; readonly place: string; readonly lent_to: string }[];
}

async function book(session: Session, name: string) {
  const called = await session.call('shelf.look', {});
  if (!called.ok) throw new Error(called.refusal.code);
  const { books } = called.value as unknown as Shelf;
  const { place, lent_to } = books.find((each) => each.book === name) ?? {};
  return [place, lent_to];
}

describe('taking back at the lending shelf', () => {
  test('all calls from a step on are taken back, and the shelf is as before', async () => {
    const session = await lending();
    expect(await book(session, 'b-1')).toEqual(['fiction', '']);
    await session.call('shelf.lend', { book: 'b-1', member: 'Noor', days: 14 });
    await session.call('shelf.move', { book: 'b-1', place: 'repairs' });
    expect(await book(session, 'b-1')).toEqual(['repairs', 'Noor']);
    const plan = await runtime.undoPlan(targetOf(session.run.id, 2, 'from'));
    expect([choiceOf(plan), stayingIn(plan)]).toEqual(['act', []]);
    const { run_id } = await undo(session, 2, 'from');
    expect(await book(session, 'b-1')).toEqual(['fiction', '']);
    expect(await endsOf(run_id)).toEqual([
      [3, 1, 'undone'],
      [2, 2, 'undone'],
    ]);
    expect(storyOf(await runtime.ledger.records(run_id))?.run_id).toBe(session.run.id);
    const again = await runtime.undoPlan(targetOf(session.run.id, 2, 'from'));
    expect([choiceOf(again), again.before.length]).toEqual(['none', 2]);
  });

  test('a call that something else has overtaken stands, with those behind it', async () => {
    const session = await lending();
    await session.call('shelf.lend', { book: 'b-2', member: 'Ida', days: 7 });
    await session.call('shelf.move', { book: 'b-2', place: 'repairs' });
    const other = runtime.openSession();
    await other.call('shelf.move', { book: 'b-2', place: 'atlases' });
    const { run_id, stands } = await undo(session, 1, 'from');
    expect(stands).toHaveLength(2);
    expect(await endsOf(run_id)).toEqual([
      [2, 1, 'stands'],
      [1, 2, 'untried'],
    ]);
    expect(storyOf(await runtime.ledger.records(run_id))?.staying).toEqual([
      '1 run began later. It stays, and may rest on these calls.',
    ]);
  });

  test('a reading has nothing to take back, and a step alone counts the later calls', async () => {
    const session = await lending();
    await book(session, 'b-3');
    await session.call('shelf.move', { book: 'b-3', place: 'repairs' });
    await session.call('shelf.move', { book: 'b-3', place: 'atlases' });
    const reading = await runtime.undoPlan(targetOf(session.run.id, 1, 'step'));
    expect([choiceOf(reading), reading.barriers.map(({ reason }) => reason)]).toEqual(['none', ['nothing']]);
    const first = await runtime.undoPlan(targetOf(session.run.id, 2, 'step'));
    expect([choiceOf(first), stayingIn(first)]).toEqual(['act', ['1 later call of this run stays.']]);
  });

  test('a run that takes nothing back has no story', async () => {
    const session = await lending();
    await session.call('shelf.look', {});
    expect(storyOf(await runtime.ledger.records(session.run.id))).toBeUndefined();
  });
});

describe('the words of a plan', () => {
  test('an undo that was cut off in every barrier can go on, and another barrier ends it', async () => {
    await lending();
    const at = { step: 1, capability: 'shelf.lend' };
    expect(choiceOf({ calls: [], barriers: [{ ...at, reason: 'open' }] })).toBe('goOn');
    expect(
      choiceOf({
        calls: [],
        barriers: [
          { ...at, reason: 'open' },
          { ...at, reason: 'gone' },
        ],
      }),
    ).toBe('none');
    expect(choiceOf({ calls: [], barriers: [] })).toBe('none');
  });

  test('each reason and each place has words in both languages', async () => {
    await lending();
    const { reasons: english } = takeBack.english;
    expect(english).toBe(UNDO_REASONS);
    expect(placeOf({ step: 4, operation: 0 })).toBe('Step 4, operation 1');
    spoken('de');
    const { reasons } = takeBack();
    expect(Object.keys(reasons)).toEqual(Object.keys(UNDO_REASONS));
    expect([{ step: 4 }, { step: 4, ticket: 2 }].map(placeOf)).toEqual([
      'Schritt 4',
      'Schritt 4, Aufruf 2 seines Programms',
    ]);
  });
});
