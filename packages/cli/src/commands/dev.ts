// `bridle dev` is `start` that also reloads changed agents. Runs that have started keep the definition they began with.

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
import { listenForInterrupt } from '../terminal/interruption.ts'
import { type CliOutput, escapeControls } from '../terminal/output.ts'

/** Lines of an error's stack in dev; Node keeps ten, which a library may fill alone. */
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
      // Loaded only now: the target node does not need it.
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
    // An agent's own lines are often below many of a library.
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
    /** Files that are broken at the start; the message of a ready server names most of them. */
    const broken: AgentFileChange[] = []
    const server = await startServer({
      ...settings,
      watchAgents: true,
      // The message of a ready server names the agents; afterwards each change has a line, and a broken file its frame.
      onAgentFiles: (changes) => {
        lines.files(changes.filter(({ frame }) => isReady || frame !== undefined))
        if (!isReady) broken.push(...changes.filter(({ state, frame }) => state === 'broken' && frame === undefined))
      },
      // A run that failed has a line of its own.
      log: settings.log ?? devServerLog(env),
      onRun: lines.run,
      onAgentFailure: lines.failure,
    })
    isReady = true
    address = server.url
    out.line(await startMessage(server, settings, env, out.width))
    // An agent of the server answers under the name that such a file wants, so that the message does not name the file.
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

/** Asks about files that changed while a session worked in place, now and whenever a further one is held: one key loads all of them. Returns the end of that. */
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
