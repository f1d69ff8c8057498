// Commands called without a process: a real server in this one, and an output that keeps what it gets.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fabricClient } from '@bridle/client/index'
import { HarnessServer } from '@bridle/server/node/index'
import { type CliInvocation, parseCommandLine } from './command/command.ts'
import { explainError } from './errors/explain-error.ts'
import type { CliOutput } from './terminal/output.ts'
import { verbs } from './verbs.ts'

export interface VerbResult {
  readonly code: number
  /** Standard output, without its last newline. */
  readonly stdout: string
  /** Remarks, and the error in one line. */
  readonly notes: string
}

export interface VerbWorld {
  readonly folder: string
  readonly server: HarnessServer
  /** Calls a verb for people, in a window of 80 columns. */
  readonly text: (...argv: readonly string[]) => Promise<VerbResult>
  /** Calls a verb as in a pipe; the rows of its output. */
  readonly rows: (...argv: readonly string[]) => Promise<readonly Record<string, unknown>[]>
  readonly json: (...argv: readonly string[]) => Promise<VerbResult>
  readonly wide: (...argv: readonly string[]) => Promise<VerbResult>
  /** Plays a script of the scripted agent to its end. */
  readonly play: (id: string, ...steps: readonly unknown[]) => Promise<void>
  /** Starts a script; resolves when it is accepted. */
  readonly begin: (id: string, ...steps: readonly unknown[]) => Promise<string>
  readonly close: () => Promise<void>
}

export const verbWorld = async (): Promise<VerbWorld> => {
  const folder = mkdtempSync(join(tmpdir(), 'bridle-verbs-'))
  const server = await HarnessServer.start({ port: 0, data: folder, store: 'memory', tokenPaceMs: 0, log: () => {} })
  const env: NodeJS.ProcessEnv = { BRIDLE_URL: server.url, BRIDLE_DATA: folder }
  const call =
    (isJson: boolean, width: number) =>
    async (...[name = '', ...argv]: readonly string[]): Promise<VerbResult> => {
      const { out, printed, notes } = keepingOutput(isJson, width)
      const row = verbs[name]
      if (!row) throw new Error(`There is no verb ${name}.`)
      try {
        const command = await row.load()
        const { args, flags } = parseCommandLine(name, { ...row, ...command }, argv)
        const code = await command.run({ args, flags, env, out } as unknown as CliInvocation<never>)
        return { code: code ?? 0, stdout: printed.join('').replace(/\n$/, ''), notes: notes.join('\n') }
      } catch (error) {
        const { code, message } = explainError(error)
        return { code, stdout: printed.join(''), notes: [...notes, message].join('\n') }
      }
    }
  const json = call(true, 80)
  const rows = async (...argv: readonly string[]) => {
    const { code, stdout, notes } = await json(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${notes}`)
    return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]))
  }
  const fabric = fabricClient({ url: server.url })
  const prompt = (steps: readonly unknown[]) => ({ prompt: `@script ${JSON.stringify(steps)}` })
  return {
    folder,
    server,
    text: call(false, 80),
    wide: call(false, 120),
    json,
    rows,
    play: async (id, ...steps) => {
      await fabric.invoke('scripted', id, prompt(steps)).catch(() => {})
    },
    begin: async (id, ...steps) =>
      (await fabric.invoke('scripted', id, prompt(steps) as { prompt: string }, { async: true })).runId,
    close: async () => {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** An output without colour and without a person. */
export const keepingOutput = (isJson: boolean, width: number, printed: string[] = []) => {
  const notes: string[] = []
  const out: CliOutput = {
    ...{ isJson, width, canAsk: false },
    write: (text) => void printed.push(text),
    line: (text) => void printed.push(`${text}\n`),
    row: (value) => void printed.push(`${JSON.stringify(value)}\n`),
    note: (text) => {
      if (!isJson) notes.push(text)
    },
    style: (_format, text) => text,
  }
  return { out, printed, notes }
}
