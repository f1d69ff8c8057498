// Commands of clients, and the promises in their answers. An acknowledgement is compared with the log at the moment it leaves
// the host, and again at the end.
import { isDeepStrictEqual } from 'node:util'
import { canonicalJson, hashText } from '@bridle/events/json'
import {
  type Answer,
  type Answers,
  type AnswerTo,
  type Command,
  isRefusal,
  type PromptAnswer,
  type Refusal,
} from '@bridle/kernel/commands'
import { type Key, keyText } from '@bridle/kernel/event'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import { runOutcome } from '@bridle/kernel/session/run-outcome'
import { fail, note, type SimulationContext } from './ground.ts'
import type { SessionHistory, StoreModel } from './model.ts'
import type { SimulatedProcess } from './process.ts'

export type ClientCommand = Exclude<Command, { type: 'report' | 'tick' | 'expire' | 'branch' | 'promise_branch' }>
export type ClientAction =
  | { readonly kind: 'command'; readonly key: Key; readonly command: ClientCommand }
  | { readonly kind: 'branch'; readonly key: Key; readonly parent: Key; readonly seq: number }
  | { readonly kind: 'remove'; readonly key: Key }

export interface ClientRequest {
  /** The actor of the command, which identifies the request in the log. */
  readonly marker: string
  readonly action: ClientAction
  /** With an id the client may send the command again; without one its outcome stays unknown. */
  readonly commandId: string | null
  waiting: number
  answered: boolean
  readonly answers: { readonly life: SessionHistory; readonly answer: Answer }[]
}

export class ClientRequests {
  readonly #ground: SimulationContext
  readonly #model: StoreModel
  readonly all: ClientRequest[] = []

  constructor(ground: SimulationContext, model: StoreModel) {
    this.#ground = ground
    this.#model = model
  }

  /** Requests that a client would retry: no answer came, and a second time is safe. */
  get retryable(): readonly ClientRequest[] {
    return this.all.filter(({ commandId, answered, waiting }) => commandId !== null && !answered && waiting === 0)
  }

