// The directives of a run as the reader of a stream has them. Frames follow from the log alone, so that a reader may come back
// anywhere between two of them.
import type { AnyEvent } from '@bridle/kernel/event'
import { type LogPosition, positionText } from '@bridle/kernel/positions/log-position'
import type { Session } from '@bridle/kernel/session/session'
import type { CommittedChange } from '@bridle/kernel/session/subscribers'
import type { ActionDirective, DirectiveChange, ResponseMessage, StreamFrame } from '@bridle/wire/openharness/wire'
import { sseFrame } from '../http/streams/sse.ts'
import { directivesOf, emptyOutput, evolveOutput, type RunPlace } from './run-output.ts'

export interface StreamCursor {
  /** Null = from the start. */
  readonly position: LogPosition | null
}

export interface PartialSource {
  readonly session: Session
  readonly place: RunPlace
  readonly cursor: StreamCursor
  /** The directive as the shell can show it: another one, or none. */
  readonly shape: (directive: ActionDirective) => readonly ActionDirective[]
}

export class PartialAnswer {
  readonly #source: PartialSource
  readonly #cursor: number
  #output = emptyOutput
  /** Null = the reader has directives of which nothing is known here yet. */
  #shown: readonly ActionDirective[] | null = null
  #next: readonly ActionDirective[] = []
  #seq: number
  /** An agent's own directives keep their shape, so that they need no comparison when a text grows. */
  readonly #shapes = new WeakMap<ActionDirective, readonly ActionDirective[]>()

  constructor(source: PartialSource) {
    this.#source = source
    const { position } = source.cursor
    // A reader of another history begins again: its first change replaces everything.
    this.#cursor = position && source.session.canResumeFrom(position) ? position.seq : 0
    this.#seq = this.#cursor
    if (position === null) this.#shown = []
  }

  /** The frame for these events, or nothing. */
  encode({ events }: CommittedChange): string {
    for (const event of events) {
      if (event.seq > this.#cursor) this.#passCursor()
      const { place, session } = this.#source
      this.#output = evolveOutput(this.#output, event, place, session)
      // Only output moves the place: the end of the run comes behind it, so that the final frame has an id of its own.
      if (isOutput(event, place)) this.#seq = Math.max(this.#seq, event.seq)
    }
    return this.#isPastCursor ? this.#show(this.#directives()) : ''
  }

  /** The last frame was sent. A listener that leaves meanwhile is not sent what was encoded for it. */
  confirm(): void {
    this.#shown = this.#next
  }

  /** The last frames: after them the reader's directives are those of the message. */
  finalFrames(message: ResponseMessage): string {
    const { head } = this.#source.session.state
    // The rest is not in the log: questions, a result, or that an error withdraws everything. A reader may get it twice.
    this.#seq = Math.max(this.#seq, head - 1)
    const rest = this.#show(message.response.action_directives ?? [])
    return rest + this.#frame({ type: 'final', seq: Math.max(this.#seq, head), message })
  }

  #isPastCursor = false

  #passCursor(): void {
    if (this.#isPastCursor) return
    this.#isPastCursor = true
    // Directives before the cursor are those that the reader has; of another history there are none before it.
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

/** The changes that make the second list of the first. `before` null = nobody knows what the reader has: everything is sent. */
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

/** Null = both are the same; undefined = the one must be replaced with the other. */
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

/** Null = the directive has no text that can change by itself. */
const messageText = ({ action_type, payload }: ActionDirective): string | null =>
  action_type === 'render_message' && typeof payload?.text === 'string' ? payload.text : null

/** A long text is compared once, and never written out for it. */
const withoutText = (directive: ActionDirective, text: string | null): ActionDirective =>
  text === null ? directive : { ...directive, payload: { ...directive.payload, text: '' } }

/** Never in the middle of a character that is a pair: half of one cannot be sent. */
const commonLength = (before: string, after: string): number => {
  if (after.startsWith(before)) return before.length
  let length = 0
  while (length < before.length && before[length] === after[length]) length += 1
  const last = before.charCodeAt(length - 1)
  return length > 0 && last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
