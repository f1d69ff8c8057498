// The addresses of pages. Everything that is selected is in the address, so that a link shows the same thing to somebody else.

export const sessionPath = (
  session: { readonly id: string; readonly agent?: string },
  query: { readonly [name: string]: string } = {},
): string => {
  const asked = new URLSearchParams({ ...(session.agent !== undefined && { agent: session.agent }), ...query })
  return `/s/${encodeURIComponent(session.id)}${asked.size > 0 ? `?${asked}` : ''}`
}

export const inboxPath = (approval?: {
  readonly id: string
  readonly sessionId: string
  readonly agent: string
}): string => {
  if (!approval) return '/inbox'
  const { id, sessionId, agent } = approval
  return `/inbox?${new URLSearchParams({ a: id, s: sessionId, agent })}`
}

/** A part of an address as it was before `encodeURIComponent`. An address that somebody wrote by hand is taken as it is. */
export const pathPart = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const agentPath = (agent: string): string => `/try/${encodeURIComponent(agent)}`

/** The debug page of a session, as `?view=` names it. */
export const DEBUG_VIEW = 'debug'
