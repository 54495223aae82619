import type { ApprovalAnswer } from '../../workers/api.ts';

type Decide = (answer: ApprovalAnswer) => void;

/** Neither an event nor a member of the card: the page could send the one and call the other. */
const deciders = new WeakMap<Element, Decide>();

/** Names who is told what a person decides on this card; nothing else tells them. */
export function whenDecided(card: Element, decide: Decide): void {
  deciders.set(card, decide);
}

/** For the card alone, which has seen a person's gesture. */
export function decided(card: Element, answer: ApprovalAnswer): void {
  deciders.get(card)?.(answer);
}
