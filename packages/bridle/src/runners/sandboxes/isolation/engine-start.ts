// The walls around engines, as a runner builds them: every process of an engine is started inside. The runner itself stays
// outside, so that no code of an agent can read the runner's memory, its tokens or its socket.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Server } from 'node:net'
import type { HeldProtection } from '../protection/held-protection.ts'
import { entryCommand } from '../runner-command.ts'
import { bubblewrapCommand, type SandboxView } from './bubblewrap.ts'
import { sandboxUser } from './sandbox-user.ts'

/** A program of an engine, as it would be started without a sandbox. */
export interface EngineCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** `enter` wraps the whole command line, including bubblewrap. */
export type EngineStarter = (
  command: EngineCommand,
  enter?: (command: readonly string[]) => readonly string[],
) => ChildProcessWithoutNullStreams

/** How an engine is started, and where it finds its provider from there. */
export interface EngineLauncher {
  readonly start: EngineStarter
  /** The relay that adds the key: the engine itself never has one. */
  readonly baseUrl: string
}

/** Serves a port that was opened inside a sandbox until its engine ends. */
export type PortService = (listener: Server) => void

export interface ContainmentOptions {
  readonly bwrap?: string | undefined
  readonly view: SandboxView
  /** By the number of the port inside; empty where the sandbox shares the host's network. */
  readonly ports: ReadonlyMap<number, PortService>
  /** Added to the environment of every process inside. */
  readonly env: NodeJS.ProcessEnv
  /** Called at each start where the work folder is a person's own. */
  readonly protect?: (() => HeldProtection) | undefined
}

/** No sandbox: a process of this machine, under another user where the runner is root. */
export const startUncontained: EngineStarter = ({ file, args, cwd, env }, enter = unchanged) => {
  const user = sandboxUser()
  // Only root may enter a cgroup of root, so the command becomes the other user after it entered.
  const entry = user && enter !== unchanged ? entryCommand([], user, cwd) : null
  const [program = file, ...rest] = enter([...(entry ?? []), file, ...args])
  const place = entry ? { cwd: '/' } : { cwd, ...user }
  return spawn(program, rest, { ...place, env, detached: true, stdio: 'pipe' })
}

export const containedStarter =
  ({ bwrap, view, ports, env: added, protect }: ContainmentOptions): EngineStarter =>
  ({ file, args, cwd, env }, enter = unchanged) => {
    const command = [...entryCommand([...ports.keys()], sandboxUser(), cwd), file, ...args]
    const { places, release = () => {} } = protect?.() ?? {}
    const [program = '', ...rest] = enter(bubblewrapCommand(command, { ...view, ...(places && { places }) }, bwrap))
    const child = spawn(program, rest, {
      cwd: '/',
      env: { ...env, TMPDIR: temporaryFolder(env.TMPDIR, view), ...added },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    })
    child.once('exit', release)
    // The program does not start; `exit` does not follow.
    child.once('error', () => child.pid === undefined && release())
    child.on('message', (port, listener) => {
      if (!isListener(listener)) return
      // A port may arrive after its engine has ended; open, it would keep the sandbox's network alive.
      if (child.exitCode !== null || child.signalCode !== null) return void listener.close()
      child.once('exit', () => listener.close())
      ports.get(Number(port))?.(listener)
    })
    return child as ChildProcessWithoutNullStreams
  }

const unchanged = (command: readonly string[]): readonly string[] => command

const isListener = (handle: unknown): handle is Server => typeof (handle as Server | undefined)?.listen === 'function'

/** An engine keeps its temporary folder if that lies in a folder it sees; otherwise it gets the sandbox's. */
const temporaryFolder = (named: string | undefined, { work, state, hidden }: SandboxView): string => {
  const isIn = (folder: string) => named?.startsWith(`${folder}/`) ?? false
  // A work folder may have the server's data inside, which the sandbox does not see, except for the state of the engine.
  return named && (isIn(state) || (isIn(work) && !hidden.some(isIn))) ? named : '/tmp'
}
