import { present } from '@bridle/events/json'
import { chatCommand, chooseTarget } from '../chat/chat-target.ts'
import { agentWorkspace, chatWorkspace } from '../chat/chat-workspace.ts'
import { holdKeys } from '../chat/input/early-keys.ts'
import { historyFile, openHistory } from '../chat/input/prompt-history.ts'
import { runPipedChat } from '../chat/piped-chat.ts'
import { type ChatEnd, TerminalChat } from '../chat/terminal-chat.ts'
import { clientOptions, defineCommand, EXIT_CODES, ExitError, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { agentsOptions, dataOptions } from '../command/setting-flags.ts'
import { namedUrl, repeatedFlags } from '../config/settings.ts'
import { rethrowMissing } from '../runs/missing-session.ts'
import { modelOptions } from '../runs/model-option.ts'
import { connectOrStart, type ServerConnection } from '../runs/server-connection.ts'
import { changesNote } from '../runs/workspace-note.ts'
import { checkLocalFolder, workspaceOptions } from '../runs/workspace-option.ts'
import { listenForInterrupt } from '../terminal/interruption.ts'
import { createOutput, writeRemark } from '../terminal/output.ts'

export const chat = defineCommand({
  options: {
    id: {
      type: 'string',
      value: 'SESSION',
      help: 'the session to go on with, or with an agent to make; else a new one',
    },
    continue: { type: 'boolean', short: 'c', help: 'go on with the newest chat of this agent' },
    ...modelOptions,
    ...workspaceOptions,
    'no-workspace': { type: 'boolean', help: 'claude and codex: do not work on the current folder' },
    ...clientOptions,
    ...agentsOptions,
    ...dataOptions,
    json: { type: 'boolean', help: 'without a terminal: events as JSON lines' },
  },
  notes: `Without a server it runs one of its own. /help in the chat lists its commands and keys.
Without a terminal each line of the input is a prompt, and the answers are plain text.

Exit code: 0 completed, 1 failed, 2 usage, 3 cancelled, 130 left by Ctrl+C.`,
  run: async ({ args, flags, env }) => {
    const [agent] = args
    if (flags.id !== undefined && flags.continue)
      throw usageError(`Give --id or --continue, not both. Try ${commandName(env)} chat --help.`)
    const named = chatWorkspace(agent, flags, env)
    checkLocalFolder(named, namedUrl(flags, env))
    const serverFlags = repeatedFlags(flags)
    const choice = present({ model: flags.model, effort: flags.effort })
    // Unlike other commands, a piped chat answers in plain text.
    const out = createOutput({ json: flags.json === true, text: flags.json !== true })
    const interruption = listenForInterrupt()
    // A dumb terminal cannot move its cursor, so it is handled line by line.
    const earlyKeys = out.canAsk && env.TERM !== 'dumb' ? holdKeys() : null
    const connection = await connectOrStart(flags, env, out).catch((error: unknown) => {
      earlyKeys?.release()
      interruption.dispose()
      throw error
    })
    try {
      interruption.signal.throwIfAborted()
      const workspace = named ?? (await agentWorkspace(connection.fabric, agent, flags, env))
      checkLocalFolder(workspace, namedUrl(flags, env))
      const continues = flags.continue === true
      const wanted = { agent, id: flags.id, continues, workspace, serverFlags, say: out.note }
      const target = await chooseTarget(connection.fabric, wanted).catch((error: unknown) =>
        rethrowMissing(error, connection, flags.id ?? ''),
      )
      if (earlyKeys === null)
        return await runPipedChat(connection, target, choice, out, interruption.signal).finally(async () => {
          const changes = out.isJson ? null : await changesNote(connection.plain, target, serverFlags).catch(() => null)
          if (changes !== null) out.note(changes)
        })
      const history = openHistory(historyFile(env))
      const talk = new TerminalChat({
        connection,
        tenant: flags.tenant,
        target,
        choice,
        workspace,
        history,
        earlyKeys,
        env,
        out,
      })
      // From here on, Ctrl+C is a key of the chat or of its editor.
      interruption.dispose()
      await sayFarewell(connection, await talk.run(), serverFlags)
      return EXIT_CODES.ok
    } catch (error) {
      if (!interruption.signal.aborted) throw error
      throw new ExitError(EXIT_CODES.interrupted, `Left. ${commandName(env)} chat --continue${serverFlags} goes on.`)
    } finally {
      earlyKeys?.release()
      await connection.close()
      interruption.dispose()
    }
  },
})

/** Prints how to return. Removes a session without a prompt. */
const sayFarewell = async ({ plain, ownData }: ServerConnection, end: ChatEnd, serverFlags: string): Promise<void> => {
  const { target, isEmpty, isRunning, unsent } = end
  for (const prompt of unsent) writeRemark(`Not sent: ${prompt}`)
  if (isEmpty && target.isNew && unsent.length === 0) {
    await plain.remove(target.agent, target.id).catch(() => {})
    return
  }
  const work = isRunning ? (ownData === null ? ' The run continues.' : ' The run goes on when you are back.') : ''
  writeRemark(`Left.${work} Come back with\n  ${chatCommand(target, serverFlags)}`)
  const changes = await changesNote(plain, target, serverFlags).catch(() => null)
  if (changes !== null) writeRemark(changes)
}
