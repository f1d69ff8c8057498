// The entries and cuts of a conversation, in order. An edit may undo cuts, so what a cut replaced stays until it is released.
import type { AnyEvent, Event } from '@bridle/kernel/event'
import { approximateChars } from '@bridle/kernel/text/size'
import type { ModelMessage, StepContent } from '../../model/model.ts'
import { type Cut, cutOf, summaryEntry } from '../context/cut.ts'
import { charsOf, type Entry, renderEntry, TOKEN_CHARS, tokensOf, type ViewItem } from '../context/entry.ts'

/** An event of which the conversation keeps one value. */
interface Mark<T> {
  readonly run: string
  readonly seq: number
  readonly value: T
}

export class EntryList {
  readonly view = new View()
  #entries: Entry[] = []
  #cuts: Cut[] = []
  /** The cut for which everything that it replaced is forgotten. */
  #released: Cut | null = null
  #artifacts: Mark<string>[] = []
  /** Warnings that the window is nearly full, with their percentages. */
  #warnings: Mark<number>[] = []

  get last(): Entry | null {
    return this.#entries.at(-1) ?? null
  }

  /** The prompt of the turn in progress, or of the last one. */
  get lastPrompt(): Entry | null {
    return this.#entries.findLast(({ kind }) => kind === 'prompt') ?? null
  }

  get lastSummary(): Cut | null {
    return this.#cuts.findLast(({ keptFrom }) => keptFrom > 0) ?? null
  }

  /** Artifacts that no summary lists yet and that were published before an event. */
  artifactsBefore(seq: number): readonly string[] {
    return this.#artifacts.filter((each) => each.seq < seq).map(({ value }) => value)
  }

  /** The highest percentage of which readers were warned since the last cut. */
  get warnedPct(): number {
    const since = this.#cuts.at(-1)?.seq ?? 0
    return this.#warnings.reduce((most, { seq, value }) => (seq > since ? Math.max(most, value) : most), 0)
  }

  /** The first event that a reader needs, where the model sees the entries from an event on and the prompt of the turn. */
  readFrom(keptFrom: number): number {
    const prompt = this.lastPrompt
    const kept = this.#entries.filter((entry) => entry.seq >= keptFrom || entry === prompt)
    return kept.reduce((first, { origin }) => Math.min(first, origin), keptFrom)
  }

  /** An edit took back a cut, and what that cut replaced is forgotten: the log has to be read again. */
  get isBroken(): boolean {
    return this.#released !== null && !this.#cuts.includes(this.#released)
  }

  push(entry: Entry): void {
    this.#entries.push(entry)
    this.view.push(entry)
  }

  cut(event: Event<'context_compacted'>): void {
    this.#cuts.push(cutOf(event, this.lastPrompt))
    this.view.rebuild(this.#entries, this.#cuts)
  }

  addArtifact({ run = '', seq }: AnyEvent, value: string): void {
    this.#artifacts.push({ run, seq, value })
  }

  addWarning({ run = '', seq }: AnyEvent, value: number): void {
    this.#warnings.push({ run, seq, value })
  }

  /** Only the first characters of the run's answer were heard: the model remembers no others. */
  interrupt(
    run: string,
    heard: string,
    end: Omit<Entry & { kind: 'step' }, 'kind' | 'run' | 'content' | 'calls'>,
  ): void {
    let start = 0
    this.#entries = this.#entries.flatMap((entry): Entry[] => {
      if (entry.run !== run || entry.kind !== 'step') return [entry]
      const from = start
      const hasText = entry.content.some(({ type }) => type === 'text')
      start = entry.endChars ?? (hasText ? Number.POSITIVE_INFINITY : from)
      if (start <= heard.length) return [entry]
      const content = withText(entry.content, heard.slice(from).trim())
      return content.length > 0 ? [{ ...entry, content }] : []
    })
    // The step that was cut off is not in the log.
    const rest = heard.slice(start).trim()
    if (rest !== '')
      this.#entries.push({ kind: 'step', run, content: [{ type: 'text', text: rest }], calls: [], ...end })
    this.view.rebuild(this.#entries, this.#cuts)
  }

