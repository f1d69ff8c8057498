// `bridle export` writes a session with its branches, or all sessions of a list, into a file.
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FabricError } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import { clientOptions, defineCommand, EXIT_CODES, ExitError, outputOptions } from '../command.ts'
import { createClient } from '../config/settings.ts'

export const exportSessions = defineCommand({
  summary: 'write sessions into a file that any server imports',
  argumentNames: ['[session]'],
  options: {
    output: { type: 'string', short: 'o', value: 'FILE', help: 'the file; else standard output' },
    'no-branches': { type: 'boolean', help: 'the session alone, without the branches below it' },
    agent: { type: 'string', value: 'NAME', help: 'of this agent' },
    status: { type: 'string', value: 'STATUS', help: 'without a session: only those of this status' },
    kind: { type: 'string', value: 'KIND', help: 'without a session: chat or background' },
    search: { type: 'string', value: 'TEXT', help: 'without a session: found in the title or the id' },
    ...clientOptions,
    ...outputOptions,
  },
  notes: 'Without a session it writes all sessions that the filters leave. Secrets in the text are removed.',
  run: async ({ args: [session], flags, env, out }) => {
    const client = await createClient(flags, env)
    const { agent, status, kind, search, output } = flags
    const branches = flags['no-branches'] ? ('none' as const) : undefined
    const answer = await (session === undefined
      ? client.exportSessions(present({ agent, status, kind, search }))
      : client.exportSession(session, present({ agent, branches }))
    ).catch((error: unknown) => {
      if (!(error instanceof FabricError) || error.status !== 404 || session === undefined) throw error
      throw new ExitError(EXIT_CODES.failed, `There is no session ${session}.`)
    })
    const lines = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0])
    if (output === undefined) await pipeline(lines, process.stdout, { end: false })
    else {
      // A file that is cut off must not stand under its name, nor replace a whole one.
      const partial = `${output}.partial`
      await pipeline(lines, createWriteStream(partial, { mode: 0o600 })).catch(async (cause: unknown) => {
        await rm(partial, { force: true })
        throw new ExitError(EXIT_CODES.failed, `The export broke off, and ${output} is not written. Try again.`, {
          cause,
        })
      })
      await rename(partial, output)
      if (out.isJson) out.row({ file: output })
      else out.line(`Written to ${output}.`)
    }
    return EXIT_CODES.ok
  },
})
