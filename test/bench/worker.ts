import { content, largeContent } from './content.ts';
import { durable } from './durable.ts';
import { group } from './group.ts';
import { long } from './long.ts';
import { runSections, SECTIONS, type Section } from './sections.ts';

/** In a worker of a browser with a profile on disk: started with the names of sections, answers with rows. */
self.onmessage = async ({ data }: MessageEvent<{ readonly wasm: Uint8Array; readonly wanted: readonly string[] }>) => {
  const sections: readonly Section[] = [
    ...SECTIONS,
    { name: 'durable', rounds: 7, run: durable },
    { name: 'durable', rounds: 5, run: group },
    { name: 'long', rounds: 3, run: (_wasm, rounds) => long(rounds) },
    { name: 'index', rounds: 3, run: (_wasm, rounds) => content(rounds) },
    // minutes long: by name only
    ...(data.wanted.includes('large') ? [{ name: 'large', rounds: 1, run: largeContent }] : []),
  ];
  try {
    await runSections(sections, data.wanted, data.wasm, (rows) => self.postMessage({ rows }));
    self.postMessage({ done: true });
  } catch (error) {
    self.postMessage({ failed: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
  }
};
