/**
 * Reviewed members of a worker's global and of its navigator. No member reaches a network, storage of the origin or
 * another tab, except those that the policy header stops (`fetch`, `WebSocket`, `EventSource`, `XMLHttpRequest`). A
 * browser that adds a member fails the test that reads these lists: find out how the member behaves, and add it here,
 * or to `workers/lock/exits.ts`.
 */
/** In Chromium 156 and Firefox 153. */
const COMMON = `
  AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack Atomics AudioData AudioDecoder
  AudioEncoder BigInt BigInt64Array BigUint64Array Blob Boolean ByteLengthQueuingStrategy Cache CanvasGradient
  CanvasPattern CloseEvent CompressionStream CountQueuingStrategy Crypto CryptoKey CustomEvent DOMException
  DOMMatrix DOMMatrixReadOnly DOMPoint DOMPointReadOnly DOMQuad DOMRect DOMRectReadOnly DOMStringList DataView
  Date DecompressionStream DedicatedWorkerGlobalScope DisposableStack EncodedAudioChunk EncodedVideoChunk Error
  ErrorEvent EvalError Event EventSource EventTarget File FileList FileReader FileReaderSync
  FileSystemDirectoryHandle FileSystemFileHandle FileSystemHandle FileSystemSyncAccessHandle
  FileSystemWritableFileStream FinalizationRegistry Float16Array Float32Array Float64Array FontFaceSet FormData
  Function Headers IDBCursor IDBCursorWithValue IDBDatabase IDBIndex IDBKeyRange IDBObjectStore IDBOpenDBRequest
  IDBRecord IDBRequest IDBTransaction IDBVersionChangeEvent ImageBitmap ImageBitmapRenderingContext ImageData
  ImageDecoder ImageTrack ImageTrackList Infinity Int16Array Int32Array Int8Array Intl Iterator JSON Lock Map Math
  MediaCapabilities MessageChannel MessageEvent MessagePort NaN NavigationPreloadManager Number Object
  OffscreenCanvas OffscreenCanvasRenderingContext2D Path2D Performance PerformanceEntry PerformanceMark
  PerformanceMeasure PerformanceObserver PerformanceObserverEntryList PerformanceResourceTiming
  PerformanceServerTiming PermissionStatus Permissions ProgressEvent Promise PromiseRejectionEvent Proxy
  PushSubscriptionOptions RTCEncodedAudioFrame RTCEncodedVideoFrame RTCRtpScriptTransformer RTCTransformEvent
  RangeError ReadableByteStreamController ReadableStream ReadableStreamBYOBReader ReadableStreamBYOBRequest
  ReadableStreamDefaultController ReadableStreamDefaultReader ReferenceError Reflect RegExp ReportBody Request
  Response Scheduler Serial SerialPort Set String SubtleCrypto SuppressedError Symbol SyntaxError TaskController
  TaskPriorityChangeEvent TaskSignal Temporal TextDecoder TextDecoderStream TextEncoder TextEncoderStream
  TextMetrics TransformStream TransformStreamDefaultController TrustedHTML TrustedScript TrustedScriptURL
  TrustedTypePolicy TrustedTypePolicyFactory TypeError URIError URL URLPattern URLSearchParams Uint16Array
  Uint32Array Uint8Array Uint8ClampedArray VideoColorSpace VideoDecoder VideoEncoder VideoFrame WeakMap WeakRef
  WeakSet WebAssembly WebGL2RenderingContext WebGLActiveInfo WebGLBuffer WebGLContextEvent WebGLFramebuffer
  WebGLProgram WebGLQuery WebGLRenderbuffer WebGLRenderingContext WebGLSampler WebGLShader
  WebGLShaderPrecisionFormat WebGLSync WebGLTexture WebGLTransformFeedback WebGLUniformLocation
  WebGLVertexArrayObject WebSocket WebTransportBidirectionalStream WebTransportDatagramDuplexStream
  WebTransportError WorkerGlobalScope WorkerLocation WorkerNavigator WritableStream
  WritableStreamDefaultController WritableStreamDefaultWriter XMLHttpRequest XMLHttpRequestEventTarget
  XMLHttpRequestUpload addEventListener atob btoa cancelAnimationFrame clearInterval clearTimeout close console
  constructor createImageBitmap crossOriginIsolated crypto decodeURI decodeURIComponent dispatchEvent encodeURI
  encodeURIComponent escape eval fetch globalThis isFinite isNaN isSecureContext location name navigator onerror
  onlanguagechange onmessage onmessageerror onrejectionhandled onrtctransform onunhandledrejection origin
  parseFloat parseInt performance postMessage queueMicrotask removeEventListener reportError requestAnimationFrame
  scheduler self setInterval setTimeout structuredClone trustedTypes undefined unescape
`;

