// The transcript of a session: everything that the model has seen, folded from committed events in the order in which the model
// saw it. The same log gives the same messages, byte for byte: after a crash, and in a branch. Each entry is rendered once.

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import { type AnyEvent, BRANCHED, type Event } from '@bridle/kernel/event'
import { fileReferences } from '@bridle/kernel/file-references'
import { messageSeq, withoutCallId } from '@bridle/kernel/ids'
import { SPOKEN_AUDIO } from '@bridle/kernel/projections/indexes/artifacts'
import { approximateChars } from '@bridle/kernel/text/size'
import type { ModelMessage, StepCall, StepContent } from '../../model/model.ts'
import { EntryList } from './entry-list.ts'
import { argumentsOf, type CallView, INTERRUPTED, promptMessage, textMessage, turnEndNote } from './rendering.ts'
import { CONTEXT_USAGE, TurnRecord } from './turn-record.ts'

interface QueuedPrompt {
  readonly seq: number
  readonly input: Json | undefined
  readonly continuesRun: string | undefined
}

export class Transcript {
  /** The number of the last event that is folded in. */
  seq = 0
  /** The characters that the transcript holds, approximately. */
  chars = 0
  /** The turn in progress, or the last one. */
  turn = new TurnRecord('')
  /** The input of each prompt that came with files, by its message. */
  readonly inputsWithFiles = new Map<ModelMessage, JsonObject>()
  readonly entries = new EntryList()
  readonly #prompts = new Map<string, QueuedPrompt>()
  readonly #steers = new Map<
    string,
    { readonly run: string; readonly text: string; readonly input: Json | undefined }
  >()
  /** Sentences about turns that did not end well, by run. */
  readonly #notes = new Map<string, string>()
  readonly #responses = new Map<string, string>()
  /** Calls without an outcome. */
  readonly #calls = new Map<string, CallView>()
  readonly #questions = new Map<string, string>()
  #lastRun = ''
  /** The first event of the turn in progress, or of the turn before where its prompt tells of that turn. */
  #origin = 0

  /** Everything that the model has seen so far, behind the instructions, as a list of the caller's own. */
  prompt(instructions: string | null): ModelMessage[] {
    return this.entries.view.prompt(instructions)
  }

