import { StrictMode, useMemo, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { defineCapability, fromScript } from 'sallyport';
import 'sallyport/element';
import { useRecords, useRun, useRuntime } from 'sallyport/react';

const greet = defineCapability({
  name: 'greet',
  version: '1.0.0',
  description: 'Greets somebody.',
  effect: 'pure',
  args: {
    type: 'object',
    required: ['name'],
    additionalProperties: false,
    properties: { name: { type: 'string', maxLength: 40 } },
  },
  // A string, because a bundler may rewrite a function's text.
  source: 'export default ({ name }) => `Hello, ${name}.`;',
});
const capabilities = [greet];
const grants = [{ capability: 'greet', mode: 'allow' }];

function modelFor(name) {
  const call = { next_step: { tool: 'greet', arguments: { name }, goal: 'greet' } };
  return fromScript([call, { done: true, message: `${name} was greeted.` }]);
}

/** React 19 sets properties and listens to events of custom elements by itself: no wrapper is needed. */
function WithElement() {
  const [name, setName] = useState('Ada');
  const [said, setSaid] = useState('');
  const element = useRef(null);
  const model = useMemo(() => modelFor(name), [name]);
  return (
    <section>
      <h2>The element</h2>
      <label>
        Name <input value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <button type="button" onClick={() => element.current.start(`Greet ${name}.`)}>
        Greet
      </button>
      <sallyport-run
        ref={element}
        store="memory"
        capabilities={capabilities}
        grants={grants}
        model={model}
        onsallyport-done={(event) => setSaid(event.detail.message ?? event.detail.code)}
      />
      <output>{said}</output>
    </section>
  );
}

/** Outside of the components, so that all of them share one runtime. A person approves each greeting. */
const options = { store: 'memory', capabilities, grants: [{ capability: 'greet', mode: 'ask' }] };

/** The hooks: a run in a program's own markup. */
function WithHooks() {
  const { status, runtime, error } = useRuntime(options);
  const [run, setRun] = useState();
  const state = useRun(run);
  const { records, count } = useRecords(run, { last: 20 });
  const start = () => setRun(runtime.start({ dialect: 'xct', task: 'Greet Ada.', model: modelFor('Ada') }));
  const question = state?.question;
  return (
    <section>
      <h2>The hooks</h2>
      <p>{status === 'failed' ? String(error) : (runtime?.info.isolation ?? 'Opening…')}</p>
      <button type="button" disabled={runtime === undefined} onClick={start}>
        Start
      </button>
      {question && (
        <fieldset>
          <legend>
            Approve {question.request.capability} with {question.request.args}?
          </legend>
          <button type="button" onClick={() => question.answer({ approved: true })}>
            Approve
          </button>
          <button type="button" onClick={() => question.answer({ approved: false, reason: 'Not now.' })}>
            Deny
          </button>
        </fieldset>
      )}
      <ol aria-label={`${count} records`}>
        {records.map(({ run_seq, kind }) => (
          <li key={run_seq}>{kind}</li>
        ))}
      </ol>
      <output>{state?.view.end?.message}</output>
    </section>
  );
}

createRoot(document.querySelector('#root')).render(
  <StrictMode>
    <WithElement />
    <WithHooks />
  </StrictMode>,
);
