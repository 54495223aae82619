import { expect, test } from 'vitest';
import { ServedTools, ToolAliases } from '../../../workers/mcp/server/tools.ts';

test('a list of capabilities that could not be read is read again by the next call', async () => {
  let reads = 0;
  const list = () => (reads++ === 0 ? Promise.reject(new Error('The store is busy.')) : Promise.resolve([]));
  const tools = new ServedTools({ capabilities: { list } as never }, undefined);
  await expect(tools.list()).rejects.toThrow('The store is busy.');
  expect(await tools.list()).toEqual([]);
  expect(await tools.list()).toEqual([]);
  expect(reads).toBe(2);
});

test('names that are spelled alike at a host lead to the same capabilities in any order', () => {
  const names = ['notes.db_save', 'notes_db.save', 'notes.read'];
  const rows = names.map((name) => ({ name }));
  const aliasesOf = (given: readonly { name: string }[]) => {
    const aliases = new ToolAliases();
    aliases.learn(given);
    return names.map((name) => aliases.theirs(name));
  };
  const [one, two, three] = aliasesOf(rows);
  expect(aliasesOf(rows.toReversed())).toEqual([one, two, three]);
  expect([one, two]).toEqual([
    expect.stringMatching(/^notes_db_save_[0-9a-f]{8}$/),
    expect.stringMatching(/^notes_db_save_[0-9a-f]{8}$/),
  ]);
  expect(one).not.toBe(two);
  expect(three).toBe('notes_read');
});

test('an alias stays with its capability when another one comes', () => {
  const aliases = new ToolAliases();
  aliases.learn([{ name: 'notes_db.save' }]);
  aliases.learn([{ name: 'notes.db_save' }, { name: 'notes_db.save' }]);
  expect(aliases.theirs('notes_db.save')).toBe('notes_db_save');
  expect(aliases.ours('notes_db_save')).toBe('notes_db.save');
});
