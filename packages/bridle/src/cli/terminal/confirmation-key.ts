// Files that changed while a session worked in place, as `bridle dev` asks about them: one key loads all of them.
import { relative } from 'node:path'
import { packageOf, type TrustedFiles } from '../../targets/agents/trust/trusted-files.ts'
import { type CliOutput, escapeControls } from './output.ts'
import { shellWord } from './shell-word.ts'

/** Asks now and whenever a further file is held. Returns the end of that. */
export const askAboutFiles = (trust: TrustedFiles, out: CliOutput, command: string): (() => void) => {
  const { stdin } = process
  const hasKeys = out.canAsk && stdin.isTTY
  let isListening = false
  const listen = (wanted: boolean) => {
    if (!hasKeys || wanted === isListening) return
    isListening = wanted
    stdin.setRawMode(wanted)
    if (wanted) stdin.on('data', onKeys).resume()
    else stdin.off('data', onKeys).pause()
  }
  const onKeys = (keys: Buffer) => {
    // While the input is raw, Ctrl+C is a key like any other.
    if (keys.includes(CTRL_C)) process.kill(process.pid, 'SIGINT')
    else if (keys.toString('latin1') === 'a') trust.acceptHeld()
  }
  const ask = (paths: readonly string[]) => {
    if (paths.length === 0) return
    for (const line of questionLines(
      [...new Set(paths.map((path) => relative(process.cwd(), packageOf(path) ?? path)))],
      hasKeys,
      command,
    ))
      out.line(line)
    listen(true)
  }
  const end = trust.listen((change) => {
    if ('held' in change) return ask(change.held)
    listen(false)
    for (const path of new Set(change.accepted.map((each) => packageOf(each) ?? each)))
      out.line(`${out.style('green', '✓')} ${escapeControls(relative(process.cwd(), path))} is confirmed.`)
  })
  ask(trust.held)
  return () => {
    end()
    listen(false)
  }
}

const CTRL_C = '\x03'

export const questionLines = (files: readonly string[], hasKeys: boolean, command: string): readonly string[] => {
  const shown = files.map((file) => escapeControls(file))
  const flags = shown.map((file) => ` --accept ${shellWord(file)}`).join('')
  const it = files.length === 1 ? 'it' : 'them'
  const answer = hasKeys ? `press a to load ${it}` : `start again with ${command} dev${flags}`
  return [
    `? Changed while a session worked in place here, and not loaded: ${shown.join(', ')}. Look at ${it}, then ${answer}.`,
  ]
}
