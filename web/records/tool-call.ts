type CallEvidence = { readonly [M in 'capability_hash' | 'image_hash']?: string | undefined };

/**
 * True for the evidence of a call that the program carried out: no sandbox ran, so there is no image and no fuel, and
 * the capability's own hash stands in the place of an image.
 */
export function isToolCall({ capability_hash, image_hash }: CallEvidence): boolean {
  return image_hash !== undefined && image_hash === capability_hash;
}
