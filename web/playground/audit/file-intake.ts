import type { ReactiveController } from 'lit';
import { auditView } from '../../texts/en/audit-view.ts';
import type { View } from '../parts/view.ts';
import { packedIn } from '../send/run-link.ts';

/** Takes what a person picks, drops or pastes into Audit: a file, the text of an export, or a link with a run in it. */
export class FileIntake implements ReactiveController {
  readonly #host: View;

  constructor(host: View) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    document.addEventListener('paste', this.#onPaste);
  }

  hostDisconnected(): void {
    document.removeEventListener('paste', this.#onPaste);
  }

  readonly pick = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file !== undefined) this.#openFile(file);
    input.value = '';
  };

  readonly drop = (event: DragEvent): void => {
    event.preventDefault();
    this.#take(event.dataTransfer);
  };

  /** A paste into a field stays in the field. */
  readonly #onPaste = (event: ClipboardEvent): void => {
    const [target] = event.composedPath();
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) this.#take(event.clipboardData);
  };

  #take(data: DataTransfer | null): void {
    const text = data?.getData('text') ?? '';
    const pasted = text.trimStart().startsWith('{') ? new File([text], auditView().pasted) : undefined;
    const file = data?.files[0] ?? pasted;
    const packed = file === undefined ? packedIn(text) : undefined;
    if (file !== undefined) this.#openFile(file);
    else if (packed !== undefined) this.#host.store.place.sent.value = packed;
  }

  /** A file takes the place of the run that a link brought. */
  #openFile(file: File): void {
    const { place, audit } = this.#host.store;
    place.sent.value = undefined;
    void audit.openFile(file);
  }
}
