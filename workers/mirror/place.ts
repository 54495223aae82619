import type { Entry } from '../journal/frame.ts';
import { cachePlace } from './cache.ts';
import { type Contents, NOTHING } from './contents.ts';
import { opfsPlace } from './file.ts';
import { openRoot } from './opfs.ts';

export type MirrorForm = 'opfs' | 'cache' | 'none';

/** The second copy of a log: whatever was appended to it, by any kernel of this origin. */
export interface Mirror extends Contents {
  /** Flushed before it returns, where that can be asked for. Throws what the platform throws. */
  append(entries: readonly Entry[], flush: boolean): Promise<void>;
  close(): Promise<void>;
}

/** Where the copies of one log are, an epoch beside the other. */
export interface MirrorPlace {
  readonly form: MirrorForm;
  /** The last epoch that anything is left of; 0 where nothing is. */
  epoch(): Promise<number>;
  /** Everything that is left of an epoch. What a crash tore is not in it. */
  readAll(epoch: number): Promise<readonly Entry[]>;
  open(epoch: number): Promise<Mirror>;
  remove(): Promise<void>;
}

/** Private files where the browser has them, then a cache, then nothing: whoever cannot use one takes the next. */
export async function mirrorPlaces(name: string): Promise<readonly MirrorPlace[]> {
  const root = await openRoot();
  return [
    ...(root === undefined ? [] : [opfsPlace(root, `${name}.mirror`)]),
    ...(typeof caches === 'undefined' ? [] : [cachePlace(`${name}.mirror`)]),
    NO_PLACE,
  ];
}

const NO_PLACE: MirrorPlace = {
  form: 'none',
  epoch: async () => 0,
  readAll: async () => [],
  open: async () => ({ ...NOTHING, append: async () => undefined, close: async () => undefined }),
  remove: async () => undefined,
};
