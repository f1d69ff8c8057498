import { type Node, walk } from '../syntax.ts'
import { type Check, collect } from './finding.ts'

/** The text of a message is for people and may change. A program tells errors apart by their code. */
export const matchedMessages: Check = (source) => {
  if (!/\bmessage\b/.test(source.text)) return []
  const locals: { name: string; scope: Node }[] = []
  walk(source.program, (node, ancestors) => {
    if (node.type !== 'VariableDeclarator') return
    const scope = ancestors.findLast(({ type }) => type === 'BlockStatement' || type === 'Program')!
    if (node.id.type === 'Identifier' && node.init && isMessage(node.init)) locals.push({ name: node.id.name, scope })
    if (node.id.type === 'ObjectPattern') for (const name of messagesIn(node.id)) locals.push({ name, scope })
  })
  const isMessageText = (node: Node): boolean =>
    isMessage(node) ||
    (node.type === 'Identifier' &&
      locals.some(({ name, scope }) => name === node.name && scope.start <= node.start && node.end <= scope.end))
  return collect(source, (node) =>
    comparedBy(node).some(isMessageText) ? 'match the code of an error, not its message' : undefined,
  )
}

const isMessage = (node: Node): boolean => {
  if (node.type === 'ChainExpression' || node.type === 'ParenthesizedExpression') return isMessage(node.expression)
  if (node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression') return isMessage(node.expression)
  if (node.type === 'LogicalExpression') return isMessage(node.left) || isMessage(node.right)
  if (node.type === 'ConditionalExpression') return isMessage(node.consequent) || isMessage(node.alternate)
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === 'message'
}

const messagesIn = (pattern: Node): string[] =>
  pattern.type !== 'ObjectPattern'
    ? []
    : pattern.properties.flatMap((property) =>
        property.type === 'Property' &&
        property.key.type === 'Identifier' &&
        property.key.name === 'message' &&
        property.value.type === 'Identifier'
          ? [property.value.name]
          : [],
      )

const TEXT_METHODS = new Set('startsWith endsWith includes indexOf match matchAll search replace replaceAll'.split(' '))
const PATTERN_METHODS = new Set(['test', 'exec'])

/** The texts that an expression looks into: those of a comparison, of `text.includes(…)`, of `pattern.test(text)`. */
const comparedBy = (node: Node): Node[] => {
  if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(node.operator)) {
    const isNothing = (side: Node) =>
      (side.type === 'Identifier' && side.name === 'undefined') || (side.type === 'Literal' && !side.value)
    return isNothing(node.left) || isNothing(node.right) ? [] : [node.left, node.right]
  }
  if (node.type === 'SwitchStatement') return [node.discriminant]
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return []
  const { object, property } = node.callee
  if (property.type !== 'Identifier') return []
  if (TEXT_METHODS.has(property.name)) return [object]
  return PATTERN_METHODS.has(property.name) ? node.arguments : []
}
