/**
 * Worker that opens what a class has handed in: zips and exports of strangers are unpacked and read here, and not on the
 * page's thread. The page answers its checks, which the auditor makes.
 */
import type { Report } from '../../../../core/index.ts';
import type { ClassTable } from '../../../../core/lesson/class.ts';
import { LESSON_NUMBERS } from '../../../../core/lesson/class.ts';
import { checkClass } from '../../../../workers/auditor/check-class.ts';
import { type Group, groupNameOf, groupOf, type InputFile } from '../../../../workers/auditor/handed-in.ts';

/** A file that a teacher chose, with its path in the chosen folder. */
export interface ChosenFile {
  readonly path: string;
  readonly file: File;
}

/** What the page tells the worker: the files, then the answer to each check. */
export type ToClassWorker =
  | { readonly kind: 'begin'; readonly files: readonly ChosenFile[] }
  | { readonly kind: 'checked'; readonly id: number; readonly report: Report };

/** What the worker tells the page. `failed` and `table` come last. */
export type FromClassWorker =
  | { readonly kind: 'check'; readonly id: number; readonly text: string; readonly replay: boolean }
  /** `share`: of all pupils, from 0 to 1. */
  | { readonly kind: 'progress'; readonly share: number; readonly name: string }
  | { readonly kind: 'table'; readonly table: ClassTable }
  | { readonly kind: 'failed'; readonly message: string };

const asked = new Map<number, (report: Report) => void>();
let checks = 0;

function tell(message: FromClassWorker): void {
  postMessage(message);
}

function check(text: string, replay: boolean): Promise<Report> {
  checks += 1;
  const id = checks;
  tell({ kind: 'check', id, text, replay });
  return new Promise((resolve) => asked.set(id, resolve));
}

/** The chosen files by pupil: a zip is opened in its turn, so that a single one is in memory at a time. */
async function* groupsOf(byPupil: ReadonlyMap<string, readonly ChosenFile[]>): AsyncGenerator<Group> {
  for (const [name, chosen] of byPupil) {
    const files: InputFile[] = [];
    for (const { path, file } of chosen) files.push(...(await opened(path, file)));
    yield { name, files };
  }
}

async function opened(path: string, file: File): Promise<readonly InputFile[]> {
  try {
    return (await groupOf(path, new Uint8Array(await file.arrayBuffer()))).files;
  } catch (error) {
    return [{ name: path, fault: (error as Error).message }];
  }
}

async function begin(files: readonly ChosenFile[]): Promise<void> {
  const byPupil = new Map<string, ChosenFile[]>();
  for (const file of files) {
    const name = groupNameOf(file.path);
    byPupil.set(name, [...(byPupil.get(name) ?? []), file]);
  }
  const names = [...byPupil.keys()];
  const table = await checkClass(groupsOf(byPupil), LESSON_NUMBERS, check, ({ name, nth, of }) =>
    tell({ kind: 'progress', name, share: (names.indexOf(name) + nth / of) / names.length }),
  );
  tell({ kind: 'table', table });
}

addEventListener('message', ({ data }: MessageEvent<ToClassWorker>) => {
  if (data.kind === 'begin') {
    begin(data.files).catch((error: unknown) => tell({ kind: 'failed', message: String(error) }));
    return;
  }
  asked.get(data.id)?.(data.report);
  asked.delete(data.id);
});
