// Every git command of the server goes through here. A repository can name programs in many places: hooks, filters, a file
// system monitor, a transport. None of them is started by these commands, and none of the server's variables is passed on.
import { execFile } from 'node:child_process'
import { isAbsolute } from 'node:path'

/** A checkout of a large repository on a slow disk takes a minute or two. */
const GIT_TIMEOUT_MS = 5 * 60_000
/** The list of all files of a commit: half a million names of 100 bytes. */
const GIT_OUTPUT_BYTES_MAX = 64 * 1024 ** 2

export interface GitCall {
  /** The folder that git starts in. Never a folder that an agent can write. */
  readonly cwd: string
  /** Where git finds its parts: `GIT_DIR`, `GIT_INDEX_FILE` and so on. */
  readonly env?: { readonly [name: `GIT_${string}`]: string }
  readonly input?: Buffer
}

/** Runs git and resolves to its standard output; rejects when it fails, takes too long or says too much. */
export const git = (args: readonly string[], { cwd, env, input }: GitCall): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args],
      {
        cwd,
        env: { ...environment(), ...env },
        encoding: 'buffer',
        timeout: GIT_TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: GIT_OUTPUT_BYTES_MAX,
      },
      (error, output) => (error ? reject(error) : resolve(output)),
    )
    // A git that ends early closes its input; its exit code tells the reason.
    child.stdin?.on('error', () => {}).end(input)
  })

/** Settings on the command line win over those of the repository and of every file that it includes. */
const SETTINGS = [
  // Hooks are looked up in a place that can hold none.
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'protocol.ext.allow=never',
  // A folder that only looks like a bare repository must not count as one.
  'safe.bareRepository=explicit',
  // The operator listed the source, so another owner of its files is no surprise.
  'safe.directory=*',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'worktree.useRelativePaths=false',
]

/** The whole environment of git: no key, no token and no `GIT_` variable of the server is in it. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: programFolders(),
  LANG: 'C.UTF-8',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  // A partial clone would fetch a missing object by a command of its own configuration. No transport is allowed at all.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
})

/** A relative entry would be looked up in the folder that git starts in. */
const programFolders = (): string =>
  (process.env.PATH ?? '')
    .split(':')
    .filter((folder) => isAbsolute(folder))
    .join(':') || '/usr/local/bin:/usr/bin:/bin'
