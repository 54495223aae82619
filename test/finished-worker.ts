/**
 * A worker of a module that was finished as one script (`?script`), as the package ships it: from source a worker asks
 * the test server for every module it has, each time one is started.
 */
export function finishedWorker(script: string): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
  return worker;
}
