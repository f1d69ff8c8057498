import { childrenOf, type Node } from '../syntax.ts'
import { type Finding, finding, type Source } from './finding.ts'

/**
 * A number with a name at the top of a module is a limit, and limits stand together with the reasons for their numbers.
 * `others` are names of numbers that nobody chose.
 */
export const strayLimits = (source: Source, others: readonly string[] = []): Finding[] => {
  if (/(^|\/)limits\.ts$/.test(source.file)) return []
  return statementsOf(source).flatMap((node) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const') return []
    return node.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init && isNumeric(init) && !others.includes(id.name)
        ? [finding(source, node, `move \`${id.name}\` to a limits.ts, with the reason for its number`)]
        : [],
    )
  })
}

const isNumeric = (node: Node): boolean => {
  if (node.type === 'Literal') return typeof node.value === 'number'
  if (node.type === 'BinaryExpression') return isNumeric(node.left) && isNumeric(node.right)
  return node.type === 'UnaryExpression' && isNumeric(node.argument)
}

/** Statements of a module, those behind an `export` too. */
const statementsOf = ({ program }: Source): Node[] =>
  childrenOf(program).map((node) =>
    node.type === 'ExportNamedDeclaration' && node.declaration ? node.declaration : node,
  )
