// Bookkeeping of one session's log without the kernel's folds: which run ended when, which approval was decided, whose
// command took effect. The ledger checks each event as it arrives.
import type { AnyEvent } from '@bridle/kernel/event'
import { fail, type SimulationContext } from './ground.ts'
import type { SessionHistory } from './model.ts'

export interface RunLedgerEntry {
  readonly text: string
  /** The event that ended the run, and its status. */
  end: { readonly seq: number; readonly type: string; readonly status: string } | null
  attempts: number
  /** The attempt that the last one continues, or the last one itself. */
  from: number
  /** Text by attempt. */
  readonly textByAttempt: Map<number, string>
  readonly started: Set<number>
}

export interface ApprovalLedgerEntry {
  readonly expiresAt: number | null
  decided: { readonly seq: number; readonly decision: string } | null
}

export class Ledger {
  readonly #ground: SimulationContext
  readonly #life: SessionHistory
  readonly runs = new Map<string, RunLedgerEntry>()
  readonly approvals = new Map<string, ApprovalLedgerEntry>()
  /** How often each marked command took effect. */
  readonly effects = new Map<string, AnyEvent[]>()
  /** Steering prompts that no runner has received yet, and their run. */
  readonly #steers = new Map<string, string>()
  #kind = 'chat'
  #at: number

  constructor(ground: SimulationContext, life: SessionHistory) {
    this.#ground = ground
    this.#life = life
    this.#at = 0
  }

  get openApprovals(): readonly string[] {
    return [...this.approvals].flatMap(([id, { decided }]) => (decided ? [] : [id])).sort()
  }

  enter(event: AnyEvent): void {
    const { name, base, head, parent, atStart } = this.#life
    if (event.seq !== head) this.#fail(2, `event ${event.seq} stands at ${head}`)
    if (event.at < Math.max(this.#at, atStart)) this.#fail(13, `event ${event.seq} is earlier than the one before`)
    this.#at = event.at
    if (event.seq === base + 1 && parent !== null && event.type !== 'branched')
      this.#fail(9, `${name} begins with ${event.type}, not with its branching`)
    if (event.seq > base + 1 && event.type === 'branched') this.#fail(9, 'it branched in the middle')
    if (event.hearsay) return this.#ofRun(event)
    this.#ofRun(event)
    this.#mark(event)
    switch (event.type) {
      case 'session_created':
        this.#kind = event.payload.kind
        return
      case 'steered':
        this.#steers.set(event.payload.message_id, event.payload.run_id)
        return
      case 'steer_delivered':
        this.#steers.delete(event.payload.message_id)
        return
      case 'branched':
        this.#kind = event.payload.kind
        if (event.payload.parent.seq !== base || event.payload.parent.id !== parent?.key.id)
          this.#fail(9, `it says it left ${event.payload.parent.id} at ${event.payload.parent.seq}`)
        return
      case 'prompt_queued':
        this.#steers.delete(event.payload.message_id)
        if (this.runs.has(event.payload.run_id)) this.#fail(6, `run ${event.payload.run_id} was queued twice`)
        this.runs.set(event.payload.run_id, {
          text: event.payload.text,
          end: null,
          attempts: 0,
          from: 0,
          textByAttempt: new Map(),
          started: new Set(),
        })
        return
      case 'run_requested': {
        const run = this.#run(event.payload.run_id, event)
        if (run && event.payload.attempt !== run.attempts + 1)
          this.#fail(6, `attempt ${event.payload.attempt} of ${event.payload.run_id} follows ${run.attempts}`)
        if (run) run.attempts = event.payload.attempt
        if (run) run.from = event.payload.continues ?? event.payload.attempt
        return
      }
      case 'run_started': {
        const run = this.#run(event.payload.run_id, event)
        if (run?.started.has(event.payload.attempt)) this.#fail(6, `${event.payload.run_id} started twice`)
        run?.started.add(event.payload.attempt)
        return
      }
      case 'token': {
        const run = this.#run(event.run ?? '', event)
        // An attempt that continues a stopped one adds to its text.
        const attempt = event.continues ?? event.attempt ?? 0
        run?.textByAttempt.set(attempt, (run.textByAttempt.get(attempt) ?? '') + event.payload.text)
        return
      }
      case 'prompt_dropped':
        return this.#end(event.payload.run_id, event, 'dropped')
      case 'turn_end':
        // A branch from the middle of a parent's turn ends that turn.
        if (event.payload.stop_reason === 'branched') return
        this.#forgotten(event.payload.turn_id, event.payload.status)
        return this.#end(event.payload.turn_id, event, event.payload.status)
      case 'approval_required':
        this.approvals.set(event.payload.request_id, {
          expiresAt: event.payload.expires_at ? Date.parse(event.payload.expires_at) : null,
          decided: null,
        })
        return
      case 'approval_decided':
        return this.#decide(event.payload.request_id, event, event.payload.decision)
    }
  }

  #ofRun(event: AnyEvent): void {
    if (event.run === undefined || isOfParent(event)) return
    const run = this.#run(event.run, event)
    if (run?.end && event.seq !== run.end.seq)
      this.#fail(5, `${event.type} at ${event.seq} belongs to ${event.run}, which ended at ${run.end.seq}`)
  }

  #run(runId: string, event: AnyEvent): RunLedgerEntry | undefined {
    const run = this.runs.get(runId)
    if (!run) this.#fail(5, `${event.type} at ${event.seq} belongs to ${runId}, which nobody asked for`)
    return run
  }

