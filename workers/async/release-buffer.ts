/**
 * Gives the memory under these bytes back now, where the engine can: what only waits to be collected would be as much
 * again. Nobody may have another view on it.
 */
export function letGo({ buffer }: Uint8Array): void {
  (buffer as ArrayBuffer & { transfer?(length: number): unknown }).transfer?.(0);
}
