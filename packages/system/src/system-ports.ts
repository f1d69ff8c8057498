// The clock, the event loop and the digest of a Node process.
import { createHash } from 'node:crypto'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { EventLoop } from '@bridle/kernel/session/reading/read-scheduler'

export const clock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    // A moment that has just passed is now; Node warns of a negative time on the terminal.
    const timer = setTimeout(call, Math.max(0, ms))
    return () => clearTimeout(timer)
  },
}

/** The CPU time of this thread, or of the process where Node tells no more. */
export const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1_000
}

export const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')

/** Node runs timers and network callbacks before it runs callbacks of `setImmediate`. */
export const eventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
}
