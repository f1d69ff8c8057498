// The client of the page. It connects at once, and reconnects after every cut.
import { HarnessClient, threads } from 'bridle/client'
import { useHarness } from 'bridle/react'

/** The same visitor finds the same session. */
const visitor = (): string => {
  const known = localStorage.getItem('visitor')
  if (known) return known
  const made = crypto.randomUUID()
  localStorage.setItem('visitor', made)
  return made
}

const query = new URLSearchParams(location.search)
const url = new URL('/ws', location.href)
url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
const user = query.get('user') ?? visitor()
// The server asks nobody for a password here: the cookie stands for the login of your app.
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser.
document.cookie = `user=${encodeURIComponent(user)}; SameSite=Lax; path=/`
/** The thread that the address names; null = the first one of the user. */
const thread = query.get('thread')
if (thread === null) url.searchParams.set('userId', user)
else url.searchParams.set('sessionId', thread)
const agent = query.get('agent')
if (agent) url.searchParams.set('agent', agent)

/** The server of this example has the agent `notes` for sessions that name none. */
export const agentName = agent ?? 'notes'

const current = thread ?? `user:${user}`

/** The same session, to speak with. */
export const voiceUrl = new URL(`/sessions/${encodeURIComponent(current)}/voice`, url).href

export const client = new HarnessClient({ url: url.href })

/** The threads of this user with this agent. */
export const list = threads({ url: location.origin, agent: agentName, current })

/** Shows a thread; null = the first one. */
export const showThread = (id: string | null): void => {
  if (id === null || id === `user:${user}`) query.delete('thread')
  else query.set('thread', id)
  location.search = String(query)
}

export const useSession = () => useHarness(client)
