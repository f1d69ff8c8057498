// A server with durable agents, which the test kills and starts again, and sessions whose prompts are sent until they are answered.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyEvent } from '@bridle/kernel/event'
import { ServerProcess } from '@bridle/server/tests/server-process.suite'
import { openSqlite } from '@bridle/stores/data-folder'
import type { PendingApproval, SessionDetail } from '@bridle/wire/http/wire'
import { EFFECTS_FOLDER, effectsIn } from './effects.ts'
import type { Plan } from './plan.ts'

export type AgentName = 'worker' | 'thinker'

/** The agents of these tests; `BRIDLE_ROW_AGENTS=worker` names some of them, to look for a fault. */
export const agentNames = (process.env.BRIDLE_ROW_AGENTS ?? 'worker,thinker').split(',') as AgentName[]

export interface DurableSession {
  readonly id: string
  readonly agent: AgentName
  /** Background work has one turn. */
  readonly kind: 'chat' | 'background'
  readonly plans: readonly Plan[]
  /** Absent: the server's default. */
  readonly maxRetries?: number
}

/** The end of a session: what its log, its clients and the effects file say. */
export interface SessionRecord {
  readonly events: readonly AnyEvent[]
  readonly detail: SessionDetail
  /** The text of each answer. */
  readonly answers: readonly string[]
}

/** Longer than any test here takes on a busy machine. */
const PATIENCE_MS = 100_000
/** Over a hundred sessions are looked at: each look costs the server time that the runs need. */
const POLL_MS = 100

export class DurableWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'bridle-durable-'))
  readonly #data = join(this.folder, 'data')
  readonly effects = effectsIn(this.folder)
  readonly server: ServerProcess
  #isUp = false
  #approvals: Promise<readonly PendingApproval[]> | null = null
  #isOver = false

  constructor() {
    mkdirSync(this.#data, { mode: 0o700 })
    this.server = new ServerProcess(this.#data, {
      cwd: import.meta.dirname,
      logFile: join(this.folder, 'server.log'),
      env: { [EFFECTS_FOLDER]: this.folder },
    })
  }

  async boot(): Promise<void> {
    await this.server.boot()
    this.#isUp = true
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number | null> {
    this.#isUp = false
    return this.server.kill(signal)
  }

  async restart(): Promise<void> {
    await this.kill()
    await this.boot()
  }

  /** Sends the prompts of a session, each until it is answered, over any number of restarts. */
  async play(session: DurableSession, before: (place: string) => Promise<void> | null = () => null): Promise<void> {
    for (const plan of session.plans) {
      await before(plan.place)
      const { path, body } = requestOf(session, plan)
      await this.#untilAnswered(path, body, plan.place)
      if (session.kind === 'background')
        await this.until(`${session.id} ends`, async () => isOver((await this.detail(session.id))?.status))
    }
  }

  /** Null while the server is down. */
  async request<T>(path: string, body?: unknown, key?: string): Promise<{ status: number; body: T } | null> {
    if (!this.#isUp) return null
    try {
      const response = await fetch(`${this.server.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as T }
    } catch {
      return null
    }
  }

  async detail(id: string): Promise<SessionDetail | undefined> {
    const answer = await this.request<SessionDetail>(`/sessions/${id}`)
    return answer?.status === 200 ? answer.body : undefined
  }

  /** All that look in the same moment share the answer. */
  approvals(): Promise<readonly PendingApproval[]> {
    this.#approvals ??= this.request<{ approvals?: readonly PendingApproval[] }>('/approvals?limit=500').then(
      (page) => {
        this.#approvals = null
        return page?.body.approvals ?? []
      },
    )
    return this.#approvals
  }

  async answer({ sessionId, id }: PendingApproval, verdict: 'approve' | 'reject'): Promise<number | undefined> {
    return (await this.request(`/sessions/${sessionId}/approvals/${id}/${verdict}`, {}))?.status
  }

  /** Answers open approvals as they come, until the world ends. Null: the approval stays open. */
  async answerApprovals(verdictOf: (approval: PendingApproval) => 'approve' | 'reject' | null): Promise<void> {
    for (; !this.#isOver; await sleep(POLL_MS))
      for (const approval of await this.approvals()) {
        const verdict = verdictOf(approval)
        if (verdict !== null) await this.answer(approval, verdict)
      }
  }

  async until(what: string, isSo: () => boolean | Promise<boolean>, patienceMs = PATIENCE_MS): Promise<void> {
    for (const end = Date.now() + patienceMs; !(await isSo()); await sleep(POLL_MS))
      if (Date.now() > end || this.#isOver) throw new Error(`Waited in vain: ${what}. The folder is ${this.folder}.`)
  }

  /** Ends the server and reads its logs. */
  async finish(sessions: readonly DurableSession[]): Promise<Map<string, SessionRecord>> {
    const details = new Map<string, SessionDetail>()
    for (const { id } of sessions) {
      const detail = await this.detail(id)
      if (detail) details.set(id, detail)
    }
    this.#isOver = true
    await this.kill()
    const store = await openSqlite(this.#data)
    const records = new Map<string, SessionRecord>()
    for (const { id, agent } of sessions) {
      const detail = details.get(id)
      if (!detail) continue
      const answers = detail.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)
      records.set(id, { events: await readLog(store, { tenant: 'default', agent, id }), detail, answers })
    }
    await store.close()
    return records
  }

  /** Ends everything. The folder of a failed test stays for inspection. */
  async end(isBroken: boolean): Promise<void> {
    this.#isOver = true
    await this.kill()
    if (!isBroken) rmSync(this.folder, { recursive: true, force: true })
  }

  async #untilAnswered(path: string, body: unknown, key: string): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; !this.#isOver; await sleep(POLL_MS)) {
      const answer = await this.request(path, body, key)
      if (answer && answer.status !== 503) return
      if (Date.now() > end) throw new Error(`${key} got no answer. The folder is ${this.folder}.`)
    }
  }
}

const requestOf = ({ id, agent, kind, maxRetries }: DurableSession, plan: Plan): { path: string; body: object } => {
  const prompt = JSON.stringify(plan)
  return kind === 'chat'
    ? { path: `/agents/${agent}/${id}`, body: { prompt } }
    : {
        path: '/sessions',
        body: { agent, session_id: id, prompt, ...(maxRetries !== undefined && { max_retries: maxRetries }) },
      }
}

const isOver = (status: string | undefined): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

type Store = Awaited<ReturnType<typeof openSqlite>>

const readLog = async ({ log }: Store, key: { tenant: string; agent: string; id: string }): Promise<AnyEvent[]> => {
  const events: AnyEvent[] = []
  for (;;) {
    const page = await log.read(key, events.at(-1)?.seq ?? 0, 1_000, { charsMax: 10_000_000, withoutContent: true })
    if (page.length === 0) return events
    events.push(...(page as AnyEvent[]))
  }
}
