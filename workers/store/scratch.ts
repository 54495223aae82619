/** Bytes that were put aside, from one of them to another: copies, as often as they are asked for. */
export type Kept = (from: number, to: number) => Uint8Array;

/**
 * Room outside the memory for bytes that wait to be stored. It is no store: what is in it belongs to nothing, is found by
 * nobody, and goes with whoever opened it.
 */
export interface Scratch {
  /** Undefined where there is no room. What is kept throws when it cannot be had any more. */
  keep(bytes: Uint8Array): Kept | undefined;
  close(): Promise<void>;
}

/** Undefined where the platform has none. */
export type OpenScratch = () => Promise<Scratch | undefined>;

/** So much stays in memory all the same: most additions are small, and to open a file takes longer than they do. */
const IN_MEMORY = 4 << 20;

/** Keeps bytes aside, the first of them and what there is no other room for in memory. */
export interface Keeping {
  keep(bytes: Uint8Array): Promise<Kept>;
  close(): Promise<void>;
}

export function makeKeeping(open: OpenScratch = async () => undefined): Keeping {
  let size = 0;
  let scratch: ReturnType<OpenScratch> | undefined;
  return {
    async keep(bytes) {
      size += bytes.length;
      if (size > IN_MEMORY) scratch ??= open();
      return (await scratch)?.keep(bytes) ?? inMemory(bytes.slice());
    },
    close: async () => (await scratch)?.close(),
  };
}

function inMemory(bytes: Uint8Array): Kept {
  return (from, to) => bytes.slice(from, to);
}