/** In Chromium 156 alone. */
const CHROMIUM = `
  BackgroundFetchManager BackgroundFetchRecord BackgroundFetchRegistration CSSKeywordValue CSSMathClamp
  CSSMathInvert CSSMathMax CSSMathMin CSSMathNegate CSSMathProduct CSSMathSum CSSMathValue CSSNumericArray
  CSSNumericValue CSSSkewX CSSSkewY CSSStyleValue CSSUnitValue CSSUnparsedValue CropTarget GPU GPUAdapter
  GPUAdapterInfo GPUBindGroup GPUBindGroupLayout GPUBuffer GPUBufferUsage GPUCanvasContext GPUColorWrite
  GPUCommandBuffer GPUCommandEncoder GPUCompilationInfo GPUCompilationMessage GPUComputePassEncoder
  GPUComputePipeline GPUDevice GPUDeviceLostInfo GPUError GPUExternalTexture GPUInternalError GPUMapMode
  GPUOutOfMemoryError GPUPipelineError GPUPipelineLayout GPUQuerySet GPUQueue GPURenderBundle
  GPURenderBundleEncoder GPURenderPassEncoder GPURenderPipeline GPUSampler GPUShaderModule GPUShaderStage
  GPUSupportedFeatures GPUSupportedLimits GPUTexture GPUTextureUsage GPUTextureView GPUUncapturedErrorEvent
  GPUValidationError HID HIDConnectionEvent HIDDevice HIDInputReportEvent MediaSource MediaSourceHandle
  NavigatorUAData NetworkInformation Observable Origin PERSISTENT PeriodicSyncManager PressureRecord
  QuotaExceededError RestrictionTarget SecurityPolicyViolationEvent SourceBuffer SourceBufferList StorageBucket
  Subscriber SyncManager TEMPORARY USB USBAlternateInterface USBConfiguration USBConnectionEvent USBDevice
  USBEndpoint USBInTransferResult USBInterface USBIsochronousInTransferPacket USBIsochronousInTransferResult
  USBIsochronousOutTransferPacket USBIsochronousOutTransferResult USBOutTransferResult UserActivation
  WGSLLanguageFeatures WebGLObject when
`;

/** In Firefox 153 alone. */
const FIREFOX = `
  Directory FontFaceSetLoadEvent InternalError ServiceWorker ServiceWorkerContainer TestUtils
  WebTransportReceiveStream WebTransportSendStream dump onoffline ononline
`;

const NAVIGATOR_COMMON =
  'appCodeName appName appVersion constructor hardwareConcurrency language languages onLine platform product userAgent';
const NAVIGATOR_OWN = {
  chromium: 'deviceMemory userAgentData',
  firefox: 'globalPrivacyControl',
};

export function knownMembers(engine: 'chromium' | 'firefox'): {
  readonly globals: ReadonlySet<string>;
  readonly navigator: ReadonlySet<string>;
} {
  const own = { chromium: CHROMIUM, firefox: FIREFOX }[engine];
  return { globals: named(COMMON + own), navigator: named(`${NAVIGATOR_COMMON} ${NAVIGATOR_OWN[engine]}`) };
}

function named(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
