// Limits how many threads read session files at once: walking a large tree must not block the server.

import { WorkspaceError } from '../files/workspace-error.ts'
import { KeptThread } from '../kept-thread.ts'
import type { ReviewAnswer, ReviewRequest, ReviewResults } from './review-request.ts'

/** Grace period on top of the request's deadline, for a thread stuck in a system call. */
const LATE_THREAD_MS = 5_000

const threads = new KeptThread('review-thread', import.meta.url)

export class ReviewBusyError extends Error {
  readonly code = 'busy'
}

/** All queues of a process share the kept thread. */
export class ReviewThreads {
  readonly #threadsMax: number
  readonly #waitingMax: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(threadsMax: number, waitingMax: number) {
    this.#threadsMax = threadsMax
    this.#waitingMax = waitingMax
  }

  /** Rejects with a WorkspaceError or a ReviewBusyError. */
  async run<R extends ReviewRequest>(request: R): Promise<ReviewResults[R['kind']]> {
    await this.#reservePlace()
    try {
      const answer = await ask(request)
      if ('error' in answer) throw new WorkspaceError(answer.error.code, answer.error.message)
      return answer.result as ReviewResults[R['kind']]
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }

  async #reservePlace(): Promise<void> {
    if (this.#running < this.#threadsMax) this.#running += 1
    else if (this.#waiting.length >= this.#waitingMax) throw new ReviewBusyError(BUSY)
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}

const ask = async (request: ReviewRequest): Promise<ReviewAnswer> => {
  const thread = threads.take()
  const { promise, resolve } = Promise.withResolvers<ReviewAnswer>()
  const fail = () => resolve(NO_ANSWER)
  const timer = setTimeout(fail, request.ms + LATE_THREAD_MS)
  thread.on('message', resolve).on('error', fail).on('exit', fail)
  thread.postMessage(request)
  const answer = await promise
  clearTimeout(timer)
  thread.off('message', resolve).off('error', fail).off('exit', fail)
  if (answer === NO_ANSWER) void thread.terminate()
  else threads.giveBack(thread)
  return answer
}

const BUSY = 'Too many callers look at files now. Try again in a moment.'
const NO_ANSWER: ReviewAnswer = {
  error: { code: 'failed', message: 'The files could not be read in time. Try again, or name a smaller folder.' },
}
