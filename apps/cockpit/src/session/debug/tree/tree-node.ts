// A value as a node of a tree: what its line says, and its children when somebody opens it.

export type NodeKind = 'text' | 'number' | 'plain' | 'list' | 'record'

export const kindOf = (value: unknown): NodeKind => {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number') return 'number'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' && value !== null ? 'record' : 'plain'
}

/** `[ 3 ]`, `{ 2 }`: how many are inside. */
export const sizeText = (value: unknown): string => {
  if (Array.isArray(value)) return `[ ${value.length} ]`
  return `{ ${Object.keys(value as object).length} }`
}

/** The children between two places; a list of thousands is not taken apart as a whole. */
export const childrenOf = (
  value: unknown,
  upTo: number,
): readonly (readonly [name: string | number, value: unknown])[] =>
  Array.isArray(value)
    ? value.slice(0, upTo).map((each, at) => [at, each] as const)
    : Object.entries(value as object).slice(0, upTo)

export const childCount = (value: unknown): number =>
  Array.isArray(value) ? value.length : Object.keys(value as object).length
