import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

export type Language = 'javascript' | 'json';

/** A fault at a place in the text; without a place it concerns the whole text. Lines and columns count from 1. */
export interface EditorMark {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

interface EditorOptions {
  readonly parent: HTMLElement;
  readonly root: ShadowRoot;
  readonly text: string;
  readonly language: Language;
  readonly label: string;
  readonly changed: (text: string) => void;
}

export interface Editor {
  /** Replaces the text if it differs; the replaced text can be restored by undo. */
  write(text: string): void;
  mark(marks: readonly EditorMark[]): void;
  goTo(line: number, column: number): void;
  focus(): void;
  destroy(): void;
}

const LANGUAGES: { readonly [L in Language]: () => Extension } = { javascript: () => javascript(), json: () => json() };

/**
 * The code editor. It lives in a shadow root, where its styles are adopted as sheets, so it needs no exception in the
 * page's policy. Tab moves the focus, as in every field; Ctrl+] indents.
 */
export function mountEditor({ parent, root, text, language, label, changed }: EditorOptions): Editor {
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({ doc: text, extensions: extensionsOf(language, label, changed) }),
  });
  return {
    write: (next) => {
      const now = view.state.doc.toString();
      if (next !== now) view.dispatch({ changes: { from: 0, to: now.length, insert: next } });
    },
    mark: (marks) =>
      view.dispatch(
        setDiagnostics(
          view.state,
          marks.map((mark) => diagnosticOf(view.state, mark)),
        ),
      ),
    goTo: (line, column) => {
      view.dispatch({ selection: { anchor: placeOf(view.state, line, column) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

function extensionsOf(language: Language, label: string, changed: (text: string) => void): Extension[] {
  return [
    lineNumbers(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    drawSelection(),
    history(),
    indentOnInput(),
    bracketMatching(),
    EditorState.tabSize.of(2),
    LANGUAGES[language](),
    syntaxHighlighting(COLOURS),
    keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off', tabindex: '0' }),
    TYPED_OVER,
    EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
    EditorView.theme(LOOK),
  ];
}

/**
 * Typed over coloured text, a browser writes inline styles of its own to keep the colour, and the page's policy
 * complains about each. The text that was meant is put in by the editor instead.
 */
const TYPED_OVER = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const over = event.inputType === 'insertText' && !view.state.selection.main.empty && !view.composing;
    if (!over || event.data === null) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

function placeOf(state: EditorState, line: number, column: number): number {
  const at = state.doc.line(Math.min(Math.max(line, 1), state.doc.lines));
  return Math.min(at.from + Math.max(column - 1, 0), at.to);
}

function diagnosticOf(state: EditorState, { message, line = 1, column = 1 }: EditorMark): Diagnostic {
  const from = placeOf(state, line, column);
  return { from, to: Math.min(from + 1, state.doc.length), severity: 'error', message };
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--accent)', fontWeight: '650' },
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null, tags.regexp], color: 'var(--wait)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--good)' },
  { tag: [tags.comment], color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.invalid], color: 'var(--bad)' },
]);

const LOOK = {
  '&': { height: '100%', fontSize: '1rem', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '0.5rem 0' },
  // lies over the text where that is scrolled sideways
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--soft)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent-wash) 55%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--accent-wash) 55%, var(--raised))' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-wash) !important' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--edge)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--bad)',
    textUnderlineOffset: '3px',
  },
  '.cm-matchingBracket': { outline: '1px solid var(--edge)', backgroundColor: 'transparent !important' },
};
