// The client of the page. It connects at once, and reconnects after every cut.
import { HarnessClient } from 'bridle/client'
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
url.searchParams.set('userId', user)
const agent = query.get('agent')
if (agent) url.searchParams.set('agent', agent)

/** The server of this example has the agent `notes` for sessions that name none. */
export const agentName = agent ?? 'notes'

/** The same session, to speak with. */
export const voiceUrl = new URL(`/sessions/${encodeURIComponent(`user:${user}`)}/voice`, url).href

export const client = new HarnessClient({ url: url.href })

export const useSession = () => useHarness(client)
