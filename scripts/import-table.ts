// The table in docs/architecture.md of what a package, or a file of one, never reaches. The page is the only place where the rules are written, so reading is
// strict: a cell that is not understood is an error.

export type Rules = readonly Row[]
export type Row = { readonly place: string; readonly never: readonly Target[] }
export type Target = { readonly kind: 'package' | 'global'; readonly name: string }

/** Reads the one table whose head is `package | never`. `packages` are those that may be named at all. */
export const readRules = (page: string, packages: readonly string[]): Rules => {
  const lines = page.split('\n').map((line) => line.trim())
  const heads = lines.flatMap((line, index) => (/^\| *package *\| *never *\|$/.test(line) ? [index] : []))
  const [head] = heads
  if (head === undefined || heads.length > 1) throw new Error(`expected one table of packages, found ${heads.length}`)
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'))
  const rows = lines.slice(head + 2, end === -1 ? undefined : end).map((line): Row => {
    const cells = line.split('|').map((cell) => cell.trim())
    if (cells.length !== 4) throw new Error(`expected two cells in the table of packages: ${line}`)
    const names = cells[2]!.split(/, */).map(readName)
    return { place: readName(cells[1]!), never: names.map((name) => targetOf(name, packages)) }
  })
  const names = rows.map(({ place }) => place)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Error(`two rows of the table are for \`${twice}\``)
  return rows
}

const readName = (text: string): string => {
  const name = /^`([^`]+)`$/.exec(text)?.[1]
  if (!name) throw new Error(`expected one name in backticks in the table of packages: ${text || '(empty)'}`)
  return name
}

const targetOf = (name: string, packages: readonly string[]): Target => {
  if (packages.includes(name) || name.endsWith(':*')) return { kind: 'package', name }
  const root = name.replace(/^new /, '').split(/[.(]/)[0]!
  if (root in globalThis) return { kind: 'global', name }
  throw new Error(`the table names \`${name}\`, which is no package, dependency, or global`)
}
