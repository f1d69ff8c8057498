import type { GivenAnswer, HarnessApproval, HarnessState } from '@bridle/client/index'
import { present } from '@bridle/events/json'

export interface ApprovalNews {
  /** The approval to ask now. Null if none or unchanged. */
  readonly opened: HarnessApproval | null
  /** Answered or withdrawn. `isOwn`: by this chat. */
  readonly closed: readonly {
    readonly approval: HarnessApproval
    readonly decision: string | null
    readonly given?: GivenAnswer
    readonly isOwn: boolean
  }[]
}

export class ApprovalDesk {
  #known = new Map<string, HarnessApproval>()
  readonly #answered = new Set<string>()
  #current: HarnessApproval | null = null

  get current(): HarnessApproval | null {
    return this.#current
  }

  get waiting(): number {
    return [...this.#known.keys()].filter((id) => !this.#answered.has(id)).length
  }

  /** `mayAsk`: the input line is free. */
  update(state: HarnessState, mayAsk: boolean): ApprovalNews {
    const open = new Map((state.approvals ?? []).map((approval) => [approval.id, approval]))
    const closed = [...this.#known.values()]
      .filter(({ id }) => !open.has(id))
      .map((approval) => ({
        approval,
        ...settlementOf(state, approval.id),
        isOwn: this.#answered.has(approval.id),
      }))
    this.#known = open
    if (this.#current && !open.has(this.#current.id)) this.#current = null
    for (const { approval } of closed) this.#answered.delete(approval.id)
    if (this.#current || !mayAsk) return { opened: null, closed }
    this.#current = [...open.values()].find(({ id }) => !this.#answered.has(id)) ?? null
    return { opened: this.#current, closed }
  }

  /** The answer is being sent, so the next approval may be asked. */
  answer(): void {
    if (this.#current) this.#answered.add(this.#current.id)
    this.#current = null
  }

  reopen(id: string): void {
    this.#answered.delete(id)
  }
}

const settlementOf = (
  { messages }: HarnessState,
  id: string,
): Pick<ApprovalNews['closed'][number], 'decision' | 'given'> => {
  for (const { toolCalls = [] } of messages.toReversed())
    for (const { approval } of toolCalls)
      if (approval?.id === id && approval.status !== 'pending') {
        const { status, answers, values } = approval
        const given = present({ answers, values })
        return { decision: status, ...(Object.keys(given).length > 0 && { given }) }
      }
  return { decision: null }
}
