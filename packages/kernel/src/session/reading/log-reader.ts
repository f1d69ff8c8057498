// Pages of a session's log, for readers that are behind the live ones.

import { READ_CHARS } from '@bridle/events/limits'
import type { AnyEvent, Event, Key } from '../../event.ts'
import type { Log, ReadOptions } from '../../ports/log.ts'
import { hasFaultCode } from '../../ports/store-fault.ts'
import type { ReadScheduler } from './read-scheduler.ts'

/** Pages are bounded, and leave out the text of artifacts: no reader shows it. */
export const PAGE_OPTIONS: ReadOptions = { charsMax: READ_CHARS, withoutContent: true }

export interface LogReaderPorts {
  readonly log: Log
  readonly key: Key
  readonly readScheduler?: ReadScheduler
  /** The log is damaged: a session whose log is damaged is not served in part. */
  readonly onCorrupt: (cause: unknown) => void
}

export class LogReader {
  readonly #ports: LogReaderPorts

  constructor(ports: LogReaderPorts) {
    this.#ports = ports
  }

  /** Committed events after a number, when it is this reader's turn. A page is shorter when its events are large. */
  read(after: number, limit: number): Promise<AnyEvent[]> {
    const { readScheduler } = this.#ports
    const read = () => this.page(after, limit)
    return readScheduler ? readScheduler.schedule(read) : read()
  }

  /** The same with the text of artifacts. */
  readWithContent(after: number, limit: number): Promise<AnyEvent[]> {
    const { log, key, readScheduler } = this.#ports
    const read = () => this.#guard(() => log.read(key, after, limit, { charsMax: READ_CHARS }))
    return readScheduler ? readScheduler.schedule(read) : read()
  }

  /** As `read`, at once, for a caller that has its turn already. */
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
