// Large chunks are put into a bucket before the append, and the log keeps a reference, which never leaves the store.

import { hashText } from '@bridle/events/json'
import { type Event, type Key, keyText } from '@bridle/kernel/event'
import type { Log, LogAppend } from '@bridle/kernel/ports/log'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { BucketNames } from './bucket-names.ts'
import type { ObjectBucket } from './platform-types.ts'

/** For smaller chunks, a bucket request costs more than the storage. */
export const INLINE_CONTENT_MAX = 65_536
/** The platform's limit of simultaneous connections per invocation. */
const BUCKET_PUTS_MAX = 6
/** A bucket that fails three times in a row is down for longer than callers wait. */
const BUCKET_TRIES_MAX = 3

/** Outside of the payload, so that runners cannot forge it. */
interface StoredChunk extends Event<'artifact_chunk'> {
  readonly stored: { readonly name: string; readonly chars: number; readonly sum: string }
}

export interface BucketAppend {
  readonly append: LogAppend
  readonly names: readonly string[]
}

export class ArtifactBucket {
  readonly #bucket: ObjectBucket | null
  readonly #names: BucketNames

  constructor(bucket: ObjectBucket | null, names: BucketNames) {
    this.#bucket = bucket
    this.#names = names
  }

  /** Returns the append with references. Resolves when the texts are in the bucket. */
  async storeLargeChunks(key: Key, append: LogAppend): Promise<BucketAppend> {
    const bucket = this.#bucket
    const large = bucket ? append.events.filter(isLarge) : []
    if (!bucket || large.length === 0) return { append, names: [] }
    const puts = new Map(large.map((event) => [event.seq, putOf(key, event)]))
    const names = [...puts.values()].map(({ stored }) => stored.name)
    await this.#names.reserve(names)
    try {
      await inParallel([...puts.values()], ({ stored, text }) =>
        withRetries(() => bucket.put(stored.name, text, asJson)),
      )
    } catch (cause) {
      this.#names.release(names)
      throw new StoreFault('unreachable', 'The bucket of artifacts cannot be written.', cause)
    }
    const events = append.events.map((event) => {
      const put = puts.get(event.seq)
      return put ? { ...withText(event as Event<'artifact_chunk'>, ''), stored: put.stored } : event
    })
    return { append: { ...append, events }, names }
  }

  /** Fetched texts count towards `charsMax`: references are small, but their texts are not. */
  reader(log: Log): Log['read'] {
    return async (key, after, limit, { charsMax = Number.POSITIVE_INFINITY, withoutContent = false } = {}) => {
      const events = await log.read(key, after, limit, { charsMax })
      if (!events.some(isStored)) return events
      const whole: Event[] = []
      let chars = 0
      for (const event of events) {
        if (chars >= charsMax) break
        if (!isStored(event)) whole.push(event)
        else {
          whole.push(withText(event, withoutContent ? '' : await this.#fetch(event)))
          chars += withoutContent ? 0 : event.stored.chars
        }
      }
      return whole
    }
  }

  async #fetch({ stored: { name, sum }, payload }: StoredChunk): Promise<string> {
    const gone = new StoreFault('content_gone', `${payload.artifact_id}: the bucket has no ${name}`)
    const bucket = this.#bucket
    if (!bucket) throw gone
    const json = await withRetries(async () => (await bucket.get(name))?.text()).catch((cause) => {
      throw new StoreFault('unreachable', 'The bucket of artifacts cannot be read.', cause)
    })
    if (json === undefined || hashText(json) !== sum) throw gone
    return JSON.parse(json) as string
  }
}

/** Runners may report chunks with any payload, so `text` may be anything. */
const isLarge = (event: Event): event is Event<'artifact_chunk'> => {
  const { text } = event.payload as { readonly text?: unknown }
  return event.type === 'artifact_chunk' && typeof text === 'string' && text.length > INLINE_CONTENT_MAX
}

const isStored = (event: Event): event is StoredChunk => 'stored' in event

const withText = (event: Event<'artifact_chunk'>, text: string): Event<'artifact_chunk'> => {
  const { stored: _stored, ...plain } = event as StoredChunk
  return { ...plain, payload: { ...event.payload, text } }
}

const asJson = { httpMetadata: { contentType: 'application/json' } }

/** JSON, because other encodings lose lone surrogates. The random name is never reused. */
const putOf = (key: Key, { payload }: Event<'artifact_chunk'>) => {
  const text = JSON.stringify(payload.text)
  const name = `${keyText(key)}/${crypto.randomUUID()}`
  return { text, stored: { name, chars: text.length, sum: hashText(text) } }
}

export const withRetries = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (cause) {
      if (tries >= BUCKET_TRIES_MAX) throw cause
    }
  }
}

/** Waits for all items even after a failure: a pending put could otherwise arrive after its name was deleted. */
const inParallel = async <T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<void> => {
  const waiting = items.values()
  const lane = async () => {
    for (const item of waiting) await act(item)
  }
  const lanes = await Promise.allSettled(Array.from({ length: BUCKET_PUTS_MAX }, lane))
  const broken = lanes.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason
}
