// The threads of one user: the chat sessions that the credential may open, newest first, and the one that a page shows. A page renders
// `getSnapshot()` and calls the acts; changes from elsewhere, such as another tab, come over one socket.
import type { TenantChange } from '../../surfaces/changes/wire.ts'
import type { SessionRow } from '../../surfaces/http/wire.ts'
import { FabricError } from '../fabric/error.ts'
import { type FabricClient, fabricClient } from '../fabric/http.ts'
import { THREADS_PAGE } from '../limits.ts'
import { connectChanges } from '../operator/changes.ts'
import type { ChangesHandle, ChangesOptions } from '../operator/changes-options.ts'
import type { NewThread, Thread, ThreadsOptions, ThreadsState } from './options.ts'
import { changedSince, isSame, leftSince, threadOf, withoutThread, withThread } from './thread-list.ts'

/** Makes the list of a user's threads. It loads at once, and follows changes until `close`. */
export const threads = (options: ThreadsOptions): Threads => new Threads(options)

/** The threads of one user, as `threads` makes them. */
export class Threads {
  readonly #client: FabricClient
  readonly #agent: string | undefined
  readonly #listeners = new Set<() => void>()
  readonly #changes: ChangesHandle | null
  #state: ThreadsState
  #next: string | null = null
  /** Removed here: a list that was asked for before must not bring them back. */
  readonly #removed = new Set<string>()
  #loading: Promise<void> | null = null

  constructor({ agent, current = null, live = true, ...options }: ThreadsOptions) {
    this.#client = fabricClient(options)
    this.#agent = agent
    this.#state = { threads: [], current, phase: 'loading', error: null, hasMore: false }
    const onChange: ChangesOptions['onChange'] = (change) => this.#receive(change)
    this.#changes = live ? connectChanges({ ...options, onChange }) : null
    // With a socket, its `ready` loads the list, too; the first load does not wait for it.
    void this.refresh().catch(() => {})
  }

  /** The same object until something changes. */
  getSnapshot = (): ThreadsState => this.#state

  /** Calls the listener whenever the snapshot has changed. Returns the function that unsubscribes. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Loads the newest threads again. */
  refresh(): Promise<void> {
    this.#loading ??= this.#load(undefined).finally(() => {
      this.#loading = null
    })
    return this.#loading
  }

  /** Loads older threads, where `hasMore` says that there are some. */
  async more(): Promise<void> {
    if (this.#next !== null) await this.#load(this.#next)
  }

  /** Makes a thread and switches to it. */
  async create({ title, agent = this.#agent, id }: NewThread = {}): Promise<Thread> {
    const session = await this.#client.createChat({
      ...(title !== undefined && { title }),
      ...(agent !== undefined && { agent }),
      ...(id !== undefined && { session_id: id }),
    })
    const thread = threadOf(session)
    this.#update({ threads: withThread(this.#state.threads, thread), current: thread.id })
    return thread
  }

  /** Switches to a thread; null = to none. The thread need not be in the list. */
  switchTo(id: string | null): void {
    if (id !== this.#state.current) this.#update({ current: id })
  }

  /** Gives a thread a title. */
  async rename(id: string, title: string): Promise<void> {
    const session = await this.#client.rename(id, title, this.#named(id))
    this.#update({ threads: withThread(this.#state.threads, threadOf(session)) })
  }

  /** Puts a thread away, or with false takes it out again: the list leaves it out, and nothing is lost. */
  async archive(id: string, isArchived = true): Promise<void> {
    const { agent } = this.#named(id)
    const why = agent === undefined ? {} : { agent }
    if (!isArchived) {
      const session = await this.#client.unarchive(id, why)
      return this.#update({ threads: withThread(this.#state.threads, threadOf(session)) })
    }
    await this.#client.archive(id, why)
    this.#leaveOut(id)
  }

  /** Erases a thread and everything in it. */
  async remove(id: string): Promise<void> {
    const agent = this.#named(id).agent ?? (await this.#client.session(id)).agent
    await this.#client.remove(agent, id)
    this.#removed.add(id)
    this.#leaveOut(id)
  }

  /** Ends the connection for changes. The last list stays. */
  close(): void {
    this.#changes?.close()
    this.#listeners.clear()
  }

  async #load(cursor: string | undefined): Promise<void> {
    const asked = this.#state.threads
    try {
      const { sessions, next } = await this.#client.sessions({
        kind: 'chat',
        limit: THREADS_PAGE,
        ...(this.#agent !== undefined && { agent: this.#agent }),
        ...(cursor !== undefined && { cursor }),
      })
      const rows = sessions.filter(({ id }) => !this.#removed.has(id)).map(threadOf)
      // The answer may be older than changes that came while it was on its way.
      const before = cursor === undefined ? changedSince(asked, this.#state.threads) : this.#state.threads
      const left = leftSince(asked, this.#state.threads)
      this.#next = next ?? null
      this.#update({
        threads: rows.filter((row) => !left.some((each) => isSame(each, row))).reduce(withThread, before),
        phase: 'ready',
        error: null,
        hasMore: this.#next !== null,
      })
    } catch (error) {
      const fault = error instanceof FabricError ? error : new FabricError(0, 'unknown', String(error))
      this.#update({ phase: this.#state.threads.length > 0 ? 'ready' : 'failed', error: fault })
      throw error
    }
  }

  #receive(change: TenantChange): void {
    if (change.type === 'ready') void this.refresh().catch(() => {})
    if (change.type === 'session_removed') this.#leaveOut(change.session_id, change.agent)
    if (change.type === 'session') this.#show(change.session)
  }

  #show(row: SessionRow): void {
    if (row.kind !== 'chat' || (this.#agent !== undefined && row.agent !== this.#agent)) return
    if (row.archived) return this.#leaveOut(row.id, row.agent)
    if (!this.#removed.has(row.id)) this.#update({ threads: withThread(this.#state.threads, threadOf(row)) })
  }

  #leaveOut(id: string, agent?: string): void {
    const left = withoutThread(this.#state.threads, id, agent)
    if (left === this.#state.threads) return
    this.#update({ threads: left, ...(this.#state.current === id && { current: null }) })
  }

  /** Several agents may have a session of one id. */
  #named(id: string): { readonly agent?: string } {
    const agent = this.#state.threads.find((thread) => thread.id === id)?.agent ?? this.#agent
    return agent === undefined ? {} : { agent }
  }

  #update(change: Partial<ThreadsState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of [...this.#listeners]) listener()
  }
}
