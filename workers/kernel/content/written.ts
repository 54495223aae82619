import { locateStaged, type StagedFiles, targetAfter } from '../../../core/content/staged.ts';
import type { RunContent } from './run-content.ts';

/** Content that the powers of a running call read. */
export type ReadContent = Pick<RunContent, 'locate' | 'load' | 'search'>;

/** Content as the operations of a message see it: files that the message has written come before files of the store. */
export function withWritten(content: ReadContent, files: StagedFiles): ReadContent {
  if (files.size === 0) return content;
  return {
    async locate(ref) {
      const written = locateStaged(files, ref);
      if (written !== undefined) return written;
      const target = await content.locate(ref);
      return target.ok ? targetAfter(files, target.value) : target;
    },
    async load(path) {
      const written = files.get(path);
      return written === undefined ? content.load(path) : { file: written.after, rows: written.rows };
    },
    search: (query, most) => content.search(query, most, files),
  };
}
