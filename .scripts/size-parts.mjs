// Parts of bundles that `npm run size -- --ablate` leaves out, one at a time.

/** @typedef {{what: string, when: string, files: RegExp}} Part a part, when a visit needs it, and its modules */
/**
 * @typedef {{name: string, entry: string, config?: string, parts: readonly Part[]}} Ablation a bundle: its entry, its
 *   configuration where it has one, and its parts
 */

/** When a visit needs a part. */
export const FIRST = 'the first run';
export const OPENING = 'each opening';

/** @type {readonly Part[]} */
const KERNEL = [
  {
    what: 'content with its search',
    when: 'a run with content',
    files: /^(workers\/content\/|core\/content\/|workers\/run\/(expand|search)-power)/,
  },
  { what: 'of that, the search', when: 'a search', files: /^workers\/content\/search\.ts/ },
  {
    what: 'upkeep: backup, retention, checks',
    when: 'a request of the person',
    files: /^(workers\/backup\/|workers\/audit\/verify-log|workers\/kernel\/retention|workers\/store\/scratch)/,
  },
  {
    what: 'resuming and restoration of runs',
    when: 'a later visit',
    files: /^(core\/run\/resume\/|workers\/run\/reopen)/,
  },
  {
    what: 'erasure and rewriting of files',
    when: 'an erasure',
    files: /^workers\/store\/(mirror\/(rewrite|renewal|scan|restorable)|journal\/compaction|idb\/restore)/,
  },
  {
    what: 'filling and comparing the index',
    when: OPENING,
    files: /^workers\/store\/mirror\/(compare|arrange|index-fill|tails|begun-epoch|epochs|found-event|witness)/,
  },
  {
    what: 'dialects but the one of the page',
    when: 'a run in them',
    files: /^core\/protocol\/(femtoclaw|catalytic)\.ts/,
  },
  { what: 'validators of built-in schemas', when: FIRST, files: /^core\/schema\/validators\.generated/ },
  { what: 'judge of other schemas', when: FIRST, files: /^core\/schema\/(?!validators)/ },
  {
    what: 'powers of guests',
    when: 'a guest that asks',
    files: /^(core\/run\/powers\/|workers\/run\/(page|built-in|runtime)-powers)/,
  },
  { what: 'telemetry', when: FIRST, files: /^(core\/telemetry\/|workers\/run\/telemetry)/ },
  { what: 'signing where the browser cannot', when: 'a checkpoint', files: /^node_modules\/@noble\/ed25519\// },
  { what: 'words of refusals', when: 'a refusal', files: /^core\/errors\/(?!refuse|details)/ },
  { what: 'store in memory', when: 'no storage', files: /^workers\/store\/memory\// },
  { what: 'hash in WebAssembly', when: FIRST, files: /^workers\/hash\// },
];

/** @type {readonly Part[]} */
const VERIFIER = [
  { what: 'our loop of SHA-256', when: 'each file', files: /^core\/sha256\.ts/ },
  { what: 'SHA-256 of noble', when: 'each file', files: /^node_modules\/@noble\/hashes\// },
  { what: 'form of each kind of record', when: 'each file', files: /^core\/ledger\/(form|kinds\/.*)\.ts/ },
  { what: 'receipts against verdicts', when: 'each file', files: /^core\/ledger\/receipt\.ts/ },
  { what: 'checkpoints and anchors', when: 'a checkpoint', files: /^core\/ledger\/(checkpoint|anchor)\.ts/ },
  { what: 'payloads', when: 'each file', files: /^core\/ledger\/(payloads|base64|salt)\.ts/ },
  { what: 'words of refusals', when: 'a refusal', files: /^core\/errors\/(?!refuse|details)/ },
  { what: 'checks of options', when: 'options', files: /^core\/option\.ts/ },
];

/** @type {readonly Part[]} */
const ELEMENT = [
  { what: 'style', when: FIRST, files: /^web\/element\/style/ },
  { what: 'words for records', when: FIRST, files: /^web\/records\// },
  { what: 'sessions of a caller', when: 'a session', files: /^workers\/client\/session/ },
  { what: 'upload of content', when: 'content of the page', files: /^workers\/client\/content/ },
  { what: 'words of refusals', when: 'a refusal', files: /^core\/errors\/(?!refuse|details)/ },
  { what: 'lit', when: FIRST, files: /^node_modules\/(lit-html|@lit)\// },
];

/** @type {readonly Ablation[]} */
export const ABLATIONS = [
  { name: 'kernel worker', entry: 'workers/kernel/worker.ts', parts: KERNEL },
  { name: 'verifier alone', entry: 'core/verify.ts', parts: VERIFIER },
  { name: 'element + client', entry: 'web/element.ts', config: '.scripts/vite/element.ts', parts: ELEMENT },
];
