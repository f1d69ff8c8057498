// The frames of one wire, while its tab is open.
import type { ClientMessage, ServerMessage } from 'bridle/client'
import { useEffect, useReducer, useState } from 'react'
import { useServer } from '../../../server/server-context.tsx'
import { useSession } from '../../session-context.tsx'
import { FrameLog } from './frame-log.ts'
import { type SocketFrame, tapSockets } from './tapped-socket.ts'
import { envelopeFrameText, type FrameText, healthFrameText, socketFrameText } from './wire-frame.ts'

/** Frames of the past that a feed brings when its tab is opened. */
const FEED_REPLAY = 50

export const WIRES = ['Socket', 'Events', 'Health'] as const
export type Wire = (typeof WIRES)[number]

const textBytes = new TextEncoder()
const bytesOf = (text: string): number => textBytes.encode(text).byteLength

/** The same log for as long as the page is open: another tab does not forget what the socket said. */
export const useFrames = (wire: Wire): FrameLog => {
  const { client } = useServer()
  const { id, agent } = useSession()
  const [logs] = useState(() => new Map(WIRES.map((each) => [each, new FrameLog()])))
  const [, changed] = useReducer((count: number) => count + 1, 0)
  useSocketFrames(logs.get('Socket') as FrameLog, changed)
  useEffect(() => {
    if (wire === 'Socket') return
    const log = new FrameLog()
    logs.set(wire, log)
    const over = new AbortController()
    const options = { agent, replay: FEED_REPLAY, signal: over.signal } as const
    const follow = async <T>(feed: AsyncIterable<T>, textOf: (message: T) => FrameText): Promise<void> => {
      for await (const message of feed) {
        log.add({ ...textOf(message), isOut: false, at: Date.now(), bytes: bytesOf(JSON.stringify(message)) })
        changed()
      }
    }
    const feed =
      wire === 'Events'
        ? follow(client.envelopes(id, { ...options, tier: 'debug' }), envelopeFrameText)
        : follow(client.healthFeed(id, options), healthFrameText)
    // The banner of the page says what is wrong with the server.
    feed.catch(() => undefined)
    return () => over.abort()
  }, [client, id, agent, wire, logs])
  return logs.get(wire) as FrameLog
}

const useSocketFrames = (log: FrameLog, changed: () => void): void => {
  useEffect(() => {
    let frame: number | null = null
    const onFrame = ({ isOut, data }: SocketFrame): void => {
      if (typeof data !== 'string') return
      const message = parse(data)
      if (!message) return
      if (message.type === 'delta') log.follow(message.seq, message.prev)
      if (message.type === 'state') log.follow(message.seq, undefined)
      log.add({ ...socketFrameText(message), isOut, at: Date.now(), bytes: bytesOf(data) })
      frame ??= requestAnimationFrame(() => {
        frame = null
        changed()
      })
    }
    const end = tapSockets(onFrame)
    return () => {
      end()
      if (frame !== null) cancelAnimationFrame(frame)
    }
  }, [log, changed])
}

const parse = (text: string): ServerMessage | ClientMessage | null => {
  try {
    return JSON.parse(text) as ServerMessage | ClientMessage
  } catch {
    return null
  }
}
