import { describe, expect, test } from 'vitest';
import { capability, cases } from './guest.ts';

describe('notes.put', () => {
  cases('notes.put', [
    {
      title: 'gives the note back for the receipt to keep',
      args: { name: 'rye', text: 'Order rye.\nSoon.' },
      gives: { kept_in: 'receipt', note: { name: 'rye', text: 'Order rye.\nSoon.', lines: 2 } },
    },
  ]);

  test('the description of notes.put promises only a note in the receipt, and its effect is write', () => {
    expect(capability('notes.put').description).toContain('in the receipt of this very call');
    expect(capability('notes.put').effect).toBe('write');
  });
});

describe('calendar.add', () => {
  cases('calendar.add', [
    {
      title: 'gives the event back with its weekday',
      args: { date: '2025-12-24', time: '05:00', title: 'Last bake', note: 'No twists' },
      gives: {
        kept_in: 'receipt',
        event: { date: '2025-12-24', weekday: 'Wednesday', time: '05:00', title: 'Last bake', note: 'No twists' },
      },
    },
    {
      title: 'refuses a day that no calendar has',
      args: { date: '2025-11-31', time: '05:00', title: 'x' },
      throws: /^RangeError: No such day: "2025-11-31"/,
    },
  ]);
});

describe('calendar.find', () => {
  const fair = {
    date: '2025-12-06',
    time: '11:00',
    title: 'Harbour Lights fair',
    who: 'everybody',
    note: '90 Harbour Loaves instead of 60',
  };
  cases('calendar.find', [
    { title: 'finds by words, in whatever case', args: { words: 'FAIR loaves' }, gives: { events: [fair], more: 0 } },
    { title: 'includes both ends', args: { from: '2025-12-06', to: '2025-12-06' }, gives: { events: [fair], more: 0 } },
    {
      title: 'finds nothing on the day before',
      args: { from: '2025-12-05', to: '2025-12-05' },
      gives: { events: [], more: 0 },
    },
    {
      title: 'says how many it does not show',
      args: { from: '2025-12-01', limit: 1 },
      gives: { events: [fair], more: 2 },
    },
    { title: 'refuses a day that no calendar has', args: { from: '2025-02-30' }, throws: /^RangeError: No such day/ },
    {
      title: 'refuses an end before the beginning',
      args: { from: '2025-12-02', to: '2025-12-01' },
      throws: /^RangeError: 2025-12-02 is after 2025-12-01/,
    },
  ]);
});

describe('flour.forecast', () => {
  cases('flour.forecast', [
    {
      title: 'counts bake days, which are Tuesday to Saturday',
      args: { flour: 'strong-white', loaves_per_day: 60 },
      gives: { flour: 'strong-white', kg: 330, days: 13, lasts_until: '2025-11-20', before_next_delivery: false },
    },
    {
      title: 'sees a flour run out before its delivery',
      args: { flour: 'strong-white', loaves_per_day: 120 },
      gives: { flour: 'strong-white', kg: 330, days: 6, lasts_until: '2025-11-11', before_next_delivery: true },
    },
    {
      title: 'has the bug it is here for: rye, which nobody has ordered',
      args: { flour: 'rye', loaves_per_day: 60 },
      throws: /^TypeError: .*null/,
    },
  ]);
});

const dough = (degrees: number, minutes_per_step: number) => ({ mixed_at: '21:00', degrees, minutes_per_step });

describe('proof.simulate', () => {
  cases('proof.simulate', [
    {
      title: 'is ready at five when the room has 18 degrees',
      args: dough(18, 15),
      gives: { minutes: 480, ready_at: '05:00' },
    },
    { title: 'takes twice as long in a room of 10', args: dough(10, 15), gives: { minutes: 960, ready_at: '13:00' } },
    { title: 'takes half as long in a room of 26', args: dough(26, 15), gives: { minutes: 240, ready_at: '01:00' } },
  ]);
});
