import { createHash } from 'node:crypto'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { EventLoop } from '@bridle/kernel/session/reading/read-scheduler'

export const clock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    // A deadline may already have passed, and Node prints a warning for negative delays.
    const timer = setTimeout(call, Math.max(0, ms))
    return () => clearTimeout(timer)
  },
}

/** Falls back to the CPU time of the whole process on older Node versions. */
export const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1_000
}

export const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')

/** `setImmediate` callbacks run after timers and network callbacks. */
export const eventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
}
