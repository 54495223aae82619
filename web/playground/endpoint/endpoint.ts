import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { type EndpointModel, fromEndpoint } from '../../index.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { type EndpointFinding, findingOf } from './endpoint-finding.ts';

/** The entries of a person. The key goes only to the worker that needs it. */
export interface EndpointForm {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string;
}

/** A remote model that has been set, in the words by which a person knows it. */
export interface ConnectedModel {
  readonly model: EndpointModel;
  readonly name: string;
  readonly origin: string;
}

/** The model endpoint of this tab: undefined until a person sets it, and gone when the tab closes. */
export interface EndpointState {
  readonly connected: ReadonlySignal<ConnectedModel | undefined>;
  readonly finding: ReadonlySignal<EndpointFinding | 'testing' | undefined>;
  /** The dialog is open. */
  readonly asks: Signal<boolean>;
  test(form: EndpointForm): Promise<void>;
  /** False for settings that could never work; the finding gives the reason. */
  connect(form: EndpointForm): Promise<boolean>;
  disconnect(): void;
}

/** Calls `note` with every requested address, so that the page counts the data that leaves the device. */
export function openEndpoint(note: (url: string) => void): EndpointState {
  const connected = signal<ConnectedModel | undefined>(undefined);
  const finding = signal<EndpointFinding | 'testing' | undefined>(undefined);
  let attempts = 0;

  /** A later attempt, or another form, makes an earlier answer meaningless. */
  const open = async (form: EndpointForm): Promise<EndpointModel | undefined> => {
    try {
      return await fromEndpoint(settingsOf(form));
    } catch (error) {
      finding.value = { tone: 'bad', text: sentenceOf(error) };
      return undefined;
    }
  };

  return {
    connected,
    finding,
    asks: signal(false),
    async test(form) {
      attempts += 1;
      const mine = attempts;
      finding.value = 'testing';
      const model = await open(form);
      if (model === undefined) return;
      note(`${form.baseUrl}/models`);
      const found = await judge(model, form).catch((error: unknown) => broken(error));
      model.close();
      if (mine === attempts) finding.value = found;
    },
    async connect(form) {
      attempts += 1;
      const model = await open(form);
      if (model === undefined) return false;
      batch(() => {
        connected.peek()?.model.close();
        finding.value = undefined;
        const { origin } = new URL(form.baseUrl);
        connected.value = { model: counted(model, `${form.baseUrl}/chat/completions`, note), name: form.model, origin };
      });
      return true;
    },
    disconnect() {
      connected.peek()?.model.close();
      connected.value = undefined;
    },
  };
}

function settingsOf({ baseUrl, model, apiKey }: EndpointForm) {
  return { baseUrl, model, ...(apiKey === '' ? {} : { apiKey }) };
}

/** Asks for the list first, which costs nothing, then for a tiny answer, because a list proves little. */
async function judge(model: EndpointModel, form: EndpointForm): Promise<EndpointFinding> {
  const { origin } = new URL(form.baseUrl);
  const found = findingOf(await model.test(), { origin, model: form.model, page: location.origin });
  if (found.tone !== 'good') return found;
  const format = await model.probe();
  return { ...found, text: `${found.text} ${FORMATS[format]}` };
}

const FORMATS = {
  json_schema: 'It keeps to a schema.',
  'openai-strict': 'It keeps to a schema by the rules of OpenAI.',
  json_object: 'It keeps to JSON, but to no schema: expect more refusals.',
  none: 'The server cannot hold the model to a form of answer, so expect many refusals.',
} as const;

function broken(error: unknown): EndpointFinding {
  return { tone: 'bad', text: `It lists its models, but gives no answer. ${sentenceOf(error)}` };
}

function counted(model: EndpointModel, url: string, note: (url: string) => void): EndpointModel {
  return { ...model, propose: (request, io) => (note(url), model.propose(request, io)) };
}
