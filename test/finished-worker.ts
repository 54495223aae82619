/**
 * A worker of a module that was built as one script (`?script`), as the package ships it. A worker from source would
 * request every module from the test server at each start.
 */
export function finishedWorker(script: string): Worker {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.addEventListener('message', () => URL.revokeObjectURL(url), { once: true });
  return worker;
}
