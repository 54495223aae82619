import { useNodeHash } from '../../workers/node/hash.ts';

// As in each program of Node that imports the runtime. Runs again before each test file.
useNodeHash();
