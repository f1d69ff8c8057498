// Incremental directives for a streaming reader. Frames depend on the log alone, so a reader can resume after any of them.
import type { AnyEvent } from '@bridle/kernel/event'
import { type LogPosition, positionText } from '@bridle/kernel/positions/log-position'
import type { Session } from '@bridle/kernel/session/session'
import type { CommittedChange } from '@bridle/kernel/session/subscribers'
import type { ActionDirective, DirectiveChange, ResponseMessage, StreamFrame } from '@bridle/wire/openharness/wire'
import { sseFrame } from '../http/streams/sse.ts'
import { directivesOf, emptyOutput, evolveOutput, type RunPlace } from './run-output.ts'

export interface StreamCursor {
  readonly position: LogPosition | null
}

export interface PartialSource {
  readonly session: Session
  readonly place: RunPlace
  readonly cursor: StreamCursor
  /** Adapts the directive to the shell, or drops it. */
  readonly shape: (directive: ActionDirective) => readonly ActionDirective[]
}

export class PartialAnswer {
  readonly #source: PartialSource
  readonly #cursor: number
  #output = emptyOutput
  /** Null: the reader has directives from before the cursor. */
  #shown: readonly ActionDirective[] | null = null
  #next: readonly ActionDirective[] = []
  #seq: number
  /** Caches by identity, so that unchanged directives need no comparison as text grows. */
  readonly #shapes = new WeakMap<ActionDirective, readonly ActionDirective[]>()

  constructor(source: PartialSource) {
    this.#source = source
    const { position } = source.cursor
    // A reader of another history starts over: its first change replaces everything.
    this.#cursor = position && source.session.canResumeFrom(position) ? position.seq : 0
    this.#seq = this.#cursor
    if (position === null) this.#shown = []
  }

  encode({ events }: CommittedChange): string {
    for (const event of events) {
      if (event.seq > this.#cursor) this.#passCursor()
      const { place, session } = this.#source
      this.#output = evolveOutput(this.#output, event, place, session)
      // Only output advances the position. The end of the run comes after it, so that the final frame has its own id.
      if (isOutput(event, place)) this.#seq = Math.max(this.#seq, event.seq)
    }
    return this.#isPastCursor ? this.#show(this.#directives()) : ''
  }

  /** Marks the last frame as sent. A listener that left after encoding never received it. */
  confirm(): void {
    this.#shown = this.#next
  }

  /** Brings the reader's directives in line with the final message. */
  finalFrames(message: ResponseMessage): string {
    const { head } = this.#source.session.state
    // The rest is not in the log: questions, a result, or an error that withdraws everything. A reader may get it twice.
    this.#seq = Math.max(this.#seq, head - 1)
    const rest = this.#show(message.response.action_directives ?? [])
    return rest + this.#frame({ type: 'final', seq: Math.max(this.#seq, head), message })
  }

  #isPastCursor = false

  #passCursor(): void {
    if (this.#isPastCursor) return
    this.#isPastCursor = true
    // The reader already has the directives before its cursor; with another history, it has none.
    if (this.#cursor > 0) this.#shown = this.#directives()
  }

  #directives(): readonly ActionDirective[] {
    const { session, place } = this.#source
    return directivesOf(this.#output, session, place, (directive) => this.#shaped(directive))
  }

  #shaped(directive: ActionDirective): readonly ActionDirective[] {
    const shape = this.#shapes.get(directive) ?? this.#source.shape(directive)
    this.#shapes.set(directive, shape)
    return shape
  }

  #show(directives: readonly ActionDirective[]): string {
    const changes = directiveChanges(this.#shown, directives)
    if (changes.length === 0) return ''
    this.#next = directives
    return this.#frame({ type: 'partial', seq: this.#seq, changes })
  }

  #frame(frame: StreamFrame): string {
    return sseFrame(frame, positionText(frame.seq, this.#source.session.incarnations.own))
  }
}

const OUTPUT: ReadonlySet<string> = new Set([
  'token',
  'response',
  'output_superseded',
  'directive',
  'approval_required',
])

const isOutput = ({ type, run, hearsay }: AnyEvent, { runId }: RunPlace): boolean =>
  run === runId && !hearsay && OUTPUT.has(type)

/** Changes from one list to the other. `before` is null if the reader's list is unknown: everything is sent. */
const directiveChanges = (
  before: readonly ActionDirective[] | null,
  after: readonly ActionDirective[],
): readonly DirectiveChange[] => {
  const changes: DirectiveChange[] = []
  let index = 0
  for (; before && index < before.length; index++) {
    const change = after[index] && changeAt(index, before[index]!, after[index]!)
    if (change === undefined) break
    if (change) changes.push(change)
  }
  if (index === after.length && index !== before?.length) changes.push({ index, directive: null })
  for (; index < after.length; index++) changes.push({ index, directive: after[index]! })
  return changes
}

/** Null: unchanged; undefined: must be replaced. */
const changeAt = (
  index: number,
  before: ActionDirective,
  after: ActionDirective,
): DirectiveChange | null | undefined => {
  if (before === after) return null
  const texts = [messageText(before), messageText(after)] as const
  if (JSON.stringify(withoutText(before, texts[0])) !== JSON.stringify(withoutText(after, texts[1]))) return undefined
  if (texts[0] === texts[1]) return null
  if (texts[0] === null || texts[1] === null) return undefined
  const keep = commonLength(texts[0], texts[1])
  return { index, keep, append: texts[1].slice(keep) }
}

/** Null if the directive has no text that could grow. */
const messageText = ({ action_type, payload }: ActionDirective): string | null =>
  action_type === 'render_message' && typeof payload?.text === 'string' ? payload.text : null

/** Blanks the text, so that comparing the rest never serializes it. */
const withoutText = (directive: ActionDirective, text: string | null): ActionDirective =>
  text === null ? directive : { ...directive, payload: { ...directive.payload, text: '' } }

/** Never splits a surrogate pair, because half of one cannot be encoded. */
const commonLength = (before: string, after: string): number => {
  if (after.startsWith(before)) return before.length
  let length = 0
  while (length < before.length && before[length] === after[length]) length += 1
  const last = before.charCodeAt(length - 1)
  return length > 0 && last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
