import { databasesInNode } from './databases.mjs';
import { startInNode, startInPage } from './first-receipt.mjs';
import { heldInNode, heldInPage } from './held.mjs';
import { gatewayInNode } from './mcp.mjs';
import { peersInNode } from './peers.mjs';
import { shippedInNode, shippedInPage } from './shipped.mjs';

/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('./trees.mjs').Tree} Tree */
/**
 * @typedef {{bench: import('./engines.mjs').Bench, trees: {now: Tree, before?: Tree}, wasm: Uint8Array,
 *   signal: AbortSignal, keep: (rows: readonly Row[]) => void}} Outside the parts that measure, and the built packages;
 *   a long section keeps its first rows before its last
 * @typedef {{name: string, run: (outside: Outside) => Promise<Row[]>}} OutsideSection
 */

/** Sections that drive the built package or other packages, and so are no part of a bundle.
 * @type {Readonly<Record<string, readonly OutsideSection[]>>} */
export const OUTSIDE = {
  node: [
    { name: 'shipped', run: shippedInNode },
    { name: 'memory', run: heldInNode },
    { name: 'start', run: startInNode },
    { name: 'mcp', run: gatewayInNode },
    { name: 'databases', run: databasesInNode },
    { name: 'peers', run: peersInNode },
  ],
  chromium: [
    { name: 'shipped', run: shippedInPage },
    { name: 'memory', run: heldInPage },
    { name: 'start', run: startInPage },
  ],
};
