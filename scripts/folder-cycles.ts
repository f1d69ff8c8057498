// Folders that import each other by value: neither can be read, tested, or moved without the other.
import { posix } from 'node:path'
import type { Modules } from './modules.ts'

/** Advice about a pair of folders that import each other. */
export const FOLDER_ADVICE = 'move what both need into a folder below them, or what joins them into one above'

/** Each pair of folders that import each other, as `a <-> b`. */
export const folderPairs = (modules: Modules): string[] => {
  const graph = folderGraph(modules)
  return [...graph]
    .flatMap(([from, targets]) =>
      [...targets].filter((to) => from < to && graph.get(to)?.has(from)).map((to) => `${from} <-> ${to}`),
    )
    .sort()
}

/** Groups of folders of which each reaches every other one, the largest first. */
export const folderKnots = (modules: Modules): string[][] => {
  const graph = folderGraph(modules)
  const reached = new Map([...graph.keys()].map((folder) => [folder, reachedFrom(folder, graph)]))
  const knots = new Map<string, string[]>()
  for (const [folder, targets] of reached) {
    const knot = [...targets].filter((other) => reached.get(other)?.has(folder)).sort()
    if (knot.length > 1 && knot.includes(folder)) knots.set(knot.join(', '), knot)
  }
  return [...knots.values()].sort((a, b) => b.length - a.length)
}

type FolderGraph = ReadonlyMap<string, ReadonlySet<string>>

const folderGraph = (modules: Modules): FolderGraph => {
  const graph = new Map<string, Set<string>>()
  for (const [file, { imports }] of modules) {
    const from = posix.dirname(file)
    const targets = graph.get(from) ?? new Set()
    graph.set(from, targets)
    for (const { path, typesOnly } of imports)
      if (path && !typesOnly && posix.dirname(path) !== from) targets.add(posix.dirname(path))
  }
  return graph
}

const reachedFrom = (start: string, graph: FolderGraph): Set<string> => {
  const seen = new Set<string>()
  const queue = [start]
  for (const folder of queue)
    for (const target of graph.get(folder) ?? [])
      if (!seen.has(target)) {
        seen.add(target)
        queue.push(target)
      }
  return seen
}
