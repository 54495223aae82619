import { useMemo, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { defineCapability, fromScript } from 'sallyport';
import 'sallyport/element';

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

/** React 19 sets properties and listens to events of custom elements by itself: no wrapper is needed. */
function App() {
  const [name, setName] = useState('Ada');
  const [said, setSaid] = useState('');
  const element = useRef(null);
  const model = useMemo(() => {
    const call = { next_step: { tool: 'greet', arguments: { name }, goal: 'greet' } };
    return fromScript([call, { done: true, message: `${name} was greeted.` }]);
  }, [name]);
  return (
    <main>
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
    </main>
  );
}

createRoot(document.querySelector('#root')).render(<App />);
