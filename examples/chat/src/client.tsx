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
url.searchParams.set('userId', query.get('user') ?? visitor())
const agent = query.get('agent')
if (agent) url.searchParams.set('agent', agent)

export const client = new HarnessClient({ url: url.href })

export const useSession = () => useHarness(client)
