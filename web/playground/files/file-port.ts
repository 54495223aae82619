import { type FileWork, openFileWork } from './file-work.ts';

export type FileMethod = keyof FileWork;
/** Arguments of a method, without the receiver of its progress. */
export type FileArguments<M extends FileMethod> = Parameters<FileWork[M]> extends [unknown, ...infer A] ? A : never;
export type FileResult<M extends FileMethod> = Awaited<ReturnType<FileWork[M]>>;

/** A call with its number, which its answers have too. */
export interface FileRequest {
  readonly id: number;
  readonly method: FileMethod;
  readonly args: readonly unknown[];
}

/** The share that is done, or the end. */
export type FileAnswer =
  | { readonly id: number; readonly share: number }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failed: string };

/** ms between two messages of progress. */
const TELL_MS = 100;

/** Answers calls in their order, one at a time. */
export function serveFileWork(
  listen: (hear: (request: FileRequest) => void) => void,
  tell: (answer: FileAnswer) => void,
): void {
  const work = openFileWork();
  let before: Promise<unknown> = Promise.resolve();
  listen((request) => {
    before = before.then(() => answer(request));
  });

  async function answer({ id, method, args }: FileRequest): Promise<void> {
    let told = performance.now();
    const progress = (share: number): void => {
      if (performance.now() - told < TELL_MS) return;
      told = performance.now();
      tell({ id, share });
    };
    try {
      const called = work[method] as (...given: unknown[]) => Promise<unknown>;
      tell({ id, value: await called(progress, ...args) });
    } catch (error) {
      tell({ id, failed: error instanceof Error ? error.message : String(error) });
    }
  }
}
