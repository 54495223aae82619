import { type IndexedFile, indexFile } from '../../../core/content/build.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { must } from '../validator.ts';

/** Returns a file in the two forms in which the index takes and gives it. */
export function indexed(path: string, text: string): IndexedFile {
  return must(indexFile({ path, bytes: encodeText(text) }));
}

export function corpusOf(...files: readonly IndexedFile[]) {
  return {
    file: (path: string) => files.find((file) => file.file_path === path),
    fileOf: (id: string) => files.find((file) => file.sections.some((section) => section.section_id === id)),
  };
}
