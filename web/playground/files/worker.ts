/**
 * Worker that reads, checks, searches, falsifies and writes texts of runs: an export of 50,000 records takes seconds,
 * and the page's thread draws meanwhile. Its header locks it, and the page hands in the files.
 */
import { type FileAnswer, type FileRequest, serveFileWork } from './file-port.ts';

serveFileWork(
  (hear) => addEventListener('message', ({ data }: MessageEvent<FileRequest>) => hear(data)),
  (answer: FileAnswer) => postMessage(answer),
);
