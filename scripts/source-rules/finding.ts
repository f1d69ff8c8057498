// A source as the rules read it, and a place where it breaks one.
import { type Node, parse, type Syntax, walk } from '../syntax.ts'

export type Source = Syntax & { file: string; text: string }
export type Finding = { file: string; line: number; says: string }
export type Check = (source: Source) => Finding[]

export const readSource = (file: string, text: string): Source => Object.assign(parse(file, text), { file, text })

export const finding = ({ file, lineAt }: Source, node: { start: number }, says: string): Finding => ({
  file,
  line: lineAt(node.start),
  says,
})

/** Findings of all nodes of a source: `visit` says what is wrong with one. */
export const collect = (
  source: Source,
  visit: (node: Node, ancestors: readonly Node[]) => string | undefined,
): Finding[] => {
  const findings: Finding[] = []
  walk(source.program, (node, ancestors) => {
    const says = visit(node, ancestors)
    if (says !== undefined) findings.push(finding(source, node, says))
  })
  return findings
}
