import type { Section } from '../../core/content/section.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { ContentFile } from '../api.ts';
import { parseSections } from '../kernel/content/file.ts';
import type { ContentPage, ContentService, Cursor } from '../kernel/content/service.ts';

/** Lists of all files and sections, which the kernel's content gives page by page. */
export function allFiles(service: ContentService): Promise<readonly ContentFile[]> {
  return allPages(async (cursor) => unwrap(await service.listFiles(cursor)));
}

export async function sectionsOf(service: ContentService, path: string | undefined): Promise<readonly Section[]> {
  if (path !== undefined) return parseSections(unwrap(await service.sectionTable(path)));
  return (await allPages(async (cursor) => unwrap(await service.sectionTables(cursor)))).flatMap(parseSections);
}

/** All pages of a single state of the content. A change between two pages starts the listing again. */
export async function allPages<T>(
  ask: (cursor?: Cursor) => Promise<ContentPage<readonly T[]> | undefined>,
): Promise<T[]> {
  for (;;) {
    const parts: T[] = [];
    for (let page = await ask(); page !== undefined; page = await ask(page.next)) {
      parts.push(...page.part);
      if (page.next === undefined) return parts;
    }
  }
}
