// Arguments changed by hand before they are approved: in the editor of the environment, else in a line of the terminal.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { escapeInvisible } from './text-lines.ts'

/** The edited text; null = nothing was entered, or the question was withdrawn. */
export const editArguments = (text: string, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string | null> => {
  const editor = env.VISUAL || (isNpmsOwn(env) ? '' : env.EDITOR)
  return editor ? inEditor(editor, text, signal) : inLine(text.replace(/\s*\n\s*/g, ''), signal)
}

/** npm names an editor to its scripts, though the person has chosen none. */
const isNpmsOwn = ({ EDITOR, npm_execpath: npm }: NodeJS.ProcessEnv): boolean => npm !== undefined && EDITOR === 'vi'

/** The arguments as the text to edit. Characters that an editor would not show are escaped; newlines between the lines stay. */
export const draftArguments = (args: unknown): string =>
  JSON.stringify(args, null, 2).split('\n').map(escapeInvisible).join('\n')

const inEditor = async (editor: string, text: string, signal: AbortSignal): Promise<string | null> => {
  // A new folder that only this user can read: arguments may hold secrets.
  const folder = mkdtempSync(join(tmpdir(), 'bridle-edit-'))
  const file = join(folder, 'arguments.json')
  try {
    writeFileSync(file, `${text.trimEnd()}\n`)
    // EDITOR may hold options, as in "code --wait", so a shell reads it.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', signal })
    const [code] = (await withoutInterrupts(() => once(child, 'close'))) as [number | null]
    return code === 0 ? readFileSync(file, 'utf8') : null
  } catch {
    // The editor did not start, or the question was withdrawn while it was open.
    return null
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A terminal sends Ctrl+C to the editor and to this process; it is meant for the editor alone. */
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

/** In terminal mode, so that the arguments can be edited in place. Ctrl+C leaves the line, and nothing else. */
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
