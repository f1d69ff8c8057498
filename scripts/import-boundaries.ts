// Checks of the table in docs/architecture.md: packages and globals that a package never reaches, through whatever it imports. Each cause is
// reported once, with the shortest way to it.
import type { Rules, Target } from './import-table.ts'
import type { Modules } from './modules.ts'

/** Advice about a breach, in the words of AGENTS.md. */
export const ADVICE = 'either the code is in the wrong place or the table is wrong: change one of them on purpose'

type Reach = { start: string; line: number; trail: readonly string[]; target: Target }

/** Every breach of the rules, as `file:line: what the rule says`. Paths begin with the package. */
export const findViolations = (modules: Modules, rules: Rules): string[] => {
  const targets = (file: string, kind: Target['kind']) =>
    rules
      .filter(({ place }) => isIn(file, place))
      .flatMap(({ never }) => never.filter((target) => target.kind === kind))
  const reaches = shortestPerEdge(
    [...modules.keys()].flatMap((file) => reachesFrom(file, targets(file, 'package'), modules)),
  )
  return [...modules].flatMap(([file, { globals }]) => [
    ...globals
      .filter(({ name }) => targets(file, 'global').some((target) => target.name === name))
      .map(({ name, line }) => `${file}:${line}: \`${packageOf(file)}\` never uses \`${name}\``),
    ...reaches
      .filter(({ start }) => start === file)
      .map(
        ({ line, trail, target }) =>
          `${file}:${line}: \`${packageOf(file)}\` never reaches \`${target.name}\`: ${trail.join(' -> ')}`,
      ),
  ])
}

/** Imports of one wire by another, as `file:line: …`: all wires share `surfaces/http` and nothing else. */
export const findForeignWires = (modules: Modules): string[] =>
  [...modules].flatMap(([file, { imports }]) =>
    imports
      .filter(({ path = '' }) => {
        const [own, other] = [wireOf(file), wireOf(path)]
        return own !== null && other !== null && own !== other && other !== 'http'
      })
      .map(({ line, specifier }) => `${file}:${line}: imports '${specifier}', which belongs to another wire`),
  )

/** `surfaces/http/openapi/…` is of `http`; files beside the wires join them, and may import all. */
const wireOf = (file: string): string | null => {
  const [name, folder, ...rest] = file.split('/')
  return name === 'surfaces' && rest.length > 0 && folder !== 'clients' ? (folder ?? null) : null
}

const packageOf = (file: string): string => file.split('/')[0] ?? ''

const reachesFrom = (start: string, never: readonly Target[], modules: Modules): Reach[] => {
  if (never.length === 0) return []
  const seen = new Set([start])
  const queue = [{ file: start, line: 0, trail: [start] }]
  const found: Reach[] = []
  for (const at of queue) {
    for (const { specifier, path, typesOnly, line: ownLine } of modules.get(at.file)?.imports ?? []) {
      if (typesOnly || (path && seen.has(path))) continue
      const line = at.line || ownLine
      const target = never.find(({ name }) => isIn(path ?? specifier, name))
      const trail = [...at.trail, path ?? specifier]
      if (target) found.push({ start, line, trail, target })
      if (target || !path) continue
      seen.add(path)
      queue.push({ file: path, line, trail })
    }
  }
  return found
}

const shortestPerEdge = (reaches: readonly Reach[]): Reach[] => {
  const shortest = new Map<string, Reach>()
  for (const reach of reaches) {
    const edge = reach.trail.slice(-2).join(' -> ')
    const best = shortest.get(edge)
    if (!best || reach.trail.length < best.trail.length) shortest.set(edge, reach)
  }
  return [...shortest.values()]
}

const isIn = (name: string, target: string): boolean =>
  target.endsWith(':*') ? name.startsWith(target.slice(0, -1)) : name === target || name.startsWith(`${target}/`)