  send(request: ClientRequest, process: SimulatedProcess): void {
    const { action, marker } = request
    if (!this.all.includes(request)) this.all.push(request)
    note(this.#ground, `${marker} asks ${process.name}: ${describe(action)}${request.commandId ? ' (id)' : ''}`)
    request.waiting += 1
    let open = true
    const over = () => {
      if (open) request.waiting -= 1
      open = false
    }
    process.onEnd.push(over)
    // Request and answer both take time, and a crash may cut either.
    process.later(this.#ground.prng.int(0, 5), () => {
      this.#ask(action, request.commandId, process).then(
        (outcome) => {
          if (!process.alive) return
          this.#told(request, outcome)
          this.#await(request, process)
          process.later(this.#ground.prng.int(0, 5), () => {
            request.answered = true
            over()
          })
        },
        (cause: unknown) => {
          if (!process.alive) return
          this.#failed(request, cause, process)
          process.later(this.#ground.prng.int(0, 5), over)
        },
      )
    })
  }

  /** Checks that every acknowledged command is still in the log. */
  recheck(): void {
    for (const request of this.all) for (const { answer } of request.answers) this.#find(request, answer)
  }

  #ask(wish: ClientAction, commandId: string | null, { host }: SimulatedProcess): Promise<Answer | Refusal | boolean> {
    const id = commandId === null ? null : { commandId, bodyHash: hashText(canonicalJson(wish)) }
    if (wish.kind === 'remove') return host.remove(wish.key)
    if (wish.kind === 'branch') return host.branch(wish.parent, wish.seq, wish.key.id, id ? { id } : {})
    return host.send(wish.key, wish.command, id)
  }

  /** Waits for the run's end, as an invoke does, and compares the answer with the log. */
  #await({ action, marker, answers }: ClientRequest, process: SimulatedProcess): void {
    const last = answers.at(-1)
    if (action.kind !== 'command' || action.command.type !== 'submit' || !last || !this.#ground.prng.chance(0.3)) return
    const { life, answer } = last
    const { runId, seq } = answer as AnswerTo<Command & { type: 'submit' }>
    process.host
      .find(action.key)
      .then((session) => (session ? runOutcome(session, runId, seq) : null))
      .then((outcome) => {
        if (!process.alive || !outcome || outcome.status === 'moved' || outcome.status === 'removed') return
        this.#model.read()
        const { end } = life.ledger.runs.get(runId)!
        const status = end?.status === 'dropped' ? 'cancelled' : end?.status
        if (status !== outcome.status)
          fail(this.#ground, 5, `${marker} heard that ${runId} was ${outcome.status}, and the log says ${status}`)
      })
      .catch(() => {})
  }

  #failed({ marker }: ClientRequest, cause: unknown, process: SimulatedProcess): void {
    note(this.#ground, `${marker} failed: ${String(cause)}`)
    if (cause instanceof StoreFault || process.deposed) return
    fail(this.#ground, 'invariant', `${marker} failed: ${cause instanceof Error ? cause.stack : String(cause)}`)
  }

  #told(request: ClientRequest, outcome: Answer | Refusal | boolean): void {
    note(this.#ground, `${request.marker} is told ${canonicalJson(outcome)}`)
    if (typeof outcome === 'boolean') return
    if (isRefusal(outcome)) {
      const [before] = request.answers
      if (before && this.#model.current(request.action.key) === before.life && outcome.refused === 'command_conflict')
        fail(this.#ground, 6, `${request.marker} was answered, and then refused: ${canonicalJson(outcome)}`)
      return
    }
    const life = this.#find(request, outcome)
    if (!life) return
    const other = request.answers.find((each) => each.life === life && !isDeepStrictEqual(each.answer, outcome))
    if (other)
      fail(
        this.#ground,
        6,
        `${request.marker} got two answers: ${canonicalJson(other.answer)} and ${canonicalJson(outcome)}`,
      )
    request.answers.push({ life, answer: outcome })
  }

  /** The life in whose log the acknowledged command is. */
  #find(request: ClientRequest, answer: Answer): SessionHistory | null {
    const lives = this.#model.livesOf(request.action.key)
    const life = lives.findLast((each) => isIn(each, request, answer))
    if (life) return life
    fail(this.#ground, 1, `${request.marker} was told ${canonicalJson(answer)}, and the log knows nothing of it`)
    return null
  }
}

const isIn = (life: SessionHistory, { action, marker }: ClientRequest, answer: Answer): boolean => {
  if (typeof answer.seq !== 'number' || answer.seq > life.head) return false
  const has = (test: (event: SessionHistory['events'][number]) => boolean) => life.events.some(test)
  if (action.kind === 'branch')
    return has((event) => event.type === 'branched' && event.payload.parent.seq === action.seq)
  if (action.kind === 'remove') return true
  const { command } = action
  const prompt = answer as PromptAnswer
  const cancel = answer as Answers['cancel']
  switch (command.type) {
    case 'create':
      return has((event) => event.type === 'session_created')
    case 'submit':
    case 'edit':
      return has(
        (event) =>
          event.type === 'prompt_queued' &&
          event.payload.actor === marker &&
          event.payload.run_id === prompt.runId &&
          event.payload.message_id === prompt.messageId &&
          event.payload.text === command.prompt,
      )
    case 'reload':
      return has((event) => event.type === 'prompt_queued' && event.payload.actor === marker)
    case 'steer':
      return has(
        (event) =>
          (event.type === 'prompt_queued' || event.type === 'steered') &&
          event.payload.actor === marker &&
          event.payload.message_id === prompt.messageId,
      )
    case 'approve':
      return life.ledger.approvals.get(command.approvalId)?.decided?.decision === command.decision
    case 'cancel':
      return !cancel.cancelled || cancel.runId === null || isStopped(life, cancel.runId)
    default:
      return life.ledger.effects.has(marker)
  }
}

const isStopped = (life: SessionHistory, runId: string): boolean =>
  life.ledger.runs.get(runId)?.end != null ||
  life.events.some((event) => event.type === 'cancel_requested' && event.payload.run_id === runId)

const describe = (wish: ClientAction): string => {
  if (wish.kind === 'remove') return `remove ${keyText(wish.key)}`
  if (wish.kind === 'branch') return `branch ${wish.key.id} from ${keyText(wish.parent)} at ${wish.seq}`
  return `${keyText(wish.key)} ${canonicalJson(wish.command)}`
}
