/**
 * Members of a worker's global by which code reaches storage of the origin, other tabs, other threads, devices or a
 * network past `fetch`. No policy header stops storage or other tabs. The members that the lock's probes try (`fetch`,
 * `EventSource`, `eval`, `import()`) are left to the header, so that the probes still test it.
 */
const GLOBAL_EXITS = [
  'BarcodeDetector',
  'BroadcastChannel',
  'CacheStorage',
  'CookieStore',
  'CreateMonitor',
  'FileSystemObserver',
  'FontFace',
  'IDBFactory',
  'IdleDetector',
  'LanguageDetector',
  'LanguageModel',
  'LockManager',
  'Notification',
  'PressureObserver',
  'PushManager',
  'PushSubscription',
  'RTCDataChannel',
  'RTCPeerConnection',
  'ReportingObserver',
  'ServiceWorkerRegistration',
  'SharedWorker',
  'StorageBucketManager',
  'StorageManager',
  'Summarizer',
  'TCPServerSocket',
  'TCPSocket',
  'Translator',
  'UDPSocket',
  'WebSocketError',
  'WebSocketStream',
  'WebTransport',
  'Worker',
  'caches',
  'cookieStore',
  'fetchLater',
  'fonts',
  'importScripts',
  'indexedDB',
  'webkitRequestFileSystem',
  'webkitRequestFileSystemSync',
  'webkitResolveLocalFileSystemSyncURL',
  'webkitResolveLocalFileSystemURL',
] as const;

const NAVIGATOR_EXITS = [
  'bluetooth',
  'connection',
  'credentials',
  'gpu',
  'hid',
  'locks',
  'mediaCapabilities',
  'ml',
  'permissions',
  'sendBeacon',
  'serial',
  'serviceWorker',
  'storage',
  'storageBuckets',
  'usb',
  'wakeLock',
] as const;

/**
 * Removes these exits from this worker, from its prototypes too, so that no object of the realm leads to them. Each
 * worker calls it first, before its first message; `kept` are exits that a worker needs. Returns the names that could not
 * be removed.
 */
export function closeExits(kept: readonly string[] = []): readonly string[] {
  const closed = (names: readonly string[]) => names.filter((name) => !kept.includes(name));
  return [...remove(globalThis, closed(GLOBAL_EXITS)), ...remove(globalThis.navigator, closed(NAVIGATOR_EXITS))];
}

function remove(from: object | undefined, names: readonly string[]): readonly string[] {
  for (let holder: object | null = from ?? null; holder !== null; holder = Object.getPrototypeOf(holder) as object) {
    for (const name of names) Reflect.deleteProperty(holder, name);
  }
  return names.filter((name) => name in (from ?? {}));
}
