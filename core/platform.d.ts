// The only host classes core uses; both are pure functions of their input.
declare class TextDecoder {
  constructor(label: 'utf-8', options: { fatal: true; ignoreBOM: true });
  decode(bytes: Uint8Array): string;
}
declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
/** Handed through to the embedding program, and nothing to core. */
interface AbortSignal {
  readonly aborted: boolean;
}
