import { type Area, area } from '../area.ts';

const en = {
  title: 'A model server',
  close: 'Close',
  server: 'Server',
  otherServer: 'Another server',
  base: 'Base URL',
  baseHint: 'Any server of the OpenAI form: Ollama, llama.cpp, LM Studio, vLLM.',
  model: 'Model',
  key: 'Key, if it needs one',
  keyHint: 'Kept in the memory of this tab and sent to this server only. Never part of records, exports or links.',
  native: 'Propose by calls of its own tools',
  nativeHint: ' · for hosted models; models on this device keep better to JSON text',
  list: 'List its models',
  test: 'Test the connection',
  use: 'Use this model',
  gates:
    'A model’s proposals pass the same gates as yours. The page asks you before it sends private data to a model outside this device.',
  asking: 'Asking…',
  useAddress: (address: string): string => `Use ${address}`,
};

export type EndpointDialogTexts = typeof en;
export const endpointDialog: Area<EndpointDialogTexts> = area('endpoint-dialog', en);
