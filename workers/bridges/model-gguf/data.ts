/** Data for the worker of a GGUF model, handed in with its opening. */
export interface GgufWorkerData {
  /** Name of the model in the records. */
  readonly name: string;
  readonly file: Blob;
  /** The engine's WebAssembly. */
  readonly engine: Blob;
  readonly contextTokens: number;
  readonly threads: number;
  /** Memory that file, context and engine need. */
  readonly memoryBytes: number;
}
