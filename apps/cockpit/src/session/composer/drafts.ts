// Prompts that were begun and not sent, while the page is open: a look at another session must not lose them.
const drafts = new Map<string, string>()

export const readDraft = (session: string): string => drafts.get(session) ?? ''

export const keepDraft = (session: string, text: string): void => {
  if (text === '') drafts.delete(session)
  else drafts.set(session, text)
}
