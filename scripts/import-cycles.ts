// Modules that import each other by value load in an order that nobody chose: one of them runs while the other is still
// empty. Type imports vanish at run time and may go in circles.
import type { Modules } from './modules.ts'

/** Advice about an import cycle. */
export const CYCLE_ADVICE = 'move what these files share into a file below them'

/** Every file's shortest way back to itself, as `a.ts -> b.ts -> a.ts`, each circle once. */
export const findCycles = (modules: Modules): string[] =>
  [...new Set([...modules.keys()].map((file) => shortestCycle(file, modules)))].filter((cycle) => cycle !== '')

const shortestCycle = (start: string, modules: Modules): string => {
  const seen = new Set<string>()
  const queue = [[start]]
  for (const trail of queue) {
    for (const { path, typesOnly } of modules.get(trail.at(-1)!)?.imports ?? []) {
      if (typesOnly || !path) continue
      if (path === start) return written(trail)
      if (seen.has(path)) continue
      seen.add(path)
      queue.push([...trail, path])
    }
  }
  return ''
}

// The same circle reads the same from whichever of its files the search began.
const written = (circle: readonly string[]): string => {
  const first = circle.indexOf([...circle].sort()[0]!)
  return [...circle.slice(first), ...circle.slice(0, first), circle[first]].join(' -> ')
}
