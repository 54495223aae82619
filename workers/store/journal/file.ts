/** A file with synchronous access in place: an OPFS access handle, a file descriptor, or bytes in memory. */
export interface ByteFile {
  size(): number;
  /** Fills `into` from this offset, up to the end of the file; returns the number of bytes. */
  read(into: Uint8Array, at: number): number;
  /** Writes all bytes, or throws: a full disk, a dead handle. */
  write(bytes: Uint8Array, at: number): void;
  truncate(size: number): void;
  /** Returns when all written bytes are on the disk, as far as the system tells. */
  flush(): Promise<void>;
  close(): void;
}