  #end(runId: string, event: AnyEvent, status: string): void {
    // Work that expires with an empty queue ends under the session's id.
    if (runId === this.#life.key.id) return
    const run = this.#run(runId, event)
    if (!run) return
    // Background work whose whole queue is dropped ends under the id of one of the prompts.
    const closing = run.attempts === 0 && run.end?.type === 'prompt_dropped' && event.type === 'turn_end'
    if (run.end && !closing)
      this.#fail(5, `${runId} ended at ${run.end.seq} (${run.end.type}) and at ${event.seq} (${event.type})`)
    run.end = { seq: event.seq, type: event.type, status }
  }

  /** Only work that was stopped, or that ended as a whole, may leave a steering prompt undelivered. */
  #forgotten(runId: string, status: string): void {
    for (const [messageId, of] of this.#steers)
      if (of === runId && (status === 'completed' || (status === 'failed' && this.#kind === 'chat')))
        this.#fail(1, `${messageId} was accepted for ${runId}, which ended without it`)
  }

  #decide(id: string, event: AnyEvent, decision: string): void {
    const asked = this.approvals.get(id)
    if (!asked) return this.#fail(7, `${id} was decided at ${event.seq} and never asked`)
    if (asked.decided) this.#fail(7, `${id} was decided at ${asked.decided.seq} and at ${event.seq}`)
    if (asked.expiresAt !== null && (decision === 'approved' || decision === 'denied') && event.at >= asked.expiresAt)
      this.#fail(7, `${id} was ${decision} after it had expired`)
    asked.decided = { seq: event.seq, decision }
  }

  #mark(event: AnyEvent): void {
    const { actor } = event.payload as { actor?: string }
    if (typeof actor !== 'string' || !effectTypes.has(event.type)) return
    const before = this.effects.get(actor) ?? []
    this.effects.set(actor, [...before, event])
    const [first] = before
    if (first) this.#fail(6, `${actor} took effect at ${first.seq} (${first.type}) and at ${event.seq} (${event.type})`)
  }

  #fail(promise: number, text: string): void {
    fail(this.#ground, promise, `${this.#life.name}: ${text}`)
  }
}

/** Events that name the actor of a command. approval_applied only repeats one. */
const effectTypes = new Set<string>([
  'prompt_queued',
  'steered',
  'cancel_requested',
  'approval_decided',
  'session_paused',
  'session_resumed',
  'policy_set',
  'signal_received',
])

/** The end that a branch records for the turn in whose middle it began. */
const isOfParent = ({ payload }: AnyEvent): boolean => {
  const { reason, stop_reason } = payload as { readonly reason?: unknown; readonly stop_reason?: unknown }
  return reason === 'branched' || stop_reason === 'branched'
}
