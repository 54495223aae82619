import { type FileRequest, serveFileWork } from '../../../../web/playground/files/file-port.ts';
import { type FileWorker, openFileWorker } from '../../../../web/playground/files/file-worker.ts';

/** The work on texts of runs in this realm: Node has no workers of a page. */
export function localFiles(): FileWorker {
  return openFileWorker((hear) => {
    let ask: (request: FileRequest) => void = () => undefined;
    let isEnded = false;
    serveFileWork(
      (listener) => {
        ask = listener;
      },
      (answer) => void (isEnded || hear(answer)),
    );
    return {
      send: (request) => ask(request),
      end: () => {
        isEnded = true;
      },
    };
  });
}
