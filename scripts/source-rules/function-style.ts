import { childrenOf, type Node } from '../syntax.ts'
import { type Check, collect } from './finding.ts'

/** Arrow functions everywhere: `function` is only for what an arrow cannot do. */
export const functionStyle: Check = (source) => {
  if (!/\bfunction\b/.test(source.text)) return []
  return collect(source, (node, ancestors) => {
    if (node.type !== 'FunctionDeclaration' && node.type !== 'FunctionExpression') return undefined
    const parent = ancestors.at(-1)
    const isMethod = parent?.type === 'MethodDefinition' || (parent?.type === 'Property' && isAccessor(parent))
    if (isMethod || node.generator || isAssertion(node) || isOverload(node, ancestors) || usesThis(node))
      return undefined
    return `write \`${node.id?.name ?? 'function'}\` as an arrow function`
  })
}

const isAccessor = (node: Node): boolean => node.type === 'Property' && (node.method || node.kind !== 'init')

const isAssertion = (node: Node): boolean =>
  'returnType' in node &&
  node.returnType?.typeAnnotation.type === 'TSTypePredicate' &&
  node.returnType.typeAnnotation.asserts

// The signatures of an overload stand beside it, each perhaps behind its own `export`.
const isOverload = (node: Node, ancestors: readonly Node[]): boolean => {
  const name = 'id' in node ? (node.id as { name: string } | null)?.name : undefined
  const signature = (sibling: Node) => {
    const declared = 'declaration' in sibling && sibling.declaration ? (sibling.declaration as Node) : sibling
    return declared.type === 'TSDeclareFunction' ? declared.id?.name : undefined
  }
  const body = ancestors.findLast(({ type }) => type === 'BlockStatement' || type === 'Program')
  return name !== undefined && body !== undefined && childrenOf(body).some((each) => signature(each) === name)
}

// Arrows have no `this`, `arguments` or `new.target` of their own: those inside them are the function's.
const usesThis = (node: Node): boolean =>
  childrenOf(node).some((child) => {
    if (child.type === 'ThisExpression' || (child.type === 'MetaProperty' && child.meta.name === 'new')) return true
    if (child.type === 'Identifier' && (child.name === 'arguments' || child.name === 'this')) return true
    if (/^(Function|Class)(Declaration|Expression)$/.test(child.type)) return false
    return usesThis(child)
  })
