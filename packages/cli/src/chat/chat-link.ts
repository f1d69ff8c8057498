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

/** Shows the next turn after this time even without the last one's cost. */
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
  #noticesAfter: string | null = null
  readonly #readNotice = noticeReader()
  #startedAt: number | null = null
  #isFirst = true
  /** The run started before this chat attached, so its start time is unknown. */
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

  /** Milliseconds since the run started. Null if this chat did not see the start. */
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
      // Keep the start time: `turnCost` reads it after the turn has ended.
      if (this.#isFirst) this.#joinedRun = isRunning
      if (isRunning && !this.#joinedRun) this.#startedAt ??= Date.now()
      this.#isFirst = false
    }
    this.#events.onChange()
  }

  /** Tokens, cost and duration of the last turn. Null if unknown or too late. */
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

  /** Best effort: notices are not part of the conversation, so failures are retried later. */
  async #follow(): Promise<void> {
    const { signal } = this.#leaving
    while (!signal.aborted) {
      try {
        this.#noticesAfter ??= await this.#start()
        await this.#readNotices(this.#noticesAfter, signal)
      } catch (error) {
        // A retry would be refused again.
        if (error instanceof FabricError && isPermanent(error)) return
        await sleep(RETRY_MAX_MS, null, { signal }).catch(() => {})
      }
    }
  }

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

export const turnCost = (before: UsageCount, after: UsageCount, elapsedMs: number | null): string | null => {
  const [read, written] = [after.input_tokens - before.input_tokens, after.output_tokens - before.output_tokens]
  const cost = after.cost_usd === null ? null : after.cost_usd - (before.cost_usd ?? 0)
  const parts = [
    ...(read > 0 || written > 0 ? [`${exactCountText(read)} tokens read, ${exactCountText(written)} written`] : []),
    ...(cost !== null && cost > 0 ? [costText(cost)] : []),
    // Below 1 % it is not worth showing.
    ...((after.context_usage_pct ?? 0) < 1 ? [] : [`context ${Math.round(after.context_usage_pct ?? 0)} %`]),
    ...(elapsedMs === null ? [] : [`took ${durationText(elapsedMs)}`]),
  ]
  return parts.length === 0 ? null : parts.join(' · ')
}
