import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openDirectoryStore } from '../../../../workers/store/directory/store.ts';
import { valueOf } from '../../store/store-suite.ts';
import { contentSuite } from './content-suite.ts';

const base = mkdtempSync(join(tmpdir(), 'sallyport-content-'));
let places = 0;

afterAll(() => rmSync(base, { recursive: true, force: true }));

contentSuite(
  'in a directory',
  async () => {
    const directory = join(base, `place-${places++}`);
    return { open: async () => valueOf(openDirectoryStore(directory)) };
  },
  10,
);
