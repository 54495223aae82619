import { expect, test } from 'vitest';
import { ServedTools, ToolAliases } from '../../../../workers/bridges/mcp/server/tools.ts';

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

test('no alias is the name of a capability: that name leads to it, offered or not, and in any order', async () => {
  const aliases = new ToolAliases();
  aliases.learn([{ name: 'a.b' }]);
  expect(aliases.theirs('a.b')).toBe('a_b');
  aliases.learn([{ name: 'a_b' }, { name: 'a.b' }, { name: 'a b' }]);
  const theirs = ['a.b', 'a_b', 'a b'].map((name) => aliases.theirs(name));
  const apart = expect.stringMatching(/^a_b_[0-9a-f]{8}$/);
  expect(theirs).toEqual([apart, 'a_b', apart]);
  expect([...theirs, 'x'].map((name) => aliases.ours(name))).toEqual(['a.b', 'a_b', 'a b', 'x']);
  const row = (name: string, enabled: boolean) => ({ name, enabled });
  const list = async () => [row('files.delete', true), row('files_delete', false)];
  const served = new ServedTools({ capabilities: { list } as never }, undefined);
  expect([await served.ours('files_delete'), await served.ours('files.delete')]).toEqual([
    'files_delete',
    'files.delete',
  ]);
});
