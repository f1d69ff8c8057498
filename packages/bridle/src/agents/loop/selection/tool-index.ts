// An index of tools by their words, with the ranking of BM25: rare words count more, repeated ones less.
import type { Tool } from '../../tools/tool.ts'
import { LENGTH_WEIGHT, SATURATION, SYNONYM_WEIGHT } from './limits.ts'
import { synonymsOf } from './synonyms.ts'
import { wordsIn, wordsOfTool } from './words.ts'

/** A tool that matches a query, with the words that it was found by. */
export interface ToolMatch {
  readonly tool: Tool
  readonly score: number
  readonly words: readonly string[]
}

export class ToolIndex {
  readonly #tools: readonly Tool[]
  /** How many tools have each word. */
  readonly #counts = new Map<string, number>()
  readonly #averageLength: number

  constructor(tools: readonly Tool[]) {
    this.#tools = tools
    let length = 0
    for (const tool of tools) {
      for (const [word, weight] of wordsOfTool(tool)) {
        this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1)
        length += weight
      }
    }
    this.#averageLength = tools.length === 0 ? 1 : Math.max(1, length / tools.length)
  }

  /** The tools that match, the best first; equal ones in the order of the agent. */
  search(query: string): readonly ToolMatch[] {
    const weights = queryWeights(query)
    return this.#tools
      .map((tool) => this.#match(tool, weights))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
  }

  #match(tool: Tool, query: ReadonlyMap<string, number>): ToolMatch {
    const weights = wordsOfTool(tool)
    let length = 0
    for (const weight of weights.values()) length += weight
    const norm = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / this.#averageLength)
    const scores = [...query].flatMap(([word, factor]): [string, number][] => {
      const weight = weights.get(word)
      return weight === undefined
        ? []
        : [[word, (factor * this.#rarity(word) * weight * (SATURATION + 1)) / (weight + norm)]]
    })
    return {
      tool,
      score: scores.reduce((sum, [, score]) => sum + score, 0),
      words: scores.sort(([, a], [, b]) => b - a).map(([word]) => word),
    }
  }

  #rarity(word: string): number {
    const count = this.#counts.get(word) ?? 0
    return Math.log(1 + (this.#tools.length - count + 0.5) / (count + 0.5))
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
