import { childrenOf } from '../syntax.ts'
import type { Source } from './finding.ts'

/** Exported types with the same name in two files. Names in `allowed` have a reason to occur twice. */
export const twinTypes = (sources: readonly Source[], allowed: readonly string[] = []): Record<string, string[]> => {
  const files = new Map<string, Set<string>>()
  for (const source of sources)
    for (const { name, isExported } of typesIn(source))
      if (isExported && !allowed.includes(name)) files.set(name, (files.get(name) ?? new Set()).add(source.file))
  return Object.fromEntries([...files].flatMap(([name, places]) => (places.size > 1 ? [[name, [...places]]] : [])))
}

/** A type is a noun. In a name of several words the last one counts. */
export const participleTypes = (source: Source): string[] =>
  typesIn(source)
    .map(({ name }) => name)
    .filter((name) => isParticiple(name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g)?.at(-1) ?? name))

const typesIn = (source: Source): { name: string; isExported: boolean }[] => {
  const statements = childrenOf(source.program)
  const named = statements.flatMap((node) =>
    node.type === 'ExportNamedDeclaration' && !node.source
      ? node.specifiers.map(({ local }) => (local.type === 'Identifier' ? local.name : ''))
      : [],
  )
  return statements.flatMap((node) => {
    const declared = node.type === 'ExportNamedDeclaration' && node.declaration ? node.declaration : node
    const isType = /^(TSTypeAliasDeclaration|TSInterfaceDeclaration|ClassDeclaration)$/.test(declared.type)
    const name = isType && 'id' in declared ? (declared.id as { name: string } | null)?.name : undefined
    return name ? [{ name, isExported: declared !== node || named.includes(name) }] : []
  })
}

const NOUNS_LIKE_PARTICIPLES: ReadonlySet<string> = new Set(
  `Binding Building Embed Encoding Feed Finding Heading Listing Meaning Need Ping Ring Seed Setting Speed String Thing
  Tracing Warning`.split(/\s+/),
)
const IRREGULAR_PARTICIPLES: ReadonlySet<string> = new Set(
  `Begun Born Bound Bought Broken Brought Built Caught Chosen Dealt Done Drawn Driven Fallen Fed Felt Forgotten Found Given
  Gone Grown Heard Held Hidden Hung Kept Known Laid Led Left Lost Made Meant Met Paid Said Seen Sent Shown Sold Sought
  Spent Spoken Stood Taken Taught Thrown Told Torn Understood Withdrawn Woken Won Worn Written`.split(/\s+/),
)

const isParticiple = (word: string): boolean =>
  IRREGULAR_PARTICIPLES.has(word) || (/(ed|ing)$/.test(word) && !NOUNS_LIKE_PARTICIPLES.has(word))
