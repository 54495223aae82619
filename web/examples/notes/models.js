import { fromEndpoint } from './sallyport/index.js';
import { standIn } from './stand-in.js';

/** A model on this computer is another program all the same, so it is told nothing private before a person agrees. */
function asStranger(model, server) {
  return { id: model.id, propose: model.propose, locality: { kind: 'remote', origin: new URL(server).origin } };
}

/** A model server on this computer. While no server answers, a script stands in. */
async function serverModel({ server, model }, question, goesOn) {
  const door = await fromEndpoint({ baseUrl: server, model });
  const close = () => door.close();
  // a run that goes on keeps its server, and waits while that does not answer
  if (goesOn) return { model: asStranger(door, server), close };
  const { status, models } = await door.test();
  if (status === 'ok') return { model: asStranger(door, server), close };
  close();
  if (status === 'unreachable') return { model: standIn(question), note: 'A script answers, because no server does: ' };
  if (status === 'unknown_model') throw new Error(`The server has no model ${model}. It has: ${models.join(', ')}`);
  throw new Error(`The server cannot be used from ${location.origin}: ${status}`);
}

let loaded;

/** A file of a model, in a worker that the browser locks. The last file stays loaded for the next question. */
async function fileModel({ file }) {
  const { openModelWorker } = await import('./sallyport/models.js');
  const key = [file.name, file.size, file.lastModified].join();
  if (loaded?.key !== key) {
    loaded?.model.close();
    loaded = undefined;
    const model = await openModelWorker('worker-model.js', { assets: 'wllama/', data: file });
    loaded = { key, model };
  }
  return { model: loaded.model };
}

/** The small model, of the package sallyport-small-model: 0.7 million parameters, which know fifteen tools. */
async function smallModel() {
  const { fromSmallModel } = await import('./sallyport/models.js');
  const weights = await fetch('sallyport/small-model.bin');
  if (!weights.ok) throw new Error('The small model is not installed: npm install sallyport-small-model');
  return { model: fromSmallModel(new Uint8Array(await weights.arrayBuffer())) };
}

/** Each gives the model for a question that begins or goes on, and where there is one the function that ends it. */
export const MODELS = { server: serverModel, file: fileModel, small: smallModel };
