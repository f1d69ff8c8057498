// Prompts that were begun and not sent, while the page is open: a look at another session must not lose them.
const drafts = new Map<string, string>()
const listeners = new Set<() => void>()

/** Two agents may have a session of the same id. */
export interface SessionName {
  readonly id: string
  readonly agent: string
}

export const sessionKey = ({ id, agent }: SessionName): string => JSON.stringify([agent, id])

export const readDraft = (session: SessionName): string => drafts.get(sessionKey(session)) ?? ''

export const keepDraft = (session: SessionName, text: string): void => {
  if (text === '') drafts.delete(sessionKey(session))
  else drafts.set(sessionKey(session), text)
  for (const listener of listeners) listener()
}

/** The composer is not alone in writing a draft: a stop brings prompts of the queue back. */
export const subscribeDrafts = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
