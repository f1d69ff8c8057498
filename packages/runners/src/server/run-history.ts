// The runs that a runner has ended and no longer keeps. A run is never played twice, and its owner is told that it was here:
// so its id stays, with digests of what would prove who asks and what was asked.
import { createHash } from 'node:crypto'
import { canonicalJson, type Json } from '@bridle/events/json'
import type { RunnerQuery } from '../protocol/protocol.ts'

/** Ended runs that a runner remembers, so that it can distinguish them from unknown runs. About 2 MB. */
const ENDED_RUNS_MAX = 10_000

export interface RunHistoryEntry {
  readonly tokenDigest: string | null
  readonly bodyDigest: string
}

export class RunHistory {
  readonly #runs = new Map<string, RunHistoryEntry>()

  add(requestId: string, run: RunHistoryEntry): void {
    this.#runs.set(requestId, run)
    const oldest = this.#runs.keys().next().value
    if (this.#runs.size > ENDED_RUNS_MAX && oldest !== undefined) this.#runs.delete(oldest)
  }

  get(requestId: string): RunHistoryEntry | undefined {
    return this.#runs.get(requestId)
  }
}

export const textDigest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The digest of the run's content. Credentials, epochs and cursors may differ when the same run is requested again. */
export const bodyDigest = ({ prompt, engine, resume, settings }: RunnerQuery): string =>
  textDigest(canonicalJson([prompt, engine ?? null, resume ?? null, (settings ?? {}) as Json]))
