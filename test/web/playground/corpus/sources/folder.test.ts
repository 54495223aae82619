import { expect, test } from 'vitest';
import { decodeUtf8, encodeText } from '../../../../../core/index.ts';
import { fromDrop, type SourceChoice } from '../../../../../web/playground/corpus/sources/folder.ts';
import { type LeftFile, readAll } from '../../../../../web/playground/corpus/sources/source.ts';

interface Tree {
  readonly [name: string]: string | Tree;
}

/** Entries of the File and Directory Entries API: a reader gives two entries at a time, and then an empty list. */
function entryOf(name: string, below: string | Tree, parent = ''): FileSystemEntry {
  const fullPath = `${parent}/${name}`;
  const common = { name, fullPath, isFile: typeof below === 'string', isDirectory: typeof below !== 'string' };
  if (typeof below === 'string') {
    const file = (give: (file: File) => void, fail: (reason: Error) => void) =>
      below === 'gone' ? fail(new Error('it is gone.')) : give(fileOf(name, below));
    return { ...common, file } as unknown as FileSystemEntry;
  }
  const createReader = () => {
    const left = Object.entries(below).map(([each, what]) => entryOf(each, what, fullPath));
    return { readEntries: (give: (entries: FileSystemEntry[]) => void) => give(left.splice(0, 2)) };
  };
  return { ...common, createReader } as unknown as FileSystemEntry;
}

function fileOf(name: string, text: string): File {
  return new File([encodeText(text)], name);
}

/** A drop of this tree, as its event describes it. */
function dropped(tree: Tree): SourceChoice {
  const items = Object.entries(tree).map(([name, below]) => ({ webkitGetAsEntry: () => entryOf(name, below) }));
  const files = Object.entries(tree).map(([name, below]) => fileOf(name, typeof below === 'string' ? below : ''));
  return fromDrop({ items, files } as unknown as Pick<DataTransfer, 'items' | 'files'>);
}

async function contentOf(
  { source }: SourceChoice,
  signal = new AbortController().signal,
  leave: (file: LeftFile) => void = ({ path }) => expect.unreachable(path),
): Promise<Record<string, unknown>> {
  const found: [string, string | undefined][] = [];
  const files = readAll(await source.list(signal), signal, leave);
  for await (const { path, bytes } of files) found.push([path, decodeUtf8(bytes)]);
  return Object.fromEntries(found);
}

const PAPERS: Tree = {
  'a.md': '1',
  'b.md': '2',
  'c.md': '3',
  deep: { 'd.md': '4', empty: {}, deeper: { 'e.md': '5' } },
};
const FLAT = { 'a.md': '1', 'b.md': '2', 'c.md': '3', 'deep/d.md': '4', 'deep/deeper/e.md': '5' };

test('a dropped folder gives all its files without its own name, and the patterns select among them', async () => {
  const chosen = dropped({ papers: PAPERS });
  expect(chosen).toMatchObject({ picked: false, source: { name: 'papers' } });
  expect(await contentOf(chosen)).toEqual(FLAT);
});

test('several entries that are dropped together keep their names', async () => {
  const chosen = dropped({ papers: PAPERS, 'loose.md': '6' });
  expect(chosen.picked).toBe(false);
  const below = Object.entries(FLAT).map(([path, text]) => [`papers/${path}`, text]);
  expect(await contentOf(chosen)).toEqual({ ...Object.fromEntries(below), 'loose.md': '6' });
});

test('dropped files are taken like files that were picked one by one, and a zip as a zip', async () => {
  const chosen = dropped({ 'a.md': '1', 'b.txt': '2' });
  expect(chosen.picked).toBe(true);
  expect(await contentOf(chosen)).toEqual({ 'a.md': '1', 'b.txt': '2' });
  const zip = dropped({ 'papers.ZIP': 'none' });
  expect(zip).toMatchObject({ picked: false, source: { name: 'papers.ZIP' } });
  await expect(contentOf(zip)).rejects.toThrow();
});

test('a file that is gone when it is read is left out by its name, and a cancelled drop lists no file', async () => {
  const left: string[] = [];
  const { signal } = new AbortController();
  const drop = dropped({ papers: { 'f.md': 'gone', ...PAPERS } });
  expect(await contentOf(drop, signal, ({ path, why }) => left.push(`${path}: ${why()}`))).toEqual(FLAT);
  expect(left).toEqual(['f.md: it is gone']);
  const reason = new Error('cancelled');
  await expect(contentOf(dropped({ papers: PAPERS }), AbortSignal.abort(reason))).rejects.toBe(reason);
});
