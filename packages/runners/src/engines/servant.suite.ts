// An engine whose process stays between turns, as real ones do: it runs each prompt as a command of a shell beside itself.
import { claudeInfo } from './claude/description.ts'
import type { Engine } from './engine.ts'
import { newProcessMark } from './process-mark.ts'

/** The program of the engine: a line of JSON is a command, and its answer a line with what the command printed. */
const PROGRAM = `
const { spawn } = require('node:child_process')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const child = spawn('/bin/sh', ['-c', JSON.parse(line)], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const said = []
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => said.push(text))
  child.once('exit', () => setTimeout(() => process.stdout.write(JSON.stringify(said.join('')) + '\\n'), 100))
})
`

export const servantEngine = (): Engine => ({
  name: 'servant',
  provider: 'anthropic',
  info: { ...claudeInfo('1.0.0'), name: 'servant' },
  needs: async () => null,
  open: async ({ launcher, workFolder, stateFolder }) => {
    const { start } = await launcher()
    const mark = newProcessMark()
    const child = start({
      file: process.execPath,
      args: ['-e', PROGRAM],
      program: process.execPath,
      cwd: workFolder,
      env: { PATH: process.env.PATH, HOME: stateFolder, ...mark.env },
    })
    let [text, answered] = ['', (_answer: string) => {}]
    let problem = ''
    child.stderr.setEncoding('utf8').on('data', (said: string) => (problem += said))
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
      const [line, rest] = text.split('\n')
      if (line === undefined || rest === undefined) return
      text = rest
      answered(JSON.parse(line) as string)
    })
    const gone = new Promise<never>((_, reject) => child.once('exit', () => reject(new Error(`It ended. ${problem}`))))
    gone.catch(() => {})
    let turns = 0
    return {
      get resume() {
        return `turn-${turns}`
      },
      sessionId: 'servant',
      get alive() {
        return child.exitCode === null && child.signalCode === null
      },
      play: async (prompt) => {
        const answer = new Promise<string>((resolve) => (answered = resolve))
        child.stdin.write(`${JSON.stringify(prompt)}\n`)
        turns += 1
        return { kind: 'completed', result: await Promise.race([answer, gone]) }
      },
      interrupt: async () => {},
      steer: async () => {},
      endLeftovers: async () => (await child.endLeftovers?.(mark.processes)) ?? null,
      close: async () => {
        child.kill('SIGKILL')
        await mark.killProcesses()
      },
    }
  },
})
