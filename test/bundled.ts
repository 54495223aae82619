import { build } from 'vite';

/** A module with all its imports, as a single script. An import from Node would fail in a page. */
export async function bundled(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, target: 'es2024', lib: { entry, formats: ['es'] } },
  });
  const [output] = Array.isArray(result) ? result : [result];
  if (output === undefined || !('output' in output)) throw new Error('nothing was built');
  return output.output[0].code;
}
