// An index of tools by their words, with the ranking of BM25: rare words count more, repeated ones less.
import type { Tool } from '../../tools/tool.ts'
import { synonymsOf } from './synonyms.ts'
import { wordsIn, wordsOfTool } from './words.ts'

/** How soon more of the same word says nothing new. The usual value of BM25. */
const SATURATION = 1.2
/** How much a long description counts against a tool: less than in prose, since authors of good tools describe them well. */
const LENGTH_WEIGHT = 0.5
/** How much a word of the same meaning counts, compared with the word itself. */
const SYNONYM_WEIGHT = 0.5

/** The index of a list of tools. An agent asks for the same list in every turn. */
export const toolIndex = (tools: readonly Tool[]): ToolIndex => {
  const [first] = tools
  const known = first && indexes.get(first)
  if (known?.isOf(tools)) return known
  const made = new ToolIndex(tools)
  if (first) indexes.set(first, made)
  return made
}

/** By the first tool of each list, so that the index goes with the agent. */
const indexes = new WeakMap<Tool, ToolIndex>()

class ToolIndex {
  readonly #tools: readonly Tool[]
  /** The places of the tools that have a word, with the word's share in the score of each. */
  readonly #places = new Map<string, { readonly at: number; readonly weight: number }[]>()
  /** For each tool, how much its length counts against it. */
  readonly #norms: readonly number[]

  constructor(tools: readonly Tool[]) {
    this.#tools = [...tools]
    const lengths = tools.map((tool, at) => {
      let length = 0
      for (const [word, weight] of wordsOfTool(tool)) {
        const places = this.#places.get(word)
        if (places) places.push({ at, weight })
        else this.#places.set(word, [{ at, weight }])
        length += weight
      }
      return length
    })
    const average = Math.max(1, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, tools.length))
    this.#norms = lengths.map((length) => SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / average))
  }

  isOf(tools: readonly Tool[]): boolean {
    return tools.length === this.#tools.length && tools.every((tool, at) => tool === this.#tools[at])
  }

  /** The tools that match, the best first; equal ones in the order of the agent. */
  search(query: string): readonly { readonly tool: Tool; readonly words: readonly string[] }[] {
    const scores = new Map<number, { score: number; words: [string, number][] }>()
    for (const [word, factor] of queryWeights(query)) {
      const places = this.#places.get(word) ?? []
      const rarity = Math.log(1 + (this.#tools.length - places.length + 0.5) / (places.length + 0.5))
      for (const { at, weight } of places) {
        const score = (factor * rarity * weight * (SATURATION + 1)) / (weight + (this.#norms[at] ?? 1))
        const match = scores.get(at) ?? { score: 0, words: [] }
        match.score += score
        match.words.push([word, score])
        scores.set(at, match)
      }
    }
    return [...scores]
      .sort(([a, one], [b, other]) => other.score - one.score || a - b)
      .map(([at, { words }]) => ({
        tool: this.#tools[at] as Tool,
        words: words.sort(([, a], [, b]) => b - a).map(([word]) => word),
      }))
  }
}

/** A word that the query has itself counts in full, one of the same meaning less. */
const queryWeights = (query: string): ReadonlyMap<string, number> => {
  const words = new Set(wordsIn(query))
  const weights = new Map<string, number>()
  for (const word of words) for (const other of synonymsOf(word)) weights.set(other, SYNONYM_WEIGHT)
  for (const word of words) weights.set(word, 1)
  return weights
}
