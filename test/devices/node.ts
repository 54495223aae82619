import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { COMMON, DeviceTest, type TestPlace, tryPart } from '../../web/selftest/parts.ts';
import { FORM, PART_IDS, type PartResult, parseFragment, type SelftestResult } from '../../web/selftest/result.ts';
import { openRuntime } from '../../workers/node.ts';

export { parseFragment };

/** The self-test in this program of Node, over a directory; without the parts that need a page. */
export async function testNode(): Promise<SelftestResult> {
  const directory = await mkdtemp(join(tmpdir(), 'sallyport-selftest-'));
  const place: TestPlace = {
    isShared: false,
    open: (options) => openRuntime({ ...options, store: { directory } }),
    openInMemory: (options) => openRuntime(options),
  };
  const test = new DeviceTest(place, new AbortController().signal);
  const parts: { [part: string]: PartResult } = {};
  for (const id of PART_IDS) {
    const act = COMMON[id];
    parts[id] = act === undefined ? { outcome: 'not_tried', ms: 0, reason: 'no_page' } : await tryPart(id, act, test);
  }
  await test.close();
  await rm(directory, { recursive: true });
  return {
    form: FORM,
    product: manifest.version,
    at: `${new Date().toISOString().slice(0, 19)}Z`,
    device: { browser: 'Node', version: process.versions.node, system: `${process.platform} ${process.arch}` },
    parts,
  };
}
