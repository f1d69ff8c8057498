// The live connection of a chat to its session: the state of the conversation, and beside it the notices and the cost.
import { setTimeout as sleep } from 'node:timers/promises'
import { FabricError } from '@bridle/client/http/error'
import { RETRY_MAX_MS } from '@bridle/client/http/limits'
import {
  type FabricClient,
  HarnessClient,
  type HarnessConnection,
  type HarnessState,
  type SessionUsage,
} from '@bridle/client/index'
import { isPermanent } from '@bridle/client/socket/endpoint'
import { costText, durationText, exactCountText } from '@bridle/words/index'
import type { ServerConnection } from '../runs/server-connection.ts'
import type { ChatTarget } from './chat-target.ts'
import { type NoticeEnvelope, noticeReader } from './thread/notices.ts'

/** The next turn is shown after this time, though the cost of the last one has not come. */
const COST_WAIT_MS = 2_000

export interface ChatLinkEvents {
  readonly onChange: () => void
  readonly onConnection: (connection: HarnessConnection) => void
  readonly onNotice: (text: string) => void
}

export class ChatLink {
  readonly client: HarnessClient
  readonly target: ChatTarget
  readonly #fabric: FabricClient
  readonly #events: ChatLinkEvents
  readonly #leaving = new AbortController()
  #usage: UsageCount | null = null
  /** The last event that was looked at for a notice. */
  #noticesAfter: string | null = null
  readonly #readNotice = noticeReader()
  #startedAt: number | null = null
  #isFirst = true
  /** The run began before this chat was watching: nobody here knows when. */
  #joinedRun = false

  constructor(
    { fabric, address }: ServerConnection,
    tenantId: string | undefined,
    target: ChatTarget,
    events: ChatLinkEvents,
  ) {
    this.target = target
    this.#fabric = fabric
    this.#events = events
    const query = new URLSearchParams({ sessionId: target.id, agent: target.agent })
    const url = `${address.url.replace(/^http/, 'ws').replace(/\/$/, '')}/ws?${query}`
    this.client = new HarnessClient({ url, authToken: address.authToken, tenantId })
    this.client.subscribe(() => this.#changed())
    this.client.on('connection', events.onConnection)
    void this.#follow()
  }

  get state(): HarnessState {
    return this.client.getSnapshot()
  }

  get isRunning(): boolean {
    return this.state.status === 'running'
  }

  get isOpen(): boolean {
    return this.client.connection.phase === 'open'
  }

  /** Milliseconds since the run began, as far as this chat has seen it. */
  get elapsedMs(): number | null {
    return this.#startedAt === null ? null : Date.now() - this.#startedAt
  }

  close(): void {
    this.#leaving.abort()
    this.client.close()
  }

  #changed(): void {
    if (this.isOpen) {
      const { isRunning } = this
      // The time of a turn that ended is read a moment later.
      if (this.#isFirst) this.#joinedRun = isRunning
      if (isRunning && !this.#joinedRun) this.#startedAt ??= Date.now()
      this.#isFirst = false
    }
    this.#events.onChange()
  }

  /** The tokens, the cost and the time of the turn that has just ended; null = nothing is known of them, or not in time. */
  async turnCost(): Promise<string | null> {
    const { id, agent } = this.target
    const { elapsedMs } = this
    this.#startedAt = this.isRunning ? Date.now() : null
    this.#joinedRun = false
    const usage = await Promise.race([
      this.#fabric.session(id, agent).then(
        (session) => session.usage,
        () => null,
      ),
      sleep(COST_WAIT_MS, null, { ref: false }),
    ])
    if (!usage) return null
    const text = turnCost(this.#usage ?? usage, usage, elapsedMs)
    this.#usage = usage
    return text
  }

  /** Notices are a help, not the conversation: a server that does not answer now is asked again later. */
  async #follow(): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted) {
      try {
        this.#noticesAfter ??= await this.#start()
        await this.#readNotices(this.#noticesAfter, signal)
      } catch (error) {
        // A token that is refused is refused again.
        if (error instanceof FabricError && isPermanent(error)) return
        await sleep(RETRY_MAX_MS, null, { signal }).catch(() => {})
      }
    }
  }

  /** The usage before the first turn, and the event after which notices are news. */
  async #start(): Promise<string> {
    const { usage, lastEventId } = await this.#fabric.session(this.target.id, this.target.agent)
    this.#usage ??= usage
    return lastEventId
  }

  async #readNotices(after: string, signal: AbortSignal): Promise<void> {
    const { id, agent } = this.target
    const feed = this.#fabric.envelopes(id, { agent, tier: 'debug', omit: ['token', 'thinking'], after, signal })
    for await (const envelope of feed) {
      this.#noticesAfter = String(envelope.seq)
      const text = this.#readNotice(envelope as NoticeEnvelope)
      if (text !== null && !signal.aborted) this.#events.onNotice(text)
    }
  }
}

type UsageCount = Pick<SessionUsage, 'input_tokens' | 'output_tokens' | 'cost_usd' | 'context_usage_pct'>

/** The tokens and the cost of a turn: what the session has used since the turn before. */
export const turnCost = (before: UsageCount, after: UsageCount, elapsedMs: number | null): string | null => {
  const [read, written] = [after.input_tokens - before.input_tokens, after.output_tokens - before.output_tokens]
  const cost = after.cost_usd === null ? null : after.cost_usd - (before.cost_usd ?? 0)
  const parts = [
    ...(read > 0 || written > 0 ? [`${exactCountText(read)} tokens read, ${exactCountText(written)} written`] : []),
    ...(cost !== null && cost > 0 ? [costText(cost)] : []),
    // Below one percent it says nothing.
    ...((after.context_usage_pct ?? 0) < 1 ? [] : [`context ${Math.round(after.context_usage_pct ?? 0)} %`]),
    ...(elapsedMs === null ? [] : [`took ${durationText(elapsedMs)}`]),
  ]
  return parts.length === 0 ? null : parts.join(' · ')
}