  /** The first event that a reader needs, where the model sees the entries from an event on, and later the queued prompts. */
  readFrom(keptFrom: number): number {
    return Math.min(this.entries.readFrom(keptFrom), ...[...this.#prompts.values()].map(({ seq }) => seq))
  }

  /** Prepares for reading the log from an event on: 0, or that of the last cut. A transcript that is not broken goes on where it is. */
  begin(since: number): void {
    if (this.seq > 0 && !this.entries.isBroken) return
    this.#forget()
    this.seq = Math.max(0, since - 1)
  }

  release(): void {
    if (!this.entries.release()) return
    const shown = this.entries.messages()
    for (const message of this.inputsWithFiles.keys()) if (!shown.has(message)) this.inputsWithFiles.delete(message)
    this.chars = this.entries.chars()
  }

  /** Folds an event in. An event that is folded already, and hearsay, change nothing. */
  add(event: AnyEvent): void {
    if (event.seq <= this.seq) return
    this.seq = event.seq
    if (event.hearsay) return
    if (KEPT_TYPES.has(event.type)) this.chars += approximateChars(event.payload)
    this.#fold(event)
    this.turn.add(event)
  }

  #fold(event: AnyEvent): void {
    switch (event.type) {
      case 'prompt_queued': {
        const { run_id, input, continues_run: continuesRun } = event.payload
        this.#prompts.set(run_id, { seq: event.seq, input, continuesRun })
        return
      }
      case 'prompt_dropped':
        this.#prompts.delete(event.payload.run_id)
        return
      case 'turn_start':
        return this.#startTurn(event)
      case 'steered':
        this.#steers.set(event.payload.message_id, {
          run: event.payload.run_id,
          text: event.payload.text,
          input: event.payload.input,
        })
        return
      case 'steer_delivered': {
        const steer = this.#steers.get(event.payload.message_id)
        this.#steers.delete(event.payload.message_id)
        if (steer) this.#addMessage('message', steer.run, event.seq, textMessage(steer.text), steer.input)
        return
      }
      case 'context_added':
        return this.#addContext(event)
      case 'model_step':
        return this.#addStep(event)
      case 'tool_call': {
        const call = this.#calls.get(event.payload.tool_call_id)
        const args = withoutCallId(event.payload.arguments)
        const { name: tool } = event.payload
        if (call && (tool !== call.call.tool || !isSame(args, withoutCallId(call.call.input))))
          call.begun = { tool, args }
        return
      }
      case 'tool_outcome': {
        const call = this.#calls.get(event.payload.tool_call_id)
        this.#calls.delete(event.payload.tool_call_id)
        if (call) call.outcome = event.payload
        return
      }
      case 'approval_required':
        // Nobody can change the arguments of a call that has begun.
        if (event.payload.kind !== 'unknown_outcome')
          this.#questions.set(event.payload.request_id, event.payload.tool_call_id)
        return
      case 'approval_decided': {
        const call = this.#calls.get(this.#questions.get(event.payload.request_id) ?? '')
        this.#questions.delete(event.payload.request_id)
        const approved = event.payload.arguments as JsonObject | undefined
        // A client may send the arguments back as they are.
        if (call && approved && !isSame(approved, argumentsOf(call))) call.edited = approved
        return
      }
      case 'output_superseded':
        return this.#interrupt(event)
      case 'response':
        if (event.run !== undefined) this.#responses.set(event.run, event.payload.text)
        return
      case 'turn_end':
        return this.#endTurn(event)
      case 'artifact_published': {
        const { artifact_id, name, kind = '' } = event.payload
        if (!BOOKKEEPING.has(kind)) this.entries.addArtifact(event, `${artifact_id} (${name})`)
        return
      }
      case 'context_warning':
        if (event.payload.kind === CONTEXT_USAGE) this.entries.addWarning(event, event.payload.usage_pct ?? 0)
        return
      case 'context_compacted':
        return this.entries.cut(event)
      case 'rewound':
        return this.#rewind(event)
    }
  }

  #startTurn({ seq, payload: { turn_id: run, prompt } }: Event<'turn_start'>): void {
    // An attempt that was stopped before it began starts its turn a second time.
    if (run === this.#lastRun) return
    const { input, continuesRun, seq: queuedSeq = seq } = this.#prompts.get(run) ?? {}
    this.#prompts.delete(run)
    const before = this.#lastRun
    this.#lastRun = run
    if (continuesRun !== undefined && continuesRun === this.turn.run) {
      this.turn.continueAs(run)
      // The prompt is there already. A steering prompt that the parent's model had not seen is not.
      for (const [messageId, steer] of this.#steers) {
        if (steer.run !== continuesRun) continue
        this.#steers.delete(messageId)
        this.#addMessage('message', run, seq, textMessage(steer.text), steer.input)
        this.turn.hasNews = true
      }
      return
    }
    this.turn = new TurnRecord(run)
    const note = this.#notes.get(before)
    // A reader who does not know the turn before cannot tell of it.
    this.#origin = note === undefined ? queuedSeq : Math.min(queuedSeq, this.entries.last?.origin ?? queuedSeq)
    this.#addMessage('prompt', run, seq, promptMessage(prompt, input, note), input)
  }

  #addMessage(kind: 'prompt' | 'message', run: string, seq: number, message: ModelMessage, input?: Json): void {
    if (isJsonObject(input) && fileReferences(input).length > 0) this.inputsWithFiles.set(message, input)
    this.entries.push({ kind, run, seq, message, origin: this.#origin })
  }

  /** A context with the id of a call is the part of its large result that the model sees. */
  #addContext({ seq, run = '', payload }: Event<'context_added'>): void {
    const call = this.#calls.get(typeof payload.tool_call_id === 'string' ? payload.tool_call_id : '')
    if (call) call.excerpt = payload.text
    else this.#addMessage('message', run, seq, textMessage(payload.text))
  }

  #addStep({ seq, run = '', payload }: Event<'model_step'>): void {
    const content = payload.content as unknown as readonly StepContent[]
    const calls = content
      .filter((each): each is StepCall => each.type === 'call')
      .map((call): CallView => ({ call, providerId: '', outcome: null, begun: null, edited: null, excerpt: null }))
    for (const call of calls) this.#calls.set(call.call.id, call)
    this.turn.addStep(payload, content, calls)
    const contextTokens = payload.context_tokens
    const endChars = payload.chars
    this.entries.push({ kind: 'step', run, seq, content, calls, contextTokens, endChars, origin: this.#origin })
  }

  #interrupt({ seq, payload: { run_id: run, interrupted } }: Event<'output_superseded'>): void {
    if (!interrupted) return
    this.#notes.set(run, turnEndNote(INTERRUPTED))
    this.entries.interrupt(run, interrupted.text, { seq, contextTokens: undefined, origin: this.#origin })
    this.chars = this.entries.chars()
  }

  #endTurn({ seq, payload: { turn_id: run, status, stop_reason } }: Event<'turn_end'>): void {
    const response = this.#responses.get(run)
    this.#responses.delete(run)
    // The turn of an agent that was a function then: its answer is one text.
    if (status === 'completed' && response !== undefined && run === this.#lastRun && this.turn.steps === 0)
      this.entries.push({
        kind: 'step',
        run,
        seq,
        content: [{ type: 'text', text: response }],
        calls: [],
        contextTokens: undefined,
        origin: this.#origin,
      })
    if (status !== 'completed' && !this.#notes.has(run))
      this.#notes.set(run, turnEndNote(stop_reason === BRANCHED ? BRANCHED : status))
    if (stop_reason === BRANCHED) return
    for (const [messageId, steer] of this.#steers) if (steer.run === run) this.#steers.delete(messageId)
  }

  /** Drops the runs that are taken back. Of a run whose steering prompt is edited, the part before that prompt stays. */
  #rewind({ payload: { run_ids, message_id } }: Event<'rewound'>): void {
    if (this.entries.rewind(run_ids, messageSeq(message_id) ?? 0)) this.#lastRun = this.entries.last?.run ?? ''
    this.chars = this.entries.chars()
  }

  #forget(): void {
    for (const map of [this.inputsWithFiles, this.#prompts, this.#steers, this.#notes, this.#responses]) map.clear()
    for (const map of [this.#calls, this.#questions]) map.clear()
    this.#lastRun = ''
    this.#origin = 0
    this.turn = new TurnRecord('')
    this.entries.clear()
    this.chars = 0
  }
}

/** Events whose words the transcript keeps. */
const KEPT_TYPES: ReadonlySet<string> = new Set([
  'turn_start',
  'steered',
  'context_added',
  'model_step',
  'tool_outcome',
  'context_compacted',
])

/** Artifacts that are no work of the agent: its answer, the record of its run, and the audio of what was said. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['final_output', 'run_record', SPOKEN_AUDIO])

/** Keys usually have the same order: sorting those of large arguments is the exception. */
const isSame = (a: JsonObject, b: JsonObject): boolean =>
  JSON.stringify(a) === JSON.stringify(b) || canonicalJson(a) === canonicalJson(b)
