import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { tryOr } from '@bridle/kernel/try-or'
import { codeFrame, type SourcePosition } from './code-frame.ts'
import { CommonJsError, MissingImportError, UnconfirmedFileError } from './import-errors.ts'
import type { ProjectModules } from './project-modules.ts'
import { projectFrames } from './stack-frames.ts'

/** Each check starts a process. */
const SYNTAX_CHECK_FILES_MAX = 10
/** A check takes about 50 ms. On a machine slower than this, the position stays unknown. */
const SYNTAX_CHECK_MS = 5_000

export interface LoadProblem {
  readonly problem: string
  readonly frame?: string
}

export const loadProblem = (error: unknown, file: string, modules: ProjectModules): LoadProblem => {
  const { root } = modules
  if (error instanceof MissingImportError)
    return { problem: error.messageFor(relative(root, resolve(root, file))), ...placed(error.position, root) }
  if (error instanceof CommonJsError || error instanceof UnconfirmedFileError) return { problem: error.message }
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const problem = text
    .replaceAll(pathToFileURL(`${root}/`).href, '')
    .replaceAll(`${root}/`, '')
    .replaceAll(/\?changed=[\d.]+/g, '')
  if (!(error instanceof Error)) return { problem }
  const isSyntax = error instanceof SyntaxError
  const at = isSyntax
    ? (positionInHead(error.stack) ?? foundBySyntaxCheck(file, modules))
    : projectFrames(error, root)[0]
  const frame = placed(at, root)
  return isSyntax && at && frame
    ? { problem: `${problem.split('\n', 1)[0]} (${placeText(at, root)})`, ...frame }
    : { problem, ...frame }
}

const placed = (at: SourcePosition | null | undefined, root: string): { readonly frame: string } | null => {
  const frame = at && codeFrame(at)
  return at && frame ? { frame: `${placeText(at, root)}\n${frame}` } : null
}

const placeText = ({ path, line, column }: SourcePosition, root: string): string =>
  `${relative(root, path)}:${line}:${column}`

/** Node prints the position before the error: the file URL and line, then the source with a row of `^` below it. */
const positionInHead = (stack = ''): SourcePosition | null => {
  const lines = stack.split('\n')
  const [, address, line] = /^(file:.*):(\d+)$/.exec(lines[0] ?? '') ?? []
  if (address === undefined) return null
  const mark = lines.find((each) => /^\s*\^+\s*$/.test(each))
  const path = fileURLToPath(address)
  // No mark: the file ended too early.
  const column = mark === undefined ? endOfLine(path, Number(line)) : mark.indexOf('^') + 1
  return { path, line: Number(line), column }
}

const endOfLine = (path: string, line: number): number =>
  tryOr(1, () => (readFileSync(path, 'utf8').split(/\r?\n/)[line - 1] ?? '').length + 1)

/** Syntax errors found by V8 carry no position in this process, but `node --check` prints one. */
const foundBySyntaxCheck = (file: string, modules: ProjectModules): SourcePosition | null => {
  for (const path of modules.filesOf(file).slice(0, SYNTAX_CHECK_FILES_MAX)) {
    const source = javascriptOf(path)
    if (source === null) continue
    const { stderr, status } = spawnSync(process.execPath, ['--check', '--input-type=module', '-'], {
      input: source,
      env: {},
      encoding: 'utf8',
      timeout: SYNTAX_CHECK_MS,
    })
    if (status !== 1) continue
    const found = positionInHead(stderr.replace(/^\[stdin\]/, pathToFileURL(path).href))
    if (found) return found
  }
  return null
}

/** Types are replaced with spaces, so positions stay valid. */
const javascriptOf = (path: string): string | null => {
  if (!/\.[mc]?[tj]s$/.test(path)) return null
  const { emitWarning } = process
  // Suppress the warning that this API is experimental: it only distracts from the error.
  process.emitWarning = () => {}
  try {
    const source = readFileSync(path, 'utf8')
    return /\.[mc]?ts$/.test(path) ? stripTypeScriptTypes(source) : source
  } catch {
    return null
  } finally {
    process.emitWarning = emitWarning
  }
}
