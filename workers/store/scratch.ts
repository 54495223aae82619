/** Returns a copy of a range of stored bytes, as often as it is called. */
export type ReadRange = (from: number, to: number) => Uint8Array;

/**
 * Temporary space outside the memory for bytes that wait to be stored. It is no store: its bytes belong to no record,
 * cannot be found, and go when it closes.
 */
export interface Scratch {
  /** Undefined where there is no room. The returned function throws when the bytes cannot be read any more. */
  keep(bytes: Uint8Array): ReadRange | undefined;
  close(): Promise<void>;
}

/** Undefined where the platform has no temporary files. */
export type OpenScratch = () => Promise<Scratch | undefined>;

/** Bytes that stay in memory: most additions are small, and opening a file takes longer than writing them. */
const IN_MEMORY = 4 << 20;

/** Buffer for bytes that wait: the first bytes stay in memory, as do bytes without room in the temporary file. */
export interface SpillBuffer {
  keep(bytes: Uint8Array): Promise<ReadRange>;
  close(): Promise<void>;
}

export function makeSpillBuffer(open: OpenScratch = async () => undefined): SpillBuffer {
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

function inMemory(bytes: Uint8Array): ReadRange {
  return (from, to) => bytes.slice(from, to);
}
