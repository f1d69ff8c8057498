// Starts a runner that outlives this process: in its own process group, with its output in a file and a clean environment.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { present } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import { tryOr } from '@bridle/kernel/try-or'
import type { NetworkPolicy } from '../network/network-policy.ts'
import { startTimeOf } from '../process/process-table.ts'
import { endProcesses, SANDBOX_VARIABLE } from '../process/sandbox-processes.ts'
import { privateFolder, readablePaths, stateFolder, workPlace } from './folders/session-paths.ts'
import type { Isolation } from './isolation/isolation.ts'
import { type IsolationPlan, PLAN_VARIABLE } from './isolation/isolation-plan.ts'
import { allowTraversal, SANDBOX_USER_VARIABLE, sandboxUser } from './isolation/sandbox-user.ts'
import { protectionProblem } from './protection/held-protection.ts'
import { leasesOf, registeredProjects } from './protection/server-projects.ts'
import type { ResourceLimits } from './resources/resource-limits.ts'
import type { SandboxRecord, SandboxRecords } from './sandbox-records.ts'

export interface RunnerLaunch {
  readonly id: string
  readonly key: Key
  readonly token: string
  readonly command: readonly string[]
  /** Shown to the command, never written by it. */
  readonly readOnly: readonly string[]
  /** Variables that the operator adds. */
  readonly env: { readonly [name: string]: string }
  readonly engines: string | null
  /** The session's folder, with work and state. It stays when the sandbox ends. */
  readonly workspace: string
  /** The server's data folder, which the sandbox must not see. */
  readonly dataFolder: string
  readonly isolation: Isolation
  readonly bwrap: string | undefined
  readonly network: NetworkPolicy
  readonly limits: ResourceLimits
  readonly cgroup: string | null
  readonly startMs: number
  /** The runner exits after this idle time, should no server be left to end it. */
  readonly orphanMs: number
  readonly bornAt: number
}

export const OUTPUT_FILE = 'output.log'

/** Why an agent without walls could change what the server loads. */
export const NO_SANDBOX = 'engines run without a sandbox (BRIDLE_SANDBOX=process)'

/** Throws a sentence when the runner does not start, and leaves no process and no file of it behind. */
export const launchRunner = async (wanted: RunnerLaunch, records: SandboxRecords): Promise<SandboxRecord> => {
  const { id, key, isolation, workspace, bornAt, startMs } = wanted
  const folder = records.folderOf(id)
  checkPlace(wanted)
  for (const each of [runFolder(folder), privateFolder(workspace)]) mkdirSync(each, { recursive: true, mode: 0o700 })
  if (!isolation.isContained && sandboxUser()) for (const each of traversedFolders(wanted, folder)) allowTraversal(each)
  const [program = '', ...args] = wanted.command
  const file = join(folder, OUTPUT_FILE)
  const output = openSync(file, 'a', 0o600)
  let child: ChildProcess
  try {
    const stdio = ['pipe', output, output] as const
    child = spawn(program, args, {
      cwd: runFolder(folder),
      env: environment(wanted, folder),
      stdio: [...stdio],
      detached: true,
    })
  } finally {
    closeSync(output)
  }
  child.stdin?.on('error', () => {}).end(`${wanted.token}\n`)
  const failure = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? code}`))
  })
  child.unref()
  const { pid } = child
  if (pid === undefined) {
    const why = await failure
    records.remove(id)
    throw new Error(`The sandbox's runner did not start: ${why}.`)
  }

  const record = { id, key, isReady: false, pid, startedAt: startTimeOf(pid), bornAt, notice: isolation.notice }
  try {
    // Before the runner answers: a server that is killed now leaves a record by which the runner is found and ended.
    records.write(record)
    await waitForAnnouncement(file, failure, startMs)
    records.write({ ...record, isReady: true })
    return { ...record, isReady: true }
  } catch (error) {
    await endProcesses(record, id, 2_000)
    const said = readStart(file).trim().split('\n').at(-1)?.slice(0, 300)
    records.remove(id)
    throw new Error(
      `The sandbox's runner did not start: ${(error as Error).message}.${said ? ` It said: ${said}` : ''}`,
    )
  }
}

