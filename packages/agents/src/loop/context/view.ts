// The conversation as the next request has it: the last summary, then the kept entries. Each entry is rendered once.
import type { ModelMessage } from '../../model/model.ts'
import { type Cut, summaryEntry } from './cut.ts'
import { charsOf, type Entry, renderEntry, TOKEN_CHARS, tokensOf, type ViewItem } from './entry.ts'

const NO_INSTRUCTIONS: ModelMessage = { role: 'system', content: '' }

export class View {
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

  /** Begins anew. The same entries and cuts give the same view, also to a reader who begins at the last cut. */
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
