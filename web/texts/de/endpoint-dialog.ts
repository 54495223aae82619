import type { EndpointDialogTexts } from '../en/endpoint-dialog.ts';

export const endpointDialog: EndpointDialogTexts = {
  title: 'Ein Modellserver',
  close: 'Schließen',
  server: 'Server',
  otherServer: 'Ein anderer Server',
  base: 'Basis-URL',
  baseHint: 'Jeder Server mit der Schnittstelle von OpenAI: Ollama, llama.cpp, LM Studio, vLLM.',
  model: 'Modell',
  key: 'Schlüssel, falls nötig',
  keyHint: 'Bleibt im Arbeitsspeicher und geht nur an diesen Server. Steht nie in Einträgen, Exporten oder Links.',
  native: 'Durch Aufrufe eigener Werkzeuge vorschlagen',
  nativeHint: ' · für gehostete Modelle; Modelle auf diesem Gerät halten sich besser an JSON-Text',
  list: 'Modelle auflisten',
  test: 'Verbindung testen',
  use: 'Dieses Modell verwenden',
  gates:
    'Die Vorschläge eines Modells passieren dieselben Schranken wie Ihre. Bevor private Daten an ein Modell außerhalb dieses Geräts gehen, fragt die Seite Sie.',
  asking: 'Anfrage läuft …',
  useAddress: (address) => `${address} verwenden`,
};
