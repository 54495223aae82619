import { type Outcome, pass } from '../../../core/outcome.ts';
import { ORIGIN } from '../origin.ts';
import { cachePlace } from './cache.ts';
import { NOTHING } from './contents.ts';
import { opfsPlace } from './file.ts';
import { openRoot } from './opfs.ts';
import type { MirrorPlace } from './place.ts';

/**
 * Places in order of preference: private files, a cache, no mirror. A place that cannot be used is skipped, unless it
 * holds a copy.
 */
export async function mirrorPlaces(name: string): Promise<readonly MirrorPlace[]> {
  const root = await openRoot();
  return [
    ...(root === undefined ? [] : [opfsPlace(root, `${name}.mirror`)]),
    ...(ORIGIN.caches === undefined ? [] : [cachePlace(ORIGIN.caches, `${name}.mirror`)]),
    NO_PLACE,
  ];
}

const done = async (): Promise<void> => undefined;

const take = async (): Promise<Outcome<void>> => pass(undefined);

const NO_PLACE: MirrorPlace = {
  form: 'none',
  epoch: async () => 0,
  isUsed: async () => false,
  readAll: async () => [],
  open: async () => ({ ...NOTHING, append: done, take, close: done }),
  fresh: async () => ({ ...NOTHING, append: done, take, close: done, takeOver: done, abandon: done }),
  forget: done,
  remove: async () => undefined,
};
