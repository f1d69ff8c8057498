// A call by what it does, where its arguments tell: a command, a change of a file, a new file. Names of tools are not asked: every
// agent has its own.
import { visibleText } from '../../../ui/plain-text.ts'
import { BRIEF_CHARS } from '../limits.ts'

export type ToolShape =
  | { readonly kind: 'command'; readonly command: string; readonly folder: string | null }
  | { readonly kind: 'edit'; readonly path: string | null; readonly before: string; readonly after: string }
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  | { readonly kind: 'plain' }

export interface ToolArguments {
  readonly [name: string]: unknown
}

const plain: ToolShape = { kind: 'plain' }

export const toolShape = (args: ToolArguments): ToolShape => {
  const command = commandIn(args)
  if (command !== null) return { kind: 'command', command, folder: textOf(args, 'cwd', 'workdir', 'folder') }
  const path = textOf(args, 'path', 'file_path', 'filePath', 'file', 'filename')
  const before = textOf(args, 'old_text', 'old_string', 'oldText', 'oldString')
  const after = textOf(args, 'new_text', 'new_string', 'newText', 'newString')
  if (before !== null && after !== null) return { kind: 'edit', path, before, after }
  const content = textOf(args, 'content', 'contents', 'file_text', 'text')
  return path !== null && content !== null ? { kind: 'file', path, content } : plain
}

/** The argument that says most, in one line. */
export const briefOf = (args: ToolArguments): string => {
  const named =
    commandIn(args) ??
    textOf(args, 'path', 'file_path', 'filePath', 'file', 'filename', 'query', 'pattern', 'url', 'prompt', 'name')
  const value = named ?? Object.values(args).find((each) => typeof each === 'string' || typeof each === 'number')
  const text = value === undefined ? '' : String(value)
  return visibleText(text.slice(0, BRIEF_CHARS).replace(/\s+/g, ' ').trim())
}

const commandIn = (args: ToolArguments): string | null => {
  const list = args.command ?? args.cmd ?? args.argv
  if (Array.isArray(list) && list.length > 0 && list.every((word) => typeof word === 'string')) return list.join(' ')
  return textOf(args, 'command', 'cmd', 'script')
}

const textOf = (args: ToolArguments, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const value = args[name]
    if (typeof value === 'string') return value
  }
  return null
}
