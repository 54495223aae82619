/**
 * Frees the memory of these bytes now, where the engine can; garbage collection would keep as much again for a while.
 * No other view on the buffer may be in use.
 */
export function releaseBuffer({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer & { transfer?(length: number): unknown }).transfer?.(0);
}
