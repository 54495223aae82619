import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Parser from '@actions/workflow-parser';
import { build } from 'vite';

/**
 * The parser of the host that runs workflows. It imports JSON in a form that only bundlers read, so it is bundled
 * first.
 */
export async function loadParser(): Promise<typeof Parser> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-parser-'));
  try {
    await build({
      configFile: false,
      logLevel: 'error',
      ssr: { noExternal: true },
      build: { ssr: 'node_modules/@actions/workflow-parser/dist/index.js', outDir: folder },
    });
    return (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'index.js')).href)) as typeof Parser;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
