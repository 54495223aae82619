import { useWasmHash } from '../../workers/auditor/hash/use.ts';
import { methodsAt } from '../../workers/lock/realm-port.ts';
import type { SandboxHost } from '../../workers/sandbox/page.ts';
import { pageSandboxes } from '../../workers/sandbox/page.ts';
import type { SandboxPort } from '../../workers/sandbox/port.ts';
import { ablate } from './ablate.ts';
import { ablateDurable } from './ablate-durable.ts';
import { content, largeContent } from './content.ts';
import { durable } from './durable.ts';
import { group } from './group.ts';
import { hang } from './hang.ts';
import { long } from './long.ts';
import { LARGE, runSections, SECTIONS, type Section } from './sections.ts';

interface Start {
  readonly wasm: Uint8Array;
  readonly wanted: readonly string[];
  readonly page: MessagePort;
}

/** Opens a pool as the kernel opens its own. */
async function pool(page: SandboxHost): Promise<SandboxPort> {
  return (await pageSandboxes(page)()).sandbox;
}

// As in the kernel and in the auditor.
useWasmHash();

/** Runs in a worker of a browser with a profile on disk: started with the names of sections, answers with rows. */
self.onmessage = async ({ data }: MessageEvent<Start>) => {
  const page = methodsAt<SandboxHost>(data.page, { spawn: true, kill: true, ended: true, scripts: true });
  const sections: readonly Section[] = [
    ...SECTIONS,
    { name: 'hang', rounds: 3, run: (_wasm, rounds) => hang(() => pool(page), rounds) },
    { name: 'durable', rounds: 7, run: durable },
    { name: 'durable', rounds: 5, run: group },
    { name: 'ablate', rounds: 7, run: (wasm, rounds) => ablate(wasm, rounds, useWasmHash) },
    { name: 'ablate', rounds: 7, run: ablateDurable },
    { name: 'long', rounds: 3, run: (_wasm, rounds) => long(rounds) },
    { name: 'index', rounds: 3, run: (_wasm, rounds) => content(rounds) },
    // These take minutes: they run by name only.
    ...LARGE.filter((part) => data.wanted.includes(part)).map((part) => {
      return { name: part, rounds: 1, run: () => largeContent(part) };
    }),
  ];
  try {
    await runSections(sections, data.wanted, data.wasm, (rows, section) => self.postMessage({ rows, section }));
    self.postMessage({ done: true });
  } catch (error) {
    self.postMessage({ failed: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
  }
};
