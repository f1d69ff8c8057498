// The event loop of Node, so that long reads leave time for other work.
import type { EventLoop } from '../../kernel/session/reading/read-scheduler.ts'

/** Node runs timers and network callbacks before it runs callbacks of `setImmediate`. */
export const eventLoop: EventLoop = {
  now: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
}
