// A turn that records its events, and answers approvals by a rule.
import type { RunnerEvent, RunnerEventOf, RunnerEventType } from '../protocol/protocol.ts'
import type { EngineApprovalDecision, EngineApprovalRequest, TurnReporter } from './engine.ts'

type ApprovalRule = (question: EngineApprovalRequest) => EngineApprovalDecision | Promise<EngineApprovalDecision>

export class RecordingTurn implements TurnReporter {
  readonly events: RunnerEvent[] = []
  readonly asked: EngineApprovalRequest[] = []
  readonly #rule: ApprovalRule
  readonly #watchers = new Set<() => void>()
  /** While it is false, nothing more is taken. */
  #open = Promise.withResolvers<void>()

  constructor(rule: ApprovalRule = ({ input }) => ({ decision: 'approved', input }), { full = false } = {}) {
    this.#rule = rule
    if (!full) this.#open.resolve()
  }

  report(event: RunnerEvent): number {
    this.events.push(event)
    for (const look of this.#watchers) look()
    return this.events.length
  }

  waitForRoom(): Promise<void> {
    return this.#open.promise
  }

  makeRoom(): void {
    this.#open.resolve()
  }

  async waitForAcknowledgement(): Promise<void> {}

  async requestApproval(question: EngineApprovalRequest): Promise<EngineApprovalDecision> {
    this.asked.push(question)
    for (const look of this.#watchers) look()
    return this.#rule(question)
  }

  of<T extends RunnerEventType>(type: T): RunnerEventOf<T>[] {
    return this.events.filter((event) => event.type === type) as RunnerEventOf<T>[]
  }

  get text(): string {
    return this.of('assistant.delta')
      .map(({ text }) => text)
      .join('')
  }

  /** Resolves as soon as it holds. */
  until(holds: (turn: this) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!holds(this)) return
        this.#watchers.delete(look)
        resolve()
      }
      this.#watchers.add(look)
      look()
    })
  }
}

export const denyRule =
  (reason: string): ApprovalRule =>
  () => ({ decision: 'denied', reason })
