import { html, type TemplateResult } from 'lit';
import { type Area, area } from '../area.ts';
import { number, plural } from '../intl.ts';

const en = {
  which: 'Which model',
  offers: {
    small: {
      word: 'A small model, in this page',
      hint: 'Ours: 0.7 megabytes, and it knows 15 tools.',
    },
    gguf: { word: 'A GGUF file on this device', hint: 'A model of your own, by llama.cpp in WebAssembly.' },
    browser: { word: 'The browser’s model', hint: 'The browser keeps it.' },
    server: { word: 'A model server', hint: 'On this device or elsewhere, in the form of OpenAI.' },
  },
  places: {
    page: 'in this page',
    browser: 'kept by the browser',
    threads: (threads: number): string =>
      `on this device, in ${plural(threads, { one: '# thread', other: '# threads' })}`,
  },
  names: { small: 'The small model', browser: 'The browser’s model' },
  changeServer: 'Change the server',
  anyServer: 'Any server that speaks the OpenAI form will do: Ollama, llama.cpp, LM Studio, vLLM.',
  connect: 'Connect a model',
  knowsForms: 'It knows the wire forms XCT and FemtoClaw. Choose one of them below.',
  rate: (tokens: number): string => `, ${number(tokens, { maximumFractionDigits: 1 })} tokens a second`,
  begunWithout: 'A run names its model in its first record, and this one began without it.',
  newRun: 'New run with this model',
  cancel: 'Cancel',

  said: {
    title: 'What it said',
    step: (step: number): string => `Step ${step}`,
    failed: (code: unknown): TemplateResult =>
      html`Failed in the sandbox: ${code}. The model is told why, and may correct itself.`,
    refused: (gate: string, code: unknown): TemplateResult =>
      html`Refused at ${gate}: ${code}. The model is told why, and may correct itself.`,
    aGate: 'a gate',
    ran: (name: unknown): TemplateResult => html`${name} ran.`,
    noWord: 'Waiting for its first word. Abort stops it.',
    characters: (characters: number): string =>
      `It has said ${plural(characters, { one: '# character', other: '# characters' })}. Abort stops it.`,
    saying: 'What the model is saying',
    words: 'The model’s words',
    explained:
      'The words are the model’s: it can say a wrong number fluently. A value is what the capability returned, and its receipt proves it.',
  },

  small: {
    constrain: (): TemplateResult =>
      html`Hold it to the form of a proposal<span class="soft"> · off: it says its most likely text</span>`,
    /** `limits` is the sentence of the package about what the model can do. */
    limits: (limits: string): string => limits,
    noWeights: 'The weights of the small model could not be loaded. Choose it again online.',
    elsewhere:
      'The small model is a package of its own. Run npm install sallyport-small-model, then start the server again.',
  },

  browser: {
    asking: 'Asking the browser…',
    states: {
      unavailable: 'This browser has the interface, and no model for this device.',
      downloadable: 'The browser can download its model. It keeps it for every page.',
      downloading: 'The browser is downloading its model.',
      available: 'The browser has its model on this device.',
    },
    explained:
      'The page sees its words only. Its maker decides what it does behind its interface. The browser may check its answers, and its vendor says what leaves the device.',
    use: 'Use it',
    download: 'Download it',
    preparing: 'Making it ready…',
    progress: 'Download of the browser’s model',
  },

  gguf: {
    label: 'Models on this device',
    loaded: 'Loaded',
    load: 'Load',
    loadNamed: (name: string): string => `Load ${name}`,
    remove: 'Remove…',
    removeNamed: (name: string): string => `Remove ${name}…`,
    removeQuestion: (name: unknown, size: string): TemplateResult =>
      html`Remove ${name} from this device? Its ${size} are freed. The records of its runs stay.`,
    leave: 'Leave it',
    removeIt: 'Remove it',
    pick: 'Pick a GGUF file',
    drop: 'Or drop it here. It is copied into the private files of this page, and answers without a network from then on.',
    loading: (name: string): string => `Loading ${name}`,
    copying: (name: string): string => `Copying ${name}`,
    reading: (name: string): string => `Reading ${name}`,
    noEngine: 'The engine could not be loaded. It comes with the first model, once the device is online.',
    noEngineHere:
      'This playground has no engine for GGUF models, as that of the npm package, which leaves these 9 MB out. The playground of the repository has it: run npm start there. A model server can serve the file, too.',
    noRoom: (name: string, size: string, room: string): string =>
      `${name} has ${size}, and the browser has ${room} left for this page. Remove another model, or free space on the disk.`,
    oneThread: 'The engine computes in one thread, because this page is not isolated from other origins.',
    threads: (threads: number): string => `The engine computes in ${number(threads)} threads.`,
    withGpu: 'This browser has WebGPU; the engine computes on the processor, and needs none.',
    withoutGpu: 'There is no WebGPU here; the engine computes on the processor, and needs none.',
    limit: 'A model and its context have 4 GB at most.',
    unknown: 'unknown',
    notGguf: 'This file is no model in the GGUF format. Pick a file that ends in .gguf.',
    cutInHead: (used: string): string => `This file is cut: it ends after ${used}, inside its head. Download it again.`,
    cut: (used: string, size: string): string => `This file is cut: it has ${used} of ${size}. Download it again.`,
    tooLarge: (used: string, limit: string): string =>
      `This model needs ${used} of memory, and ${limit} is the limit here. The engine’s addresses end at 4 GB, and the device may have less. Pick a smaller model, or one with fewer bits a weight (Q4).`,
    noMemory: 'The browser does not have the memory for this model now. Close other tabs, or pick a smaller model.',
    noMemory64:
      'This browser lacks 64-bit memories for WebAssembly, which the engine needs. A current Chromium or Firefox has them.',
    notLoaded: 'The engine does not know this model. Its file may be a part of a model, or newer than the engine.',
  },
};

export type ModelTexts = typeof en;
export const models: Area<ModelTexts> = area('models', en);
