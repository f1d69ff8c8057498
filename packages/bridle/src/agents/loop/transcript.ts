// The transcript of a session: everything that the model has seen, folded from committed events in the order in which the model
// saw it. The same log gives the same messages, byte for byte: after a crash, and in a branch. Each entry is rendered once.

import { type AnyEvent, BRANCHED, type Event } from '../../kernel/event.ts'
import { fileReferences } from '../../kernel/file-references.ts'
import { messageSeq } from '../../kernel/ids.ts'
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { ModelMessage, StepCall, StepContent } from '../model/model.ts'
import { type CallView, promptMessage, stepMessages, textMessage, turnEndNote } from './rendering.ts'
import { TurnRecord } from './turn-record.ts'

/** A piece of the conversation: a prompt, a text put before the model, or an answer with the outcomes of its calls. */
type Entry = { readonly run: string; readonly seq: number } & (
  | { readonly kind: 'message'; readonly message: ModelMessage }
  | { readonly kind: 'step'; readonly content: readonly StepContent[]; readonly calls: readonly CallView[] }
)

interface QueuedPrompt {
  readonly input: Json | undefined
  readonly continuesRun: string | undefined
}

const NO_INSTRUCTIONS: ModelMessage = { role: 'system', content: '' }

export class Transcript {
  /** The number of the last event that is folded in. */
  seq = 0
  /** The turn in progress, or the last one. */
  turn = new TurnRecord('')
  /** The input of each prompt that came with files, by its message. */
  readonly inputsWithFiles = new Map<ModelMessage, JsonObject>()
  readonly #entries: Entry[] = []
  /** The first place is that of the system message. */
  readonly #messages: ModelMessage[] = [NO_INSTRUCTIONS]
  /** The index of the first message of each rendered entry. */
  readonly #starts: number[] = []
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
  /** Open questions about calls. */
  readonly #questions = new Map<string, string>()
  /** Ids of calls, each with the number of its last repetition: a provider may use the same one in thousands of answers. */
  readonly #providerIds = new Map<string, number>()
  #lastRun = ''

  /** Everything that the model has seen so far. */
  messages(): readonly ModelMessage[] {
    return this.prompt(null)
  }

  /** The same behind the instructions, as a list of the caller's own. */
  prompt(instructions: string | null): ModelMessage[] {
    for (let index = this.#starts.length; index < this.#entries.length; index++) {
      this.#starts.push(this.#messages.length)
      const entry = this.#entries[index] as Entry
      if (entry.kind === 'message') this.#messages.push(entry.message)
      else this.#messages.push(...stepMessages(entry.content, entry.calls))
    }
    const isBare = instructions === null || instructions === ''
    // A slice copies thousands of messages at once; `concat` and spreading cost more than the rest of the step.
    this.#messages[0] = isBare ? NO_INSTRUCTIONS : { role: 'system', content: instructions }
    return this.#messages.slice(isBare ? 1 : 0)
  }

  /** Folds an event in. An event that is folded already, and hearsay, change nothing. */
  add(event: AnyEvent): void {
    if (event.seq <= this.seq) return
    this.seq = event.seq
    if (event.hearsay) return
    this.#fold(event)
    this.turn.add(event)
  }

