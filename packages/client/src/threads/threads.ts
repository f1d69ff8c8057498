// The threads of one user: the chat sessions that the credential may open, newest first, and the selected one. Pages
// render `getSnapshot()`. Changes from elsewhere, such as another tab, arrive over one socket.
import type { TenantChange } from '@bridle/wire/changes/wire'
import type { SessionRow } from '@bridle/wire/http/wire'
import { type FabricClient, fabricClient } from '../fabric/http.ts'
import { FabricError } from '../http/error.ts'
import { type ChangesHandle, type ChangesOptions, connectChanges } from '../operator/changes.ts'
import type { NewThread, Thread, ThreadsOptions, ThreadsState } from './options.ts'
import { changedSince, isSame, leftSince, threadOf, withoutThread, withThread } from './thread-list.ts'

/** More than a sidebar shows. */
const THREADS_PAGE = 50
/** Page size when a longer list is reloaded: the server's maximum. */
const THREADS_PAGE_MAX = 500

/** Creates the list of a user's threads. It loads immediately and follows changes until `close`. */
export const threads = (options: ThreadsOptions): Threads => new Threads(options)

interface ThreadsPage {
  readonly sessions: readonly SessionRow[]
  readonly next: string | undefined
}

interface LoadedRows {
  readonly rows: readonly SessionRow[]
  readonly next: string | undefined
  readonly keeps: readonly Thread[]
}

/** The threads of one user, created by `threads`. */
export class Threads {
  readonly #client: FabricClient
  readonly #agent: string | undefined
  readonly #listeners = new Set<() => void>()
  readonly #changes: ChangesHandle | null
  #state: ThreadsState
  #next: string | null = null
  /** Removed locally. A list requested before the removal must not bring them back. */
  readonly #removed = new Set<string>()
  #refreshing: Promise<void> | null = null
  #extending: Promise<void> | null = null
  #isClosed = false

  constructor({ agent, current = null, live = true, ...options }: ThreadsOptions) {
    this.#client = fabricClient(options)
    this.#agent = agent
    this.#state = { threads: [], current, phase: 'loading', error: null, hasMore: false }
    const onChange: ChangesOptions['onChange'] = (change) => this.#receive(change)
    // Report a refused connection, such as an expired login, because it is not retried.
    const onPhase: ChangesOptions['onPhase'] = (phase, { error = null }) => {
      if (phase === 'closed' && error !== null && !this.#isClosed) this.#update({ error })
    }
    this.#changes = live ? connectChanges({ ...options, onChange, onPhase }) : null
    // Load without waiting for the socket, whose `ready` loads the list again.
    void this.refresh().catch(() => {})
  }

  /** The same object until something changes. */
  getSnapshot = (): ThreadsState => this.#state

  /** Subscribes to the snapshot. Returns an unsubscribe function. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reloads as many threads as the list has. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#afterOther(this.#extending, () => this.#reload()).finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Loads older threads if `hasMore`. */
  more(): Promise<void> {
    this.#extending ??= this.#afterOther(this.#refreshing, () => this.#extend()).finally(() => {
      this.#extending = null
    })
    return this.#extending
  }

  /** Creates a thread and selects it. */
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

  /** Selects a thread, or none. The thread need not be in the list. */
  switchTo(id: string | null): void {
    if (id !== this.#state.current) this.#update({ current: id })
  }

  /** Renames a thread. */
  async rename(id: string, title: string): Promise<void> {
    const session = await this.#client.rename(id, title, this.#named(id))
    this.#update({ threads: withThread(this.#state.threads, threadOf(session)) })
  }

  /** Archives a thread, or with false restores it. The list omits archived threads; nothing is lost. */
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

  /** Erases a thread and its contents. */
  async remove(id: string): Promise<void> {
    const agent = this.#named(id).agent ?? (await this.#client.session(id)).agent
    await this.#client.remove(agent, id)
    this.#removed.add(id)
    this.#leaveOut(id)
  }

  /** Stops following changes. The last list stays. */
  close(): void {
    this.#isClosed = true
    this.#changes?.close()
    this.#listeners.clear()
  }

  /** Serialises loads: loading a page while the list is replaced would leave a gap. */
  async #afterOther(other: Promise<void> | null, load: () => Promise<void>): Promise<void> {
    // The caller of the other load handles its failure.
    await other?.catch(() => {})
    await load()
  }

  async #reload(): Promise<void> {
    const asked = this.#state.threads
    await this.#load(asked, async () => {
      const rows: SessionRow[] = []
      let page: ThreadsPage | null = null
      do {
        const wanted = Math.max(THREADS_PAGE, asked.length - rows.length)
        page = await this.#page(page?.next, Math.min(wanted, THREADS_PAGE_MAX))
        rows.push(...page.sessions)
        // An empty page may not be the last one: the server limits its work per request.
      } while (page.next !== undefined && (rows.length === 0 || rows.length < asked.length))
      return { rows, next: page.next, keeps: changedSince(asked, this.#state.threads) }
    })
  }

  async #extend(): Promise<void> {
    const cursor = this.#next
    if (cursor === null) return
    await this.#load(this.#state.threads, async () => {
      let page = await this.#page(cursor, THREADS_PAGE)
      while (page.next !== undefined && page.sessions.length === 0) page = await this.#page(page.next, THREADS_PAGE)
      return { rows: page.sessions, next: page.next, keeps: this.#state.threads }
    })
  }

  async #page(cursor: string | undefined, limit: number): Promise<ThreadsPage> {
    const { sessions, next } = await this.#client.sessions({
      kind: 'chat',
      limit,
      ...(this.#agent !== undefined && { agent: this.#agent }),
      ...(cursor !== undefined && { cursor }),
    })
    return { sessions, next: next ?? undefined }
  }

  /** `asked` is the list when the request was sent. Changes that arrived since are newer than the response. */
  async #load(asked: readonly Thread[], ask: () => Promise<LoadedRows>): Promise<void> {
    try {
      const { rows, next, keeps } = await ask()
      const left = leftSince(asked, this.#state.threads)
      this.#next = next ?? null
      this.#update({
        threads: rows
          .filter(({ id }) => !this.#removed.has(id))
          .map(threadOf)
          .filter((row) => !left.some((each) => isSame(each, row)))
          .reduce(withThread, keeps),
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

  /** The agent disambiguates sessions with the same id. */
  #named(id: string): { readonly agent?: string } {
    const agent = this.#state.threads.find((thread) => thread.id === id)?.agent ?? this.#agent
    return agent === undefined ? {} : { agent }
  }

  #update(change: Partial<ThreadsState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of [...this.#listeners]) listener()
  }
}
