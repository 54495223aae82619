import { html } from 'lit';
import type { CopyCodeTexts } from '../en/copy-code.ts';

export const copyCode: CopyCodeTexts = {
  title: 'Als Code kopieren',
  intro:
    'Die Aufgabe, die Werkzeuge, die Freigaben und wer vorschlägt: der offene Lauf als vollständige Dateien. Ein Schlüssel ist nie darunter.',
  close: 'Schließen',
  where: 'Wo der Code laufen wird',
  places: { node: 'Ein Node-Programm', page: 'Eine Seite mit Bundler', embed: 'Einbetten: eine Seite mit dem Element' },
  waits: 'Beginnen Sie zuerst einen Lauf: Der Code entsteht aus seinen ersten Einträgen.',
  copy: 'Kopieren',
  copyFile: (name) => `${name} kopieren`,
  save: 'Speichern',
  saveFile: (name) => `${name} speichern`,
  copied: (name) => `${name} ist kopiert.`,
  notCopied: 'Der Browser ließ die Seite nicht kopieren. Wählen Sie den Text aus, und kopieren Sie ihn.',
  saved: (name) => `${name} ist gespeichert.`,
  person: 'Ein Modell dieser Seite oder dieses Geräts lässt sich nicht kopieren, also schlägt im Code eine Person vor.',
  noScript:
    'Das Element hat keine Person an der Stelle des Modells: Setzen Sie sein Modell in einem Skript Ihrer Seite.',
  papers:
    'Die Datei eines Szenarios enthält keine Papiere: Fügen Sie sie in einem Skript Ihrer Seite hinzu, oder wählen Sie eine andere Form der Vorschläge.',
  left: (names) => `Nicht kopiert, weil ein anderes Programm sie ausführt: ${names}`,
  headers: () =>
    html`Stellen Sie den Ordner <code>dist/</code> des Pakets als <code>sallyport/</code> neben diese Dateien. Der Server muss seine Worker mit dem Header <code>Content-Security-Policy: default-src 'none'; script-src 'wasm-unsafe-eval'; worker-src 'none'; connect-src 'none'</code> senden: <a href="docs/headers.html" hreflang="en">Header für Ihren Host</a>.`,
};
