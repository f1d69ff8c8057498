// Mirrors the provider's conversation, a cache of the session's transcript. It has the items sent and those the provider
// created (spoken turns, answers, calls). A request that differs replaces everything from there on.
import type { JsonObject } from '@bridle/events/json'
import { assistantPrint, type ConversationItem, systemItem } from './items.ts'

interface CachedItem {
  readonly id: string
  print: string
  /** The growing text of an answer. Null if it is not an answer or no longer grows. */
  text: string | null
}

interface SpokenTurn {
  readonly id: string
  readonly text: string
}

export class OpenAIConversation {
  #items: CachedItem[] = []
  /** Spoken turns that no request has included yet. */
  #turns: SpokenTurn[] = []
  readonly #unknown = new Set<string>()
  /** Spoken turns ahead of an earlier answer. They are sent again as text. */
  readonly #misplaced = new Set<string>()
  /** Answer items, including deleted ones. */
  readonly #answered = new Set<string>()
  #count = 0

  addAudio(id: string): void {
    this.#unknown.add(id)
  }

  addTurn(id: string, text: string): void {
    this.#unknown.delete(id)
    this.#turns.push({ id, text })
  }

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

  /** Adds a remark for the provider only. The next request removes it. */
  remark(text: string): JsonObject[] {
    return [this.#create(systemItem(text))]
  }

  /** Returns the events that make the provider's items equal `wanted`. */
  update(wanted: readonly ConversationItem[]): JsonObject[] {
    const same = this.#items.findIndex(({ print }, index) => wanted[index]?.print !== print)
    const kept = same < 0 ? this.#items.length : same
    const events: JsonObject[] = this.#items.splice(kept).map(({ id }) => deletion(id))
    const rest = wanted.slice(kept)
    const turns = this.#takeTurns(rest)
    // A later turn would be answered before its prompt. Delete it; the request with its prompt sends it again as text.
    for (const { id } of this.#turns.splice(0)) {
      this.#misplaced.delete(id)
      events.push(deletion(id))
    }
    for (const [index, item] of rest.entries()) events.push(...this.#add(item, turns.get(index)))
    return events
  }

  /** Finds spoken turns by index, searching from the end, because words may repeat and the newest turns are last. */
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

  /** Keeps a spoken turn as audio, in which the model hears more than words. Notes about it come before it. */
  #add(item: ConversationItem, turn: SpokenTurn | undefined): JsonObject[] {
    if (!turn) return [this.#create(item)]
    const notes = (item.prompt ?? []).filter((text) => text !== turn.text)
    const events = notes.length === 0 ? [] : [this.#create(systemItem(notes.join('\n')))]
    // The note and the turn are one transcript message, under the turn's print.
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
