import type { ByteFile } from './file.ts';

/** Read-only bytes, as a file. */
export function bytesAsFile(bytes: Uint8Array): Pick<ByteFile, 'size' | 'read'> {
  return {
    size: () => bytes.length,
    read: (into, at) => {
      const part = bytes.subarray(at, at + into.length);
      into.set(part);
      return part.length;
    },
  };
}
