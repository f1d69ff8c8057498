// Encodes each change once, for all readers of the tenant. Without readers, a changed row costs one lookup.
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import { keyText } from '@bridle/kernel/event'
import { mayOpen } from '@bridle/kernel/owner'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { DirectoryRow } from '@bridle/kernel/ports/directory'
import type { RowChange, RowObserver } from '@bridle/kernel/ports/row-observer'
import type { ChangeReader, ChangeReaders } from '../http/streams/change-readers.ts'
import { changeMessages, READY_MESSAGES } from './change-messages.ts'
import { SessionPace } from './session-pace.ts'

export interface ChangeFeedOptions {
  readonly clock: Clock
  readonly identityOf: (agent: string) => EngineIdentity
}

interface TenantAudience {
  readonly readers: Set<ChangeReader>
  readonly paces: Map<string, SessionPace>
}

export class ChangeFeed implements RowObserver, ChangeReaders {
  readonly #options: ChangeFeedOptions
  readonly #audiences = new Map<string, TenantAudience>()

  constructor(options: ChangeFeedOptions) {
    this.#options = options
  }

  isObserved(tenant: string): boolean {
    return this.#audiences.has(tenant)
  }

  observe(change: RowChange): void {
    const audience = this.#audiences.get(change.key.tenant)
    if (!audience) return
    const name = keyText(change.key)
    const pace = audience.paces.get(name) ?? this.#paceOf(audience, name, change.before)
    pace.add(change)
  }

  add(tenant: string, reader: ChangeReader): () => void {
    const audience = this.#audiences.get(tenant) ?? { readers: new Set(), paces: new Map() }
    this.#audiences.set(tenant, audience)
    audience.readers.add(reader)
    return () => this.#remove(tenant, audience, reader)
  }

  /** Changes may be missing, so all readers of the tenant must reload their lists. */
  sendReady(tenant: string): void {
    for (const reader of this.#audiences.get(tenant)?.readers ?? []) reader.send(READY_MESSAGES)
  }

  /** The server is stopping; readers reconnect to the next one. */
  close(): void {
    for (const { readers } of [...this.#audiences.values()]) for (const reader of [...readers]) reader.close()
  }

  #paceOf(audience: TenantAudience, name: string, before: DirectoryRow | null): SessionPace {
    const pace = new SessionPace(before, {
      clock: this.#options.clock,
      send: (change, known) => this.#publish(audience, change, known),
      onIdle: () => audience.paces.delete(name),
    })
    audience.paces.set(name, pace)
    return pace
  }

  #publish({ readers }: TenantAudience, change: RowChange, known: DirectoryRow | null): void {
    const identity = this.#options.identityOf(change.key.agent)
    const messages = changeMessages(change, known, identity).map((message) => JSON.stringify(message))
    for (const reader of [...readers]) if (mayOpen(reader.viewer, change.owner)) reader.send(messages)
  }

  #remove(tenant: string, audience: TenantAudience, reader: ChangeReader): void {
    audience.readers.delete(reader)
    if (audience.readers.size > 0 || this.#audiences.get(tenant) !== audience) return
    for (const pace of audience.paces.values()) pace.stop()
    this.#audiences.delete(tenant)
  }
}
