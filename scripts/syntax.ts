// Source text as a syntax tree, for the checks that read this repository's own code.
import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser'

export type { Comment, Node }
export type Syntax = {
  readonly program: Node
  readonly comments: readonly Comment[]
  readonly lineAt: (offset: number) => number
}
export type Visit = (node: Node, ancestors: readonly Node[]) => void

export const parse = (file: string, text: string): Syntax => {
  const parsed = parseSync(file, text)
  if (parsed.errors[0]) throw new Error(`${file}: ${parsed.errors[0].message}`)
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  const lineAt = (offset: number, low = 0, high = lineStarts.length): number => {
    if (high - low === 1) return high
    const middle = (low + high) >> 1
    return lineStarts[middle]! <= offset ? lineAt(offset, middle, high) : lineAt(offset, low, middle)
  }
  return {
    // Built on demand: the tree is what costs time, and many checks need only a look at the text.
    get program() {
      return parsed.program
    },
    comments: parsed.comments,
    lineAt,
  }
}

/** Visits a node and everything below it, outermost first. The last of the ancestors is the parent. */
export const walk = (node: Node, visit: Visit, ancestors: Node[] = []): void => {
  visit(node, ancestors)
  ancestors.push(node)
  for (const child of childrenOf(node)) walk(child, visit, ancestors)
  ancestors.pop()
}

export const childrenOf = (node: Node): Node[] =>
  (visitorKeys[node.type as keyof typeof visitorKeys] ?? [])
    .flatMap((key) => (node as unknown as Record<string, Node | (Node | null)[] | null | undefined>)[key])
    .filter((child) => child != null)
