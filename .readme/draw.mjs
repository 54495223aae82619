// The moving picture of the gates, as SVG without a script: CSS moves it, and stops where a reader prefers no motion.

/** @typedef {{name: string, state: string}} Gate */
/** @typedef {{gates: Gate[], text: string, code?: string}} Scene */

const [WIDTH, HEIGHT, SECONDS] = [640, 340, 4.5];
/** How long one gate takes, in seconds. */
const BEAT = 0.25;
/** Characters of a line of the proposal. */
const LINE = 72;

const MARKS = {
  passed: ['good', 'M-5 0.5L-1.5 4L5.5 -4.5'],
  'stopped here': ['bad', 'M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5'],
  'waits for a person': ['wait', 'M-3 -5V5M3 -5V5'],
  'not needed': ['dim', 'M-4 0H4'],
};

/** The whole picture: the scenes one after another, without end.
 * @param {readonly Scene[]} scenes
 * @returns {string} */
export function moving(scenes) {
  const all = scenes.length * SECONDS;
  const shown = (100 / scenes.length).toFixed(2);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="14">
<title id="title">Five proposals on their way through the gates</title>
<desc id="desc">${scenes.map((scene, at) => `${at + 1}. ${escape(begin(scene.text))} ${escape(plain(outcome(scene)))}`).join(' ')}</desc>
<style>
.bg{fill:#fff}.text{fill:#12181d}.soft{fill:#4b5761}.panel{fill:#f3f5f7;stroke:#dbe0e5}.way{stroke:#9aa7b1;stroke-width:2}
.node{fill:#fff;stroke:#9aa7b1;stroke-width:2}.mark{fill:none;stroke-width:2.5;stroke-linecap:round;stroke-linejoin:round}
.good{stroke:#116b3a}.bad{stroke:#a8321f}.wait{stroke:#8a5a00}.dim{stroke:#9aa7b1}
.ring{stroke-width:2.5}.ring.good{fill:#e2f4e9}.ring.bad{fill:#fbe5e1}.ring.wait{fill:#fdf0d5}.ring.dim{fill:#fff}
.saysgood{fill:#116b3a}.saysbad{fill:#a8321f}.sayswait{fill:#8a5a00}
@media(prefers-color-scheme:dark){.bg{fill:#0f1316}.text{fill:#e7ecef}.soft{fill:#a5b1ba}.panel{fill:#161b1f;stroke:#2a3238}.way,.node,.dim{stroke:#58656f}.node,.ring.dim{fill:#0f1316}
.good{stroke:#6fd39a}.bad{stroke:#ff9a85}.wait{stroke:#f0c060}.ring.good{fill:#12301f}.ring.bad{fill:#3a1712}.ring.wait{fill:#33270c}.saysgood{fill:#6fd39a}.saysbad{fill:#ff9a85}.sayswait{fill:#f0c060}}
.scene,.step{opacity:0;animation:shown ${all}s linear infinite}
@keyframes shown{0%,${shown}%{opacity:1}${(Number(shown) + 0.01).toFixed(2)}%,100%{opacity:0}}
@media(prefers-reduced-motion:reduce){.scene,.step{animation:none}.step,.scene:last-child{opacity:1}}
</style>
<rect class="bg" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text class="soft" x="24" y="30">The model proposes</text>
<rect class="panel" x="24" y="40" width="592" height="62" rx="6"/>
<text class="soft" x="24" y="134">Is it valid?</text>
<text class="soft" x="24" y="222">Is it permitted?</text>
<text class="soft" x="216" y="222">Does it run, and is it recorded?</text>
${scenes[0]?.gates.map(ground).join('\n')}
${scenes.map(drawn).join('\n')}
</svg>
`;
}

/** Centre of a gate: six gates in the upper row, four below. @param {number} at */
function place(at) {
  return at < 6 ? { x: 68 + at * 100.8, y: 158 } : { x: 68 + (at - 6) * 100.8, y: 246 };
}

/** A gate that no proposal has reached. @param {Gate} gate @param {number} at */
function ground({ name }, at) {
  const { x, y } = place(at);
  const way = at === 0 || at === 6 ? '' : `<path class="way" d="M${x - 85} ${y}H${x - 16}"/>`;
  return `${way}<circle class="node" cx="${x}" cy="${y}" r="14"/><text class="text" x="${x}" y="${y + 34}" text-anchor="middle">${name}</text>`;
}

/** @param {Scene} scene @param {number} index */
function drawn(scene, index) {
  const start = index * SECONDS;
  const reached = scene.gates.filter(({ state }) => state in MARKS);
  const marks = reached.map((gate, nth) => step(start + 0.4 + nth * BEAT, marked(gate, scene.gates.indexOf(gate))));
  const [tone, words] = outcome(scene);
  const end = step(
    start + 0.4 + reached.length * BEAT,
    `<text class="says${tone}" x="24" y="318" font-size="15" font-weight="600">${escape(words)}</text>`,
  );
  const text = begin(scene.text);
  const said = [text.slice(0, LINE), text.slice(LINE)]
    .map(
      (line, nth) =>
        `<text class="text" x="36" y="${65 + nth * 20}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">${escape(line)}</text>`,
    )
    .join('');
  return `<g class="scene" style="animation-delay:${start}s">${said}${marks.join('')}${end}</g>`;
}

/** @param {Gate} gate @param {number} at */
function marked({ state }, at) {
  const { x, y } = place(at);
  const [tone, path] = MARKS[/** @type {keyof typeof MARKS} */ (state)];
  return `<circle class="ring ${tone}" cx="${x}" cy="${y}" r="14"/><path class="mark ${tone}" transform="translate(${x} ${y})" d="${path}"/>`;
}

/** @param {number} seconds @param {string} content */
function step(seconds, content) {
  return `<g class="step" style="animation-delay:${seconds.toFixed(2)}s">${content}</g>`;
}

/** Tone and sentence of the last gate that the proposal reached. @param {Scene} scene @returns {[string, string]} */
function outcome({ gates, code }) {
  const at = (/** @type {string} */ state) => gates.find((gate) => gate.state === state)?.name;
  const stopped = at('stopped here');
  if (at('waits for a person') !== undefined) return ['wait', 'A person is asked about this exact call.'];
  if (stopped === undefined) return ['good', 'The call ran in the sandbox. Its receipt is in the ledger.'];
  return ['bad', `Stopped at ${stopped}: ${code}. The model is told why.`];
}

/** @param {[string, string]} outcome */
function plain([, words]) {
  return words;
}

/** The beginning of a proposal. @param {string} text */
function begin(text) {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > 2 * LINE ? `${flat.slice(0, 2 * LINE - 1)}…` : flat;
}

/** @param {string} text */
function escape(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
