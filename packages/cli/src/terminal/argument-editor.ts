import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { escapeInvisible } from './text-lines.ts'

/** Null if nothing was entered or the question was withdrawn. */
export const editArguments = (text: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | null> => {
  const editor = env.VISUAL || (isNpmsOwn(env) ? '' : env.EDITOR)
  return editor ? inEditor(editor, text, signal) : inLine(text.replace(/\s*\n\s*/g, ''), signal)
}

/** npm sets EDITOR for its scripts even if the user has not. */
const isNpmsOwn = ({ EDITOR, npm_execpath: npm }: NodeJS.ProcessEnv): boolean => npm !== undefined && EDITOR === 'vi'

/** The arguments as editable text. Escapes characters that editors do not show. */
export const draftArguments = (args: unknown): string =>
  JSON.stringify(args, null, 2).split('\n').map(escapeInvisible).join('\n')

const inEditor = async (editor: string, text: string, signal: AbortSignal): Promise<string | null> => {
  // A private folder, because arguments may contain secrets.
  const folder = mkdtempSync(join(tmpdir(), 'bridle-edit-'))
  const file = join(folder, 'arguments.json')
  try {
    writeFileSync(file, `${text.trimEnd()}\n`)
    // EDITOR may contain options, as in "code --wait", so let a shell parse it.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', signal })
    const [code] = (await withoutInterrupts(() => once(child, 'close'))) as [number | null]
    return code === 0 ? readFileSync(file, 'utf8') : null
  } catch {
    // The editor did not start, or the question was withdrawn.
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The terminal sends Ctrl+C to this process too, but it is meant for the editor. */
const withoutInterrupts = async <T>(act: () => Promise<T>): Promise<T> => {
  const listeners = process.listeners('SIGINT')
  const ignore = () => {}
  process.on('SIGINT', ignore)
  for (const each of listeners) process.off('SIGINT', each)
  try {
    return await act()
  } finally {
    for (const each of listeners) process.on('SIGINT', each)
    process.off('SIGINT', ignore)
  }
}

/** Terminal mode allows editing in place. Ctrl+C leaves only this prompt. */
const inLine = (text: string, signal: AbortSignal): Promise<string | null> =>
  new Promise((resolve) => {
    const { stdin: input, stdout } = process
    const lines = createInterface({ input, output: stdout, terminal: true })
    const end = (edited: string | null) => {
      signal.removeEventListener('abort', leave)
      lines.off('close', leave)
      resolve(edited)
      lines.close()
      input.pause()
    }
    const leave = () => {
      end(null)
      stdout.write('\n')
    }
    signal.addEventListener('abort', leave, { once: true })
    lines.once('line', (line) => end(line.trim() === '' ? null : line))
    lines.once('close', leave)
    lines.on('SIGINT', leave)
    lines.setPrompt('  Arguments: ')
    lines.prompt()
    lines.write(text)
  })
