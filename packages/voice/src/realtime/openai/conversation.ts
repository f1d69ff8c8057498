// The conversation that OpenAI has: a cache of the session's transcript. It contains the items that were sent, and those that the provider made
// (spoken turns, spoken answers, calls). A request that differs replaces the items from there on.
import type { JsonObject } from '@bridle/events/json'
import { assistantPrint, type ConversationItem, systemItem } from './items.ts'

interface CachedItem {
  readonly id: string
  print: string
  /** The text of an item of an answer: it grows while it is spoken. Null: it does not grow, or no more of it counts. */
  text: string | null
}

interface SpokenTurn {
  readonly id: string
  readonly text: string
}

export class OpenAIConversation {
  #items: CachedItem[] = []
  /** Spoken turns that are in the log, or on their way there, and that no request has shown yet. */
  #turns: SpokenTurn[] = []
  readonly #unknown = new Set<string>()
  /** Spoken turns that stand ahead of an answer that came before them: they come again as text. */
  readonly #misplaced = new Set<string>()
  /** The items of answers, also those that were deleted. */
  readonly #answered = new Set<string>()
  #count = 0

  /** The provider has a spoken turn, whose words nobody knows yet. */
  addAudio(id: string): void {
    this.#unknown.add(id)
  }

  /** The words of a spoken turn, as they become a prompt. */
  addTurn(id: string, text: string): void {
    this.#unknown.delete(id)
    this.#turns.push({ id, text })
  }

  /** Nobody knows what was said. Returns the events that remove the turn. */
  dropTurn(id: string): JsonObject[] {
    this.#unknown.delete(id)
    return [deletion(id)]
  }

  addAnswer(id: string, print: string | null = null): void {
    if (this.#answered.has(id)) return
    this.#answered.add(id)
    this.#items.push({ id, print: print ?? '', text: print === null ? '' : null })
    for (const turn of this.#unknown) this.#misplaced.add(turn)
  }

  addText(id: string, text: string): void {
    this.addAnswer(id)
    const item = this.#items.find((each) => each.id === id)
    if (!item || item.text === null) return
    item.text += text
    item.print = assistantPrint(item.text)
  }

  /** The listener has heard only a part of a spoken item. Returns the events that shorten it for the provider, too. */
  truncate(id: string, text: string, audioMs: number): JsonObject[] {
    const item = this.#items.find((each) => each.id === id)
    if (!item) return []
    if (text.trim() === '') {
      this.#items = this.#items.filter((each) => each !== item)
      return [deletion(id)]
    }
    item.text = null
    item.print = assistantPrint(text)
    return [{ type: 'conversation.item.truncate', item_id: id, content_index: 0, audio_end_ms: Math.round(audioMs) }]
  }

  /** Adds a remark that only the provider reads; the next request replaces it. */
  remark(text: string): JsonObject[] {
    return [this.#create(systemItem(text))]
  }

  /** The events after which the provider has these items and no others. */
  update(wanted: readonly ConversationItem[]): JsonObject[] {
    const same = this.#items.findIndex(({ print }, index) => wanted[index]?.print !== print)
    const kept = same < 0 ? this.#items.length : same
    const events: JsonObject[] = this.#items.splice(kept).map(({ id }) => deletion(id))
    const rest = wanted.slice(kept)
    const turns = this.#takeTurns(rest)
    // A later turn would be answered before its prompt: it comes again, as text, with the request that has the prompt.
    for (const { id } of this.#turns.splice(0)) {
      this.#misplaced.delete(id)
      events.push(deletion(id))
    }
    for (const [index, item] of rest.entries()) events.push(...this.#add(item, turns.get(index)))
    return events
  }

  /** The spoken turns among the items, by their index. Words may repeat, and the newest turns are at the end. */
  #takeTurns(items: readonly ConversationItem[]): Map<number, SpokenTurn> {
    const found = new Map<number, SpokenTurn>()
    const isPlaced = ({ id }: SpokenTurn) => !this.#misplaced.has(id)
    let end = this.#turns.length
    for (let index = items.length - 1; index >= 0 && end > 0; index--) {
      const at = this.#turns
        .slice(0, end)
        .findLastIndex((each) => isPlaced(each) && items[index]?.prompt?.includes(each.text))
      const turn = this.#turns[at]
      if (!turn) continue
      found.set(index, turn)
      end = at
    }
    const kept = new Set(found.values())
    this.#turns = this.#turns.filter((turn) => !kept.has(turn))
    return found
  }

  /** A spoken turn stays as audio, in which the model hears more than its words; notes about it stand before it. */
  #add(item: ConversationItem, turn: SpokenTurn | undefined): JsonObject[] {
    if (!turn) return [this.#create(item)]
    const notes = (item.prompt ?? []).filter((text) => text !== turn.text)
    const events = notes.length === 0 ? [] : [this.#create(systemItem(notes.join('\n')))]
    // The note and the turn are one message of the transcript: its print is that of the turn.
    if (notes.length > 0) this.#items.pop()
    this.#items.push({ id: turn.id, print: item.print, text: null })
    return events
  }

  #create({ item, print }: ConversationItem): JsonObject {
    this.#count += 1
    const id = `bridle_${this.#count}`
    const previous = this.#items.at(-1)?.id ?? 'root'
    this.#items.push({ id, print, text: null })
    return { type: 'conversation.item.create', previous_item_id: previous, item: { id, ...item } }
  }
}

const deletion = (id: string): JsonObject => ({ type: 'conversation.item.delete', item_id: id })
