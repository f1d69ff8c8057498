// The events of a session, folded while they come. A tab that nobody sees gives its connection back after a while: a browser has only
// six for a server.
import { emptyFrontendState, type FrontendState, frontendCursor, reduceFrontend } from 'bridle/client'
import { useEffect, useState } from 'react'
import { useServer } from '../server/server-context.tsx'

/** A hidden tab gives its connection back after this: long enough for somebody who only looks at another tab for a moment. */
const HIDDEN_MS = 30_000
/** The time between two updates of a hidden tab: its title and its icon need no more. */
const HIDDEN_FRAME_MS = 500

/** The conversation brings text and thoughts over its own socket. */
const omit = ['token', 'thinking']

export const useSessionEvents = (id: string, agent: string): FrontendState => {
  const { client } = useServer()
  const [state, setState] = useState(emptyFrontendState)
  useEffect(() => {
    let folded = emptyFrontendState
    let frame: number | null = null
    let isOver = false
    let feed: AbortController | null = null
    let hiddenTimer: ReturnType<typeof setTimeout> | undefined
    // Many events come at once after a reconnect: the page shows them once per frame, or twice a second where it is hidden.
    const show = (): void => {
      frame = null
      if (!isOver) setState(folded)
    }
    const showSoon = (): void => {
      if (frame !== null) return
      frame = document.hidden ? window.setTimeout(show, HIDDEN_FRAME_MS) : requestAnimationFrame(show)
    }
    const follow = async (): Promise<void> => {
      const controller = new AbortController()
      feed = controller
      const after = folded.seq > 0 ? { after: frontendCursor(folded) } : {}
      const envelopes = client.envelopes(id, { agent, tier: 'debug', omit, signal: controller.signal, ...after })
      try {
        for await (const envelope of envelopes) {
          folded = reduceFrontend(folded, envelope)
          showSoon()
        }
      } catch {
        // The socket of the conversation shows what is wrong; the feed itself tries again until it cannot help.
      }
    }
    const onVisibility = (): void => {
      clearTimeout(hiddenTimer)
      if (document.hidden) {
        hiddenTimer = setTimeout(() => {
          feed?.abort()
          feed = null
        }, HIDDEN_MS)
      } else if (!feed) void follow()
    }
    void follow()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      document.removeEventListener('visibilitychange', onVisibility)
      clearTimeout(hiddenTimer)
      // A frame that is still to come must not bring the events of this session to the next one.
      isOver = true
      feed?.abort()
      setState(emptyFrontendState)
    }
  }, [client, id, agent])
  return state
}