  #fold(event: AnyEvent): void {
    switch (event.type) {
      case 'prompt_queued': {
        const { run_id, input, continues_run: continuesRun } = event.payload
        this.#prompts.set(run_id, { input, continuesRun })
        return
      }
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
        if (steer) this.#addMessage(steer.run, event.seq, textMessage(steer.text), steer.input)
        return
      }
      case 'context_added':
        return this.#addContext(event)
      case 'model_step':
        return this.#addStep(event)
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
        if (call && approved && canonicalJson(approved) !== canonicalJson(call.call.input)) call.edited = approved
        return
      }
      case 'response':
        if (event.run !== undefined) this.#responses.set(event.run, event.payload.text)
        return
      case 'turn_end':
        return this.#endTurn(event)
      case 'rewound':
        return this.#rewind(event)
    }
  }

  #startTurn({ seq, payload: { turn_id: run, prompt } }: Event<'turn_start'>): void {
    // An attempt that was stopped before it began starts its turn a second time.
    if (run === this.#lastRun) return
    const { input, continuesRun } = this.#prompts.get(run) ?? {}
    this.#prompts.delete(run)
    const before = this.#lastRun
    this.#lastRun = run
    if (continuesRun !== undefined && continuesRun === this.turn.run) {
      this.turn.continueAs(run)
      // The prompt is there already. A steering prompt that the parent's model had not seen is not.
      for (const [messageId, steer] of this.#steers) {
        if (steer.run !== continuesRun) continue
        this.#steers.delete(messageId)
        this.#addMessage(run, seq, textMessage(steer.text), steer.input)
        this.turn.hasNews = true
      }
      return
    }
    this.turn = new TurnRecord(run)
    const note = this.#notes.get(before)
    this.#addMessage(run, seq, promptMessage(prompt, input, note), input)
  }

  #addMessage(run: string, seq: number, message: ModelMessage, input: Json | undefined): void {
    if (isJsonObject(input) && fileReferences(input).length > 0) this.inputsWithFiles.set(message, input)
    this.#push({ kind: 'message', run, seq, message })
  }

  #addText(run: string, seq: number, text: string): void {
    this.#push({ kind: 'message', run, seq, message: textMessage(text) })
  }

  /** A context with the id of a call is the part of its large result that the model sees. */
  #addContext({ seq, run = '', payload }: Event<'context_added'>): void {
    const call = this.#calls.get(typeof payload.tool_call_id === 'string' ? payload.tool_call_id : '')
    if (call) call.excerpt = payload.text
    else this.#addText(run, seq, payload.text)
  }

  #addStep({ seq, run = '', payload }: Event<'model_step'>): void {
    const content = payload.content as unknown as readonly StepContent[]
    const calls = content.filter((each): each is StepCall => each.type === 'call').map((call) => this.#view(call))
    for (const call of calls) this.#calls.set(call.call.id, call)
    this.turn.addStep(payload, content, calls)
    this.#push({ kind: 'step', run, seq, content, calls })
  }

  /** Some providers number the calls of each answer anew; a prompt needs ids that are unique. */
  #view(call: StepCall): CallView {
    const { provider_id: id } = call
    let providerId = id
    let repetition = this.#providerIds.get(id) ?? 1
    while (this.#providerIds.has(providerId)) {
      repetition += 1
      providerId = `${id}_${repetition}`
    }
    this.#providerIds.set(providerId, 1)
    this.#providerIds.set(id, repetition)
    return { call, providerId, outcome: null, edited: null, excerpt: null }
  }

  #endTurn({ seq, payload: { turn_id: run, status, stop_reason } }: Event<'turn_end'>): void {
    const response = this.#responses.get(run)
    this.#responses.delete(run)
    // The turn of an agent that was a function then: its answer is one text.
    if (status === 'completed' && response !== undefined && run === this.#lastRun && this.turn.steps === 0)
      this.#push({
        kind: 'step',
        run,
        seq,
        content: [{ type: 'text', text: response }],
        calls: [],
      })
    if (status !== 'completed') this.#notes.set(run, turnEndNote(stop_reason === BRANCHED ? BRANCHED : status))
    if (stop_reason === BRANCHED) return
    for (const [messageId, steer] of this.#steers) if (steer.run === run) this.#steers.delete(messageId)
  }

  /** Drops the runs that are taken back. Of a run whose steering prompt is edited, the part before that prompt stays. */
  #rewind({ payload: { run_ids, message_id } }: Event<'rewound'>): void {
    const from = messageSeq(message_id) ?? 0
    const isGone = ({ run, seq }: Entry) => run_ids.includes(run) && seq >= from
    const first = this.#entries.findIndex(isGone)
    if (first < 0) return
    const kept = this.#entries.slice(first).filter((entry) => !isGone(entry))
    this.#entries.splice(first, this.#entries.length, ...kept)
    if (first < this.#starts.length) {
      this.#messages.splice(this.#starts[first] as number)
      this.#starts.splice(first)
    }
    this.#lastRun = this.#entries.at(-1)?.run ?? ''
  }

  #push(entry: Entry): void {
    this.#entries.push(entry)
  }
}
