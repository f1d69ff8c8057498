// `start` with reloading of changed agents. Runs in progress keep their definition.

import { join, relative } from 'node:path'
import { packageOf, type TrustedFiles, trustedFiles } from '@bridle/server/agents/trust/trusted-files'
import type { AgentFileChange, ServerOptions } from '@bridle/server/node/index'
import { ownServerClient, waitingApprovals } from '../approvals/waiting-approvals.ts'
import { defineCommand, EXIT_CODES, usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'
import { flagsOf, serverOptions } from '../command/setting-flags.ts'
import { shellWord } from '../command/shell-word.ts'
import { agentsSetting } from '../config/agents-folder.ts'
import { readConfigFile } from '../config/config-file.ts'
import { DEFAULT_DATA } from '../config/default-data.ts'
import { startMessage, urlFlag } from '../config/greeting.ts'
import { checkedPort, serverSettings } from '../config/settings.ts'
import { earlyNotes, readyNotes } from '../config/start-notes.ts'
import { startServer, stopServer } from '../runs/own-server.ts'
import { devServerLog } from '../runs/own-server-log.ts'
import { sharedId } from '../session-ids/session-flags.ts'
import { devLines } from '../terminal/dev-lines.ts'
import { CTRL_C, listenForInterrupt } from '../terminal/interruption.ts'
import { type CliOutput, escapeControls } from '../terminal/output.ts'

/** Node's default of ten frames may all belong to a library. */
const STACK_LINES = 50

export const dev = defineCommand({
  options: { ...flagsOf('--target'), ...serverOptions },
  notes: `A changed file in agents/ serves the runs that start afterwards, at the next request.
So does a change in a file of the project that an agent imports. For one in bridle.config.ts or in a package that is loaded
already, start again: sessions survive it.`,
  run: async ({ flags, env, out }) => {
    const { target = 'node' } = flags
    if (target === 'cloudflare') {
      if (flags.token) throw usageError('--token is for the target node; here set FABRIC_HARNESS_API_TOKEN instead.')
      if (flags.store !== undefined)
        throw usageError('--store is for the target node; an object keeps its own sessions.')
      const { port = env.PORT ?? '8787', host = '127.0.0.1', data = env.BRIDLE_DATA ?? DEFAULT_DATA } = flags
      // Imported lazily: the node target does not need it.
      const { devCloudflare } = await import('../cloudflare/dev-cloudflare.ts')
      return devCloudflare({
        port: checkedPort(port),
        host,
        data,
        env,
        out,
        agents: agentsSetting(flags, env, await readConfigFile()),
      })
    }
    if (target !== 'node') throw usageError(`There is no target "${target}"; node and cloudflare are.`)
    const interrupted = listenForInterrupt()
    const settings = await serverSettings(flags, env)
    earlyNotes(env).forEach(out.line)
    // The agent's own frames are often below dozens of library frames.
    Error.stackTraceLimit = STACK_LINES
    const { projectModules } = await import('@bridle/server/agents/project-modules')
    const { root } = projectModules(settings.agentsRoot || '.')
    let address = ''
    const lines = devLines(out, {
      root,
      command: commandName(env),
      addressFlag: () => (address === '' ? '' : urlFlag(address)),
      agentFlagOf: async (session) =>
        address === '' ? '' : (await sharedId(ownServerClient(address, settings), session)).agentFlag,
    })
    let isReady = false
    /** Files broken at start, most of which the ready message names. */
    const broken: AgentFileChange[] = []
    const server = await startServer({
      ...settings,
      watchAgents: true,
      // The ready message names the agents. Later changes get one line each, and broken files a code frame.
      onAgentFiles: (changes) => {
        lines.files(changes.filter(({ frame }) => isReady || frame !== undefined))
        if (!isReady) broken.push(...changes.filter(({ state, frame }) => state === 'broken' && frame === undefined))
      },
      // Failed runs are reported by `onRun`.
      log: settings.log ?? devServerLog(env),
      onRun: lines.run,
      onAgentFailure: lines.failure,
    })
    isReady = true
    address = server.url
    out.line(await startMessage(server, settings, env, out.width))
    // If the server's own agent uses the name, the ready message does not name the file.
    lines.files(broken.filter(({ name, file }) => !server.agents.get(name)?.needs?.startsWith(`${file}: `)))
    readyNotes(server, settings, env).forEach(out.line)
    out.line(`${watchedFolder(settings)} is watched. Ctrl+C ends it.`)
    const endQuestions = askAboutFiles(trustedFiles(settings.data), out, commandName(env))
    await lines.waiting(await waitingApprovals(server.url, settings))
    await interrupted.interrupted
    endQuestions()
    await stopServer(server, interrupted, out)
    return EXIT_CODES.ok
  },
})

const watchedFolder = ({ agents, agentsRoot }: ServerOptions): string =>
  `${join(agentsRoot || '.', typeof agents === 'string' ? agents : 'agents')}/`

/** Asks about files changed by an in-place session, as they are held back. One key loads all. Returns a function to stop. */
const askAboutFiles = (trust: TrustedFiles, out: CliOutput, command: string): (() => void) => {
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

export const questionLines = (files: readonly string[], hasKeys: boolean, command: string): readonly string[] => {
  const shown = files.map((file) => escapeControls(file))
  const flags = shown.map((file) => ` --accept ${shellWord(file)}`).join('')
  const it = files.length === 1 ? 'it' : 'them'
  const answer = hasKeys ? `press a to load ${it}` : `start again with ${command} dev${flags}`
  return [
    `? Changed while a session worked in place here, and not loaded: ${shown.join(', ')}. Look at ${it}, then ${answer}.`,
  ]
}
