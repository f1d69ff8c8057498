// The table in docs/architecture.md, read as rules. The page is the only place where the rules are written, so reading is
// strict: a cell that is not understood is an error, not a gap.

export type Rules = readonly Row[]
export type Row = { folder: string; may: readonly Target[]; never: readonly Target[] }
export type Target = { kind: 'path' | 'package' | 'global'; name: string; typesOnly: boolean }

/** Reads the one table whose head is `folder | may import | never`. `packages` are those that may be named at all. */
export const readRules = (page: string, packages: readonly string[]): Rules => {
  const lines = page.split('\n').map((line) => line.trim())
  const heads = lines.flatMap((line, index) =>
    /^\| *folder *\| *may import *\| *never *\|$/.test(line) ? [index] : [],
  )
  const head = heads[0]
  if (head === undefined || heads.length > 1) throw new Error(`expected one import table, found ${heads.length}`)
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'))
  const cells = lines.slice(head + 2, end === -1 ? undefined : end).map((line) => {
    const row = line.split('|').map((cell) => cell.trim())
    if (row.length !== 5) throw new Error(`expected three cells in the import table: ${line}`)
    return { folder: readName(row[1]!), may: row[2]!, never: row[3]! }
  })
  const folders = cells.map(({ folder }) => folder)
  const twice = folders.find((folder, index) => folders.indexOf(folder) !== index)
  if (twice) throw new Error(`two rows of the import table are for \`${twice}\``)

  return cells.map(({ folder, may, never }) => {
    const row = { folder, may: readTargets(may, folders, packages), never: readTargets(never, folders, packages) }
    if (row.may.some(({ kind }) => kind === 'global')) throw new Error(`\`${folder}\` imports a global`)
    const both = row.may.find(({ name }) => row.never.some((target) => target.name === name))
    if (both) throw new Error(`\`${folder}\` both may and never may import \`${both.name}\``)
    return row
  })
}

const readTargets = (cell: string, folders: readonly string[], packages: readonly string[]): Target[] => {
  if (cell === '' || cell === 'itself') return []
  return cell.split(/, */).flatMap((item) => {
    const typesOnly = item.endsWith(' (types only)')
    const name = readName(item.replace(/ \(types only\)$/, ''))
    return kindsOf(name, folders, packages).map((kind) => ({ kind, name, typesOnly }))
  })
}

const readName = (text: string): string => {
  const name = /^`([^`]+)`$/.exec(text)?.[1]
  if (!name) throw new Error(`expected one name in backticks in the import table: ${text || '(empty)'}`)
  return name
}

// `react` is a folder of ours and a package: a row that names it means both.
const kindsOf = (name: string, folders: readonly string[], packages: readonly string[]): Target['kind'][] => {
  const top = (path: string) => path.split('/')[0]
  const kinds: Target['kind'][] = []
  if (folders.some((folder) => top(folder) === top(name))) kinds.push('path')
  if (packages.includes(name) || name.endsWith(':*')) kinds.push('package')
  if (kinds.length > 0) return kinds
  const root = name.replace(/^new /, '').split(/[.(]/)[0]!
  if (root in globalThis) return ['global']
  throw new Error(`the import table names \`${name}\`, which is no folder, dependency or global`)
}
