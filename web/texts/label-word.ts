import { records } from './en/records.ts';

/** A label of data in the language of the interface. A stranger's file may have others: they stay as they are. */
export function labelWord(label: string): string {
  const { labels }: { readonly labels: { readonly [label: string]: string } } = records();
  return (Object.hasOwn(labels, label) ? labels[label] : undefined) ?? label;
}
