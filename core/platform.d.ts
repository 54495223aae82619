// All that core uses of its host: pure functions of their input.
declare function atob(text: string): string;
declare function btoa(units: string): string;
declare class TextDecoder {
  constructor(label: 'utf-8', options: { fatal: boolean; ignoreBOM: true });
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
