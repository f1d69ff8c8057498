// The walls around engines, as a runner builds them: every process of an engine is started inside. The runner itself stays
// outside, so that no code of an agent can read the runner's memory, its tokens or its socket.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Server } from 'node:net'
import { join } from 'node:path'
import type { HeldProtection } from '../protection/held-protection.ts'
import { bubblewrapCommand, type SandboxView } from './bubblewrap.ts'
import { protectProgram } from './engine-program.ts'
import { entryCommand } from './runner-command.ts'
import { sandboxUser } from './sandbox-user.ts'

/** A program of an engine, as it would be started without a sandbox. */
export interface EngineCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** The engine's own program, which a sandbox protects from the engine's commands. Absent = the sandbox protects none. */
  readonly program?: string
}

export interface EngineProcess extends ChildProcessWithoutNullStreams {
  /**
   * Ends what the engine started and is still running, and returns how many processes that were; null = some could not be ended.
   * `marked` finds processes that left the engine's tree. Absent where nothing counts processes.
   */
  endLeftovers?(marked: () => readonly number[]): Promise<number | null>
}

/** `enter` wraps the whole command line, including bubblewrap. */
export type EngineStarter = (
  command: EngineCommand,
  enter?: (command: readonly string[]) => readonly string[],
) => EngineProcess

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
  /** The folder of protected programs, outside the sandbox; absent = none is protected. */
  readonly programs?: string
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
  ({ bwrap, view, ports, env: added, programs, protect }: ContainmentOptions): EngineStarter =>
  ({ file, args, cwd, env, program: own }, enter = unchanged) => {
    const command = [...OWN_STREAMS, ...entryCommand([...ports.keys()], sandboxUser(), cwd), file, ...args]
    const shown = own === undefined || programs === undefined ? view : protectEngine(own, env, view, programs)
    const { places, release = () => {} } = protect?.() ?? {}
    const [program = '', ...rest] = enter(bubblewrapCommand(command, { ...shown, ...(places && { places }) }, bwrap))
    const child = spawn(program, rest, {
      cwd: '/',
      env: { ...env, TMPDIR: temporaryFolder(env.TMPDIR, view), ...added },
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe', 'pipe'],
    })
    const [, , , , stdin, stdout] = child.stdio as readonly unknown[]
    Object.assign(child, { stdin, stdout })
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
    return child as ChildProcess as EngineProcess
  }

/** Process 1 of a sandbox that root starts is root's, and out of reach anyway. */
const protectEngine = (name: string, env: NodeJS.ProcessEnv, view: SandboxView, programs: string): SandboxView => {
  const found = findProgram(name, env.PATH)
  const program = found === null ? null : protectProgram(found, programs)
  const shell = program === null || sandboxUser() ? null : protectProgram('/bin/sh', programs)
  return { ...view, ...(program && { program }), ...(shell && { shell }) }
}

/** Engines use files 4 and 5 for input and output, so that they get none of the files that bubblewrap keeps open. */
const OWN_STREAMS = ['/bin/sh', '-c', 'exec "$@" <&4 >&5 4<&- 5>&-', 'sh']

/** A name is looked up as the shell inside does it; null = there is none, which the start itself reports. */
const findProgram = (name: string, path = ''): string | null => {
  const files = name.includes('/') ? [name] : path.split(':').map((folder) => join(folder, name))
  return files.find((file) => existsSync(file)) ?? null
}

const unchanged = (command: readonly string[]): readonly string[] => command

const isListener = (handle: unknown): handle is Server => typeof (handle as Server | undefined)?.listen === 'function'

/** An engine keeps its temporary folder if that lies in a folder it sees; otherwise it gets the sandbox's. */
const temporaryFolder = (named: string | undefined, { work, state, hidden }: SandboxView): string => {
  const isIn = (folder: string) => named?.startsWith(`${folder}/`) ?? false
  // A work folder may have the server's data inside, which the sandbox does not see, except for the state of the engine.
  return named && (isIn(state) || (isIn(work) && !hidden.some(isIn))) ? named : '/tmp'
}
