// For readers that lag behind the live ones.

import { READ_CHARS } from '@bridle/events/limits'
import type { AnyEvent, Event, Key } from '../../event.ts'
import type { Log, ReadOptions } from '../../ports/log.ts'
import { hasFaultCode } from '../../ports/store-fault.ts'
import type { ReadScheduler } from './read-scheduler.ts'

/** No reader shows artifact text. */
export const PAGE_OPTIONS: ReadOptions = { charsMax: READ_CHARS, withoutContent: true }

export interface LogReaderPorts {
  readonly log: Log
  readonly key: Key
  readonly readScheduler?: ReadScheduler
  /** A session with a damaged log is not served in part. */
  readonly onCorrupt: (cause: unknown) => void
}

export class LogReader {
  readonly #ports: LogReaderPorts

  constructor(ports: LogReaderPorts) {
    this.#ports = ports
  }

  /** Waits for its turn. Pages of large events are shorter. */
  read(after: number, limit: number): Promise<AnyEvent[]> {
    const { readScheduler } = this.#ports
    const read = () => this.page(after, limit)
    return readScheduler ? readScheduler.schedule(read) : read()
  }

  /** Like `read`, with artifact text. */
  readWithContent(after: number, limit: number): Promise<AnyEvent[]> {
    const { log, key, readScheduler } = this.#ports
    const read = () => this.#guard(() => log.read(key, after, limit, { charsMax: READ_CHARS }))
    return readScheduler ? readScheduler.schedule(read) : read()
  }

  /** Like `read`, but immediately: the caller already has its turn. */
  page(after: number, limit: number): Promise<AnyEvent[]> {
    return this.#guard(() => this.#ports.log.read(this.#ports.key, after, limit, PAGE_OPTIONS))
  }

  async chunkText(seq: number): Promise<string> {
    const [event] = await this.#guard(() => this.#ports.log.read(this.#ports.key, seq - 1, 1))
    return event?.type === 'artifact_chunk' ? event.payload.text : ''
  }

  async #guard(read: () => Promise<Event[]>): Promise<AnyEvent[]> {
    try {
      return (await read()) as AnyEvent[]
    } catch (cause) {
      if (hasFaultCode(cause, 'corrupt')) this.#ports.onCorrupt(cause)
      throw cause
    }
  }
}
