// Keys that come in the environment, put out of reach. The environment that a process was started with can be read by every
// process of the same user, as long as it lives, whatever it deletes from its own copy. So a process that starts engines
// puts its secrets into a file, becomes itself again with an environment that has none, reads the file and removes it.
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PROVIDER_SECRETS } from '../../runners/credentials/providers.ts'

const SECRETS = [
  ...PROVIDER_SECRETS,
  'FABRIC_HARNESS_API_TOKEN',
  'FH_AUTH_TOKEN',
  'BRIDLE_SECRET',
  'BRIDLE_RUNNER_TOKEN',
]
/** Names the file, in the environment of the process as it is the second time. */
const FILE_VARIABLE = 'BRIDLE_SECRETS_FILE'
const FOLDER_PREFIX = 'bridle-secrets-'
const FILE = 'secrets.json'
/** A process takes its file within a second; an older one was left by a process that was killed before it could. */
const LEFT_MS = 60_000

/**
 * The environment with its secrets, which are in nobody's sight; does not return the first time. Where a process cannot
 * replace itself (Windows), the environment stays as it is.
 */
export const sealEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => {
  const { [FILE_VARIABLE]: file, ...rest } = env
  if (file !== undefined) return { ...rest, ...takeSecrets(file) }
  const named = SECRETS.filter((name) => env[name])
  if (named.length === 0 || !process.execve) return env
  removeLeftovers()
  const left = join(mkdtempSync(join(tmpdir(), FOLDER_PREFIX)), FILE)
  writeFileSync(left, JSON.stringify(Object.fromEntries(named.map((name) => [name, env[name]]))), { mode: 0o600 })
  const open = Object.fromEntries(Object.entries(rest).filter(([name]) => !SECRETS.includes(name)))
  try {
    return process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
      ...open,
      [FILE_VARIABLE]: left,
    })
  } catch {
    remove(left)
    return env
  }
}

const takeSecrets = (file: string): NodeJS.ProcessEnv => {
  delete process.env[FILE_VARIABLE]
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv
  } finally {
    remove(file)
  }
}

/** The file and its folder, and nothing else that lies there: the name comes from the environment. */
const remove = (file: string): void => {
  rmSync(file, { force: true })
  try {
    rmdirSync(dirname(file))
  } catch {
    // Something else is in it, so it is not ours to remove.
  }
}

const removeLeftovers = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name)
    try {
      const { uid, mtimeMs } = lstatSync(folder)
      if (uid === process.getuid?.() && Date.now() - mtimeMs > LEFT_MS) remove(join(folder, FILE))
    } catch {
      // Gone meanwhile, or not ours.
    }
  }
}
