// Where the server is: the page comes from it, perhaps below a path of a proxy, which the page's head names.

/** The path below which the server stands, with a slash at its end. */
export const basePath: string =
  document.querySelector<HTMLMetaElement>('meta[name="bridle-base"]')?.content.replace(/\/*$/, '/') ?? '/'

export const serverUrl: string = new URL(basePath, location.href).href

/** The address of a session's socket. */
export const socketUrl = (sessionId: string, agent?: string): string => {
  const url = new URL('ws', serverUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.searchParams.set('sessionId', sessionId)
  if (agent !== undefined) url.searchParams.set('agent', agent)
  return url.href
}

/** The address of a session's voice. */
export const voiceUrl = (sessionId: string): string => {
  const url = new URL(`sessions/${encodeURIComponent(sessionId)}/voice`, serverUrl)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  return url.href
}
