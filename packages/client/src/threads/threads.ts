// The threads of one user: the chat sessions that the credential may open, newest first, and the one that a page shows. A page renders
// `getSnapshot()` and calls the acts; changes from elsewhere, such as another tab, come over one socket.
import type { TenantChange } from '@bridle/wire/changes/wire'
import type { SessionRow } from '@bridle/wire/http/wire'
import { type FabricClient, fabricClient } from '../fabric/http.ts'
import { FabricError } from '../http/error.ts'
import { type ChangesHandle, type ChangesOptions, connectChanges } from '../operator/changes.ts'
import type { NewThread, Thread, ThreadsOptions, ThreadsState } from './options.ts'
import { changedSince, isSame, leftSince, threadOf, withoutThread, withThread } from './thread-list.ts'

/** Threads on a page of a list: more than a side bar shows. */
const THREADS_PAGE = 50
/** Threads per request when a longer list is loaded again: the most that a server gives. */
const THREADS_PAGE_MAX = 500

/** Makes the list of a user's threads. It loads at once, and follows changes until `close`. */
export const threads = (options: ThreadsOptions): Threads => new Threads(options)

interface ThreadsPage {
  readonly sessions: readonly SessionRow[]
  readonly next: string | undefined
}

/** Rows of the server, and the threads of the list that stay beside them. */
interface LoadedRows {
  readonly rows: readonly SessionRow[]
  readonly next: string | undefined
  readonly keeps: readonly Thread[]
}

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
  #refreshing: Promise<void> | null = null
  #extending: Promise<void> | null = null
  #isClosed = false

  constructor({ agent, current = null, live = true, ...options }: ThreadsOptions) {
    this.#client = fabricClient(options)
    this.#agent = agent
    this.#state = { threads: [], current, phase: 'loading', error: null, hasMore: false }
    const onChange: ChangesOptions['onChange'] = (change) => this.#receive(change)
    // A refused connection is not tried again: a login that has ended would never show.
    const onPhase: ChangesOptions['onPhase'] = (phase, { error = null }) => {
      if (phase === 'closed' && error !== null && !this.#isClosed) this.#update({ error })
    }
    this.#changes = live ? connectChanges({ ...options, onChange, onPhase }) : null
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

  /** Loads the threads again, as many as the list has. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#afterOther(this.#extending, () => this.#reload()).finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Loads older threads, where `hasMore` says that there are some. */
  more(): Promise<void> {
    this.#extending ??= this.#afterOther(this.#refreshing, () => this.#extend()).finally(() => {
      this.#extending = null
    })
    return this.#extending
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
    this.#isClosed = true
    this.#changes?.close()
    this.#listeners.clear()
  }

  /** A page that is loaded while the list is replaced would leave a gap in it. */
  async #afterOther(other: Promise<void> | null, load: () => Promise<void>): Promise<void> {
    // The caller of the other load learns of its failure.
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
        // A page without sessions is not the last one: the server had read enough for one request.
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

  /** `asked` is the list when the server was asked: its answer may be older than changes that came while it was on its way. */
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
