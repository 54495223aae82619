import { build } from 'vite';

/** One module and all it imports, as one script: whatever of Node it used would fail in a page. */
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
