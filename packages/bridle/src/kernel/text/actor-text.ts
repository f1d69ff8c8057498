// The name of an actor, for people. The cockpit has the same words.

/** Marks a name that the caller supplied without a credential for it. */
export const actorText = (actor: string, isClaimed: unknown): string =>
  isClaimed === true ? `${actor} (not signed in)` : actor
