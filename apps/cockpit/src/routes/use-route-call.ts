import type { SseMessage } from 'bridle/client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useServer } from '../server/server-context.tsx'
import type { RouteRequest } from './route-request.ts'
import { type RouteAnswer, sendRoute } from './send-route.ts'

/** The newest frames of a stream that the page shows; a stream may run for days. */
const FRAMES_SHOWN = 100

/** A message of a stream, with its place among all. */
export interface StreamFrame extends SseMessage {
  readonly number: number
}

export interface RouteCall {
  readonly isOpen: boolean
  readonly answer: RouteAnswer | null
  /** The newest frames of a stream, in order, and the number of all. */
  readonly frames: readonly StreamFrame[]
  readonly frameCount: number
  readonly error: string
}

const noCall: RouteCall = { isOpen: false, answer: null, frames: [], frameCount: 0, error: '' }

/** A single request at a time; another one, `stop`, or leaving the page ends it. */
export const useRouteCall = () => {
  const { options } = useServer()
  const [call, setCall] = useState(noCall)
  const open = useRef<AbortController>(undefined)
  const stop = useCallback(() => open.current?.abort(), [])
  useEffect(() => stop, [stop])
  const send = useCallback(
    async (request: RouteRequest): Promise<void> => {
      open.current?.abort()
      const controller = new AbortController()
      open.current = controller
      const update = (change: (before: RouteCall) => RouteCall): void => {
        if (open.current === controller) setCall(change)
      }
      update(() => ({ ...noCall, isOpen: true }))
      try {
        const answer = await sendRoute(options, request, {
          signal: controller.signal,
          onHead: (head) => update((before) => ({ ...before, answer: head })),
          onMessage: (message) =>
            update((before) => ({
              ...before,
              frames: [...before.frames, { ...message, number: before.frameCount }].slice(-FRAMES_SHOWN),
              frameCount: before.frameCount + 1,
            })),
        })
        update((before) => ({ ...before, isOpen: false, answer }))
      } catch (error) {
        const message = controller.signal.aborted ? '' : (error as Error).message
        update((before) => ({ ...before, isOpen: false, error: message }))
      }
    },
    [options],
  )
  return { call, send, stop }
}
