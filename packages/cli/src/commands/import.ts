import { constants, openAsBlob } from 'node:fs'
import { access } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { FabricError } from '@bridle/client/http/error'
import { present } from '@bridle/events/json'
import { clientOptions, defineCommand, failure, outputOptions, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { createClient, repeatedFlags } from '../config/settings.ts'
import { withoutSentence } from '../errors/refusal-text.ts'
import { checkExportHead } from '../files/export-head.ts'
import { ignoredText } from '../imports/import-confirmation.ts'
import { sessionFlags } from '../session-ids/session-flags.ts'

export const importSessions = defineCommand({
  options: {
    rename: { type: 'boolean', help: 'another id for a session whose id another session has' },
    check: { type: 'boolean', help: 'only say what would become of the file' },
    ...clientOptions,
    ...outputOptions,
  },
  notes: 'All sessions of the file are imported, or none; nothing of them runs. The file "-" is standard input.',
  run: async ({ args: [file = ''], flags, env, out }) => {
    const client = await createClient(flags, env)
    const content = await contentOf(file)
    const { rename, check } = flags
    const { sessions } = await client
      .importSessions(content, present({ rename, check }))
      .catch(explainRefusal(file, content, repeatedFlags(flags)))
    for (const session of sessions) {
      const { id, events, existing, renamed_from: from, ignored } = session
      const dropped = ignoredText(ignored)
      if (out.isJson) out.row(session)
      else if (existing) out.line(`${id}: is here already`)
      else out.line(`${id}: ${events} events${from === undefined ? '' : `, was ${from}`}`)
      if (!out.isJson && dropped) out.line(`  ${dropped}`)
    }
    const same = rename ? sessions.find(({ existing }) => existing) : undefined
    if (same) out.note(noCopyText(same.id, await sessionFlags(client, same, repeatedFlags(flags))))
  },
})

/** Repeating an import copies nothing, so that an interrupted one can be resumed. The hint is for users who want a copy. */
const noCopyText = (id: string, nextFlags: string): string =>
  `A session that is here with the same events is not copied. To try something else in a copy: ${commandName()} branch ${id}${nextFlags}`

/** Replaces the server's route parameter with the flag and the file name. */
const explainRefusal =
  (file: string, content: Blob, serverFlags: string) =>
  async (error: unknown): Promise<never> => {
    if (error instanceof FabricError && error.status === 400) await checkExportHead(file, content)
    if (!(error instanceof FabricError) || error.type !== 'conflict') throw error
    const reason = withoutSentence(error, 'rename=1')
    const command = `${commandName()} import ${file} --rename${serverFlags}`
    throw failure(`${reason} To give this one another id:\n  ${command}`)
  }

const contentOf = async (file: string): Promise<Blob> => {
  if (file === '-') return new Blob([new Uint8Array(await buffer(process.stdin))])
  try {
    // `openAsBlob` would fail only when read.
    await access(file, constants.R_OK)
    return await openAsBlob(file)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    throw usageError(isMissing ? `There is no file ${file}.` : `${file} cannot be read.`, { cause })
  }
}