/** The whole environment of the runner. It holds no provider key and no token of the server. */
const environment = (wanted: RunnerLaunch, folder: string): NodeJS.ProcessEnv => {
  const { env, engines, isolation, workspace, dataFolder, network, limits, cgroup, bwrap } = wanted
  const programs = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const path = isolation.isContained ? programs : process.env.PATH || programs
  const { path: work, isInPlace } = workPlace(workspace)
  const [state, run] = [stateFolder(workspace), runFolder(folder)]
  const plan: IsolationPlan = {
    backend: isolation.isContained ? 'bubblewrap' : 'process',
    folder: run,
    programs: join(dataFolder, 'programs'),
    readOnly: [...wanted.readOnly, ...readablePaths(workspace), ...(isInPlace ? ownersFolders(work) : [])],
    hidden: [dataFolder],
    ...(isInPlace && { isInPlace, projects: projectPaths(), leases: leasesOf(dataFolder) }),
    network,
    limits,
    ...present({ cgroup: cgroup ?? undefined, bwrap }),
  }
  return {
    PATH: `${dirname(process.execPath)}:${path}`,
    HOME: state,
    LANG: process.env.LANG || 'C.UTF-8',
    TMPDIR: join(run, 'tmp'),
    ...(process.env.TZ && { TZ: process.env.TZ }),
    // The folders of the session belong to this user; the runner starts engines as the same one.
    [SANDBOX_USER_VARIABLE]: process.env[SANDBOX_USER_VARIABLE],
    ...env,
    ...(engines !== null && { BRIDLE_ENGINES: engines }),
    // The token comes on standard input: programs in the sandbox could read an environment.
    BRIDLE_RUNNER_TOKEN_FROM: 'stdin',
    BRIDLE_RUNNER_WORK: work,
    BRIDLE_RUNNER_STATE: state,
    BRIDLE_RUNNER_PRIVATE: privateFolder(workspace),
    BRIDLE_RUNNER_SOCKET: socketPathOf(folder),
    [PLAN_VARIABLE]: JSON.stringify(plan),
    BRIDLE_RUNNER_IDLE_MS: String(wanted.orphanMs),
    [SANDBOX_VARIABLE]: wanted.id,
  }
}

/** Git's files of a folder in which an agent works in place: a hook that an agent wrote would be run by the owner's next commit. */
const ownersFolders = (work: string): string[] => [join(work, '.git')].filter((path) => existsSync(path))

/** The folders from which this server loads, for a runner that asks what is there when an engine starts. */
const projectPaths = (): IsolationPlan['projects'] =>
  registeredProjects().map(({ root, agents }) => ({ root, agents: [...agents] }))

/** A session works in the folder that its user named, and nowhere else: a link in its place leads to another one. */
const checkPlace = ({ workspace, isolation }: RunnerLaunch): void => {
  const { path, isInPlace } = workPlace(workspace)
  if (!isInPlace) return
  if (!existsSync(path) || realpathSync(path) !== path)
    throw new Error(`The folder of the session, ${path}, is gone or was replaced by a link.`)
  // Since the session began, the folder may have become a project, or the server may have lost its sandboxes.
  const problem = protectionProblem(path, isolation.isContained ? null : NO_SANDBOX)
  if (problem !== null) throw new Error(problem)
}

/** The server's folders that lead to those of an engine. Without walls an engine of root is a user who has to pass through. */
const traversedFolders = ({ dataFolder, workspace }: RunnerLaunch, folder: string): string[] => [
  dataFolder,
  ...[workspace, folder].flatMap((each) => [dirname(each), each]),
  runFolder(folder),
]

/** The runner's folder: its socket, the /tmp of its engines and the files that name their user. */
const runFolder = (folder: string): string => join(folder, 'run')
/** A pipe of Windows has a name and no folder. */
export const socketPathOf = (folder: string): string =>
  process.platform === 'win32' ? `\\\\.\\pipe\\bridle-${basename(folder)}` : join(runFolder(folder), 'runner.sock')

/** The line in which a runner says that it listens. */
const waitForAnnouncement = async (file: string, failure: Promise<string>, startMs: number): Promise<void> => {
  let failed: string | null = null
  failure.then((why) => {
    failed = why
  })
  for (let waitedMs = 0; waitedMs < startMs; waitedMs += 20) {
    if (readStart(file).split('\n').slice(0, -1).some(isAnnouncement)) return
    if (failed !== null) throw new Error(failed)
    await sleep(20)
  }
  throw new Error(`it said nothing for ${startMs / 1000} seconds`)
}

const isAnnouncement = (line: string): boolean =>
  tryOr(false, () => typeof (JSON.parse(line) as { url?: unknown } | null)?.url === 'string')

const readStart = (file: string): string => {
  const bytes = Buffer.alloc(64 * 1024)
  const from = openSync(file, 'r')
  try {
    return bytes.toString('utf8', 0, readSync(from, bytes))
  } finally {
    closeSync(from)
  }
}
