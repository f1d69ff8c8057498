// The check of sources against the import table. It reports causes: the import that a row forbids, not every file that
// pulls that import in.
import type { Row, Rules, Target } from './import-table.ts'
import type { Import, Modules } from './modules.ts'

/** Advice about a breach, in the words of AGENTS.md. */
export const ADVICE = 'either the code is in the wrong place or the table is wrong: change one of them on purpose'

type Reach = { start: string; line: number; trail: readonly string[]; target: Target }

/** Every breach of the rules, as `file:line: what the rule says`. Paths are relative to the folder of the table. */
export const findViolations = (modules: Modules, rules: Rules): string[] => {
  const rowOf = rowFinder(rules)
  const forbidden = (file: string, imported: Import) => {
    const row = rowOf(file)
    return row ? directBreach(file, imported, row, modules) : undefined
  }
  const reaches = shortestPerEdge(
    [...modules.keys()].flatMap((file) => reachesFrom(file, rowOf(file), modules, forbidden)),
  )
  return [...modules].flatMap(([file, module]) => {
    const row = rowOf(file)
    if (!row) return [`${file}:1: no row of the import table covers this file`]
    return [
      ...module.imports.flatMap((imported) => forbidden(file, imported) ?? []),
      ...module.globals
        .filter(({ name }) => row.never.some((target) => target.kind === 'global' && target.name === name))
        .map(({ name, line }) => `${file}:${line}: \`${row.folder}\` never uses \`${name}\``),
      ...reaches
        .filter(({ start }) => start === file)
        .map(
          ({ line, trail, target }) =>
            `${file}:${line}: \`${row.folder}\` never reaches \`${target.name}\`: ${trail.join(' -> ')}`,
        ),
    ]
  })
}

const directBreach = (file: string, imported: Import, row: Row, modules: Modules): string | undefined => {
  const breach = (why: string) => `${file}:${imported.line}: imports '${imported.specifier}', ${why}`
  const named = row.may.map((target) => `\`${target.name}\`${target.typesOnly ? ' (types only)' : ''}`)
  const allowed = [...new Set(named)].join(', ')
  const rule = `but \`${row.folder}\` may import only itself${allowed && `, ${allowed}`}`
  const grants = (kind: Target['kind'], matches: (name: string) => boolean) => {
    const found = row.may.filter((target) => target.kind === kind && matches(target.name))
    if (found.length === 0) return breach(rule)
    if (found.every((target) => target.typesOnly) && !imported.typesOnly) return breach(`which wants \`import type\``)
    return undefined
  }

  const { path } = imported
  if (!path) return grants('package', (name) => inPackage(imported.specifier, name))
  if (row.folder.startsWith('apps/')) {
    return covers(groupOf(file, row), path) ? undefined : breach('which leaves the app')
  }
  if (!modules.has(path)) return breach('which is not a source file of this package')
  if (covers(groupOf(file, row), path)) return undefined
  return grants('path', (name) => covers(name, path))
}

/** Ways by value, over imports that are legal where they stand, to a target that the row of the start forbids. */
const reachesFrom = (
  start: string,
  row: Row | undefined,
  modules: Modules,
  forbidden: (file: string, imported: Import) => string | undefined,
): Reach[] => {
  const never = row?.never.filter((target) => target.kind !== 'global') ?? []
  if (!row || never.length === 0) return []
  const seen = new Set([start])
  const queue = [{ file: start, line: 0, trail: [start] }]
  const found: Reach[] = []
  for (const at of queue) {
    for (const imported of modules.get(at.file)?.imports ?? []) {
      const { specifier, path } = imported
      // A forbidden import is reported where it stands, and all that lies behind it is its consequence.
      if (imported.typesOnly || (path && seen.has(path)) || forbidden(at.file, imported)) continue
      const line = at.line || imported.line
      const target = never.find(({ kind, name }) =>
        path ? kind === 'path' && covers(name, path) : kind === 'package' && inPackage(specifier, name),
      )
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

// The most exact row wins: `kernel/schemas.ts` before `kernel`, `surfaces/http` before `surfaces/*`.
const rowFinder = (rules: Rules) => {
  const weight = ({ folder }: Row) => folder.split('/').reduce((sum, part) => sum + (part === '*' ? 1 : 2), 0)
  const sorted = [...rules].sort((a, b) => weight(b) - weight(a))
  const rows = new Map<string, Row | undefined>()
  return (file: string): Row | undefined => {
    if (!rows.has(file)) {
      rows.set(
        file,
        sorted.find(({ folder }) => covers(folder, file)),
      )
    }
    return rows.get(file)
  }
}

const groupOf = (path: string, row: Row): string => path.split('/').slice(0, row.folder.split('/').length).join('/')

const covers = (pattern: string, path: string): boolean => {
  const parts = path.split('/')
  return pattern.split('/').every((part, index) => parts[index] === part || (part === '*' && index in parts))
}

const inPackage = (specifier: string, name: string): boolean => {
  if (name.endsWith(':*')) return specifier.startsWith(name.slice(0, -1))
  return specifier === name || specifier.startsWith(`${name}/`)
}
