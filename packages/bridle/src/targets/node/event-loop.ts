// How long reads share the one thread of a process with everything else.
import type { EventLoop } from '../../kernel/session/read-scheduler.ts'

/** Node runs timers and whatever came over the network before it runs what was set by `setImmediate`. */
export const eventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
}
