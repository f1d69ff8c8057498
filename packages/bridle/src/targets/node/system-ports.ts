// The clock and the digest of a Node process.
import { createHash } from 'node:crypto'
import type { Clock, Digest } from '../../kernel/ports/store.ts'

export const clock: Clock = {
  now: () => Date.now(),
  after: (ms, call) => {
    const timer = setTimeout(call, ms)
    return () => clearTimeout(timer)
  },
}

export const digest: Digest = async (text) => createHash('sha256').update(text).digest('hex')