  /** Drops the entries of these runs from an event on, and their cuts. False: there were no such entries. */
  rewind(runIds: readonly string[], from: number): boolean {
    const count = this.#entries.length
    this.#entries = this.#entries.filter(({ run, seq }) => !runIds.includes(run) || seq < from)
    const isKept = ({ run }: { readonly run: string }) => !runIds.includes(run)
    this.#cuts = this.#cuts.filter(isKept)
    this.#artifacts = this.#artifacts.filter(isKept)
    this.#warnings = this.#warnings.filter(isKept)
    this.view.rebuild(this.#entries, this.#cuts)
    return this.#entries.length < count
  }

  /** Forgets everything that the last summary replaced. False: there is nothing to forget. */
  release(): boolean {
    const cut = this.lastSummary
    if (!cut || cut === this.#released) return false
    this.#released = cut
    this.#entries = this.#entries.filter((entry) => entry.seq >= cut.keptFrom || entry === cut.prompt)
    this.#cuts = this.#cuts.filter(({ seq }) => seq >= cut.readFrom)
    this.#artifacts = this.#artifacts.filter(({ seq }) => seq >= cut.keptFrom)
    this.#warnings = this.#warnings.filter(({ seq }) => seq > cut.seq)
    return true
  }

  clear(): void {
    this.#released = null
    this.#entries = []
    this.#cuts = []
    this.#artifacts = []
    this.#warnings = []
    this.view.rebuild([], [])
  }

  messages(): Set<object> {
    return new Set(this.#entries.flatMap((entry) => (entry.kind === 'step' ? [] : [entry.message])))
  }

  chars(): number {
    return this.#entries.reduce((sum, entry) => sum + approximateChars(entry), 0)
  }
}

/** The step with this text instead of its own; its calls are facts, and stay. */
const withText = (content: readonly StepContent[], text: string): readonly StepContent[] => {
  const at = content.findIndex(({ type }) => type === 'text')
  return content.flatMap((each, index): StepContent[] => {
    if (each.type === 'reasoning') return []
    if (each.type !== 'text') return [each]
    return index === at && text !== '' ? [{ type: 'text', text }] : []
  })
}

const NO_INSTRUCTIONS: ModelMessage = { role: 'system', content: '' }

/** The conversation as the next request has it: the last summary, then the kept entries. Each entry is rendered once. */
class View {
  #items: ViewItem[] = []
  /** The first place is that of the system message. */
  #messages: ModelMessage[] = [NO_INSTRUCTIONS]
  #rendered = 0
  #cuts: readonly Cut[] = []
  /** Ids of calls, each with the number of its last repetition: a provider may use the same one in thousands of answers. */
  #providerIds = new Map<string, number>()

  get items(): readonly ViewItem[] {
    return this.#items
  }

  push(entry: Entry, isCleared = false): void {
    this.#numberCalls(entry)
    this.#items.push({ entry, isCleared, messages: null, chars: null })
  }

  /** Starts over. The same entries and cuts give the same view, also to a reader who begins at the last cut. */
  rebuild(entries: readonly Entry[], cuts: readonly Cut[]): void {
    const cut = cuts.findLast(({ keptFrom }) => keptFrom > 0)
    const clearedBefore = cuts.reduce((most, each) => Math.max(most, each.clearedBefore), 0)
    this.#cuts = cuts
    this.#items = []
    this.#messages = [NO_INSTRUCTIONS]
    this.#rendered = 0
    this.#providerIds = new Map()
    if (cut) this.push(summaryEntry(cut))
    if (cut?.prompt) this.push(cut.prompt)
    for (const entry of entries)
      if (entry.seq >= (cut?.keptFrom ?? 0)) this.push(entry, entry.kind === 'step' && entry.seq < clearedBefore)
  }

  /** The messages behind the instructions, as a list of the caller's own. */
  prompt(instructions: string | null): ModelMessage[] {
    this.#render()
    const isBare = instructions === null || instructions === ''
    // A slice copies thousands of messages at once; `concat` and spreading cost more than the rest of the step.
    this.#messages[0] = isBare ? NO_INSTRUCTIONS : { role: 'system', content: instructions }
    return this.#messages.slice(isBare ? 1 : 0)
  }

  /** Tokens of the next request: the provider's count of the last answer plus an estimate of what came since. Without a count all is estimated. */
  tokens(frameTokens: () => number): number {
    this.#render()
    const last = this.#items.findLastIndex(({ entry }) => entry.kind === 'step' && entry.contextTokens !== undefined)
    const counted = this.#items[last]
    if (counted?.entry.kind !== 'step') return frameTokens() + this.#estimate(0)
    const { seq, contextTokens = 0 } = counted.entry
    const saved = this.#cuts.reduce((sum, cut) => (cut.seq > seq ? sum + cut.tokensSaved : sum), 0)
    // The count has the answer, and not yet the results of its calls.
    const results = (counted.messages ?? []).filter(({ role }) => role === 'tool')
    const added = results.length === 0 ? 0 : Math.ceil(charsOf(results) / TOKEN_CHARS)
    return Math.max(0, contextTokens - saved) + added + this.#estimate(last + 1)
  }

  #estimate(from: number): number {
    return this.#items.slice(from).reduce((sum, item) => sum + tokensOf(item), 0)
  }

  #render(): void {
    for (; this.#rendered < this.#items.length; this.#rendered++) {
      const item = this.#items[this.#rendered] as ViewItem
      item.messages = renderEntry(item.entry, item.isCleared)
      this.#messages.push(...item.messages)
    }
  }

  /** Some providers number the calls of each answer anew; a prompt needs ids that are unique. */
  #numberCalls(entry: Entry): void {
    if (entry.kind !== 'step') return
    for (const view of entry.calls) {
      const { provider_id: id } = view.call
      let providerId = id
      let repetition = this.#providerIds.get(id) ?? 1
      while (this.#providerIds.has(providerId)) {
        repetition += 1
        providerId = `${id}_${repetition}`
      }
      this.#providerIds.set(providerId, 1)
      this.#providerIds.set(id, repetition)
      view.providerId = providerId
    }
  }
}
