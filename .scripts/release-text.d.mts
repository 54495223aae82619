/** The version that `wanted` means behind `current`; undefined when it is no later version. */
export function nextVersion(current: string, wanted: string): string | undefined;

/** The unreleased part of the changelog, without its heading; undefined when it is missing or has no line. */
export function unreleasedPart(changelog: string): string | undefined;

/** The part of the changelog beneath a version; undefined when the version has no heading. */
export function versionPart(changelog: string, version: string): string | undefined;

/** Every text as the release has it. */
export function releasedTexts(
  texts: { manifest: string; lock: string; changelog: string; versions: string },
  release: { version: string; date: string; isTagged: boolean },
): { manifest: string; lock: string; changelog: string; versions: string; citation: string };
