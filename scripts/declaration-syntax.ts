// The syntax tree of an emitted declaration file, as far as the scripts that rewrite and report declarations need it.
import { parseSync, visitorKeys } from 'oxc-parser'

export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export interface DeclarationFile {
  /** Relative to the folder of declarations, with `/`. */
  readonly path: string
  readonly text: string
  readonly program: Node & { readonly body: readonly Node[] }
  readonly comments: readonly { readonly type: string; readonly start: number; readonly end: number }[]
}

export const parseDeclarations = (path: string, text: string): DeclarationFile => {
  const { program, comments, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)
  return { path, text, comments, program: program as unknown as DeclarationFile['program'] }
}

export const textOf = (file: DeclarationFile, { start, end }: Node): string => file.text.slice(start, end)

export const childrenOf = (node: Node): Node[] =>
  (visitorKeys[node.type as keyof typeof visitorKeys] ?? []).flatMap((key) => {
    const child = node[key] as Node | readonly (Node | null)[] | null | undefined
    return (Array.isArray(child) ? child : [child]).filter((each) => each != null) as Node[]
  })

/** The doc comment that stands right before a node; null where there is none. */
export const docBefore = (file: DeclarationFile, { start }: Node): { start: number; text: string } | null => {
  const comment = file.comments.findLast((each) => each.end <= start)
  if (!comment || file.text.slice(comment.end, start).trim() !== '') return null
  const text = file.text.slice(comment.start, comment.end)
  return text.startsWith('/**') ? { start: comment.start, text } : null
}

export interface Replacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The replacements do not overlap. */
export const replaced = (text: string, changes: readonly Replacement[]): string => {
  let at = 0
  let made = ''
  for (const { start, end, text: by } of changes.toSorted((a, b) => a.start - b.start)) {
    made += text.slice(at, start) + by
    at = end
  }
  return made + text.slice(at)
}
