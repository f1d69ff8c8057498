// People who decide about what the sessions of a row propose to remember, each proposal once.
import type { MemoryPage } from '@bridle/wire/http/wire'
import type { RowSession } from './cast.ts'
import type { DurableWorld } from './world.ts'

export class ProposalDecisions {
  readonly #world: DurableWorld
  readonly #decisions = new Map<string, Promise<void>>()

  constructor(world: DurableWorld, cast: readonly RowSession[]) {
    this.#world = world
    for (const session of cast.filter(isProposing))
      for (const [turn, { place }] of session.plans.entries())
        this.#decisions.set(place, this.#accept(session.id, turn))
  }

  /** Resolves when the proposal of the turn is accepted; at once where the turn proposes nothing. */
  async accepted(place: string | null | undefined): Promise<void> {
    await this.#decisions.get(place ?? '')
  }

  /** After all of it: the last value, and how the server answers to another decision about each proposal. */
  async lookAgain({ id }: RowSession): Promise<{ readonly value: unknown; readonly statuses: readonly unknown[] }> {
    const { memory = [], proposals = [] } = (await this.#page(id)) ?? {}
    const reject = { decision: 'reject' }
    const answers = await Promise.all(
      proposals.map((proposal) => this.#world.request(`/sessions/${id}/memory/${proposal.id}`, reject)),
    )
    return { value: memory[0]?.value, statuses: answers.map((answer) => answer?.status) }
  }

  async #accept(id: string, turn: number): Promise<void> {
    await this.#world.until(`${id} proposes in turn ${turn + 1}`, async () => {
      const proposal = (await this.#page(id))?.proposals.toReversed()[turn]
      if (!proposal) return false
      const decision = { decision: 'accept', actor: 'ann' }
      return (await this.#world.request(`/sessions/${id}/memory/${proposal.id}`, decision))?.status === 200
    })
  }

  async #page(id: string): Promise<MemoryPage | null> {
    const answer = await this.#world.request<MemoryPage>(`/sessions/${id}/memory`)
    return answer?.status === 200 ? answer.body : null
  }
}

export const isProposing = ({ row }: RowSession): boolean => row.steps.some(({ propose }) => propose !== undefined)
