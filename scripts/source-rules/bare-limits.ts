import { childrenOf, type Node } from '../syntax.ts'
import { type Finding, finding, type Source } from './finding.ts'

/**
 * A number with a name at the top of a module is a limit, and a comment above it says why it is that number. A limit with one user stands in its
 * user's file. `others` are names of numbers that nobody chose.
 */
export const bareLimits = (source: Source, others: readonly string[] = []): Finding[] => {
  const lines = source.text.split('\n')
  // Limits that belong together, each on a line, may share a comment.
  const hasComment = (node: Node) => {
    let line = source.lineAt(node.start) - 2
    while (/^(export )?const \w+ = .*\d/.test(lines[line] ?? '')) line -= 1
    return /^(\/\/|\/\*)|\*\/$/.test(lines[line]?.trim() ?? '')
  }
  return statementsOf(source).flatMap((node) => {
    if (node.type !== 'VariableDeclaration' || node.kind !== 'const' || hasComment(node)) return []
    return node.declarations.flatMap(({ id, init }) =>
      id.type === 'Identifier' && init && isNumeric(init) && !others.includes(id.name)
        ? [finding(source, node, `say above \`${id.name}\` why it is this number`)]
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
