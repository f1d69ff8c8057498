// Keys that come in the environment, put out of reach. The environment that a process was started with can be read by every
// process of the same user, as long as it lives, whatever it deletes from its own copy. So a process that starts engines
// puts its secrets into a file, becomes itself again with an environment that has none, reads the file and removes it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const SECRETS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'OPENAI_API_KEY',
  'FABRIC_HARNESS_API_TOKEN',
  'FH_AUTH_TOKEN',
  'BRIDLE_SECRET',
  'BRIDLE_RUNNER_TOKEN',
]
/** Names the file, in the environment of the process as it is the second time. */
const FILE_VARIABLE = 'BRIDLE_SECRETS_FILE'

/**
 * The environment with its secrets, which are in nobody's sight; does not return the first time. Where a process cannot
 * replace itself (Windows), the environment stays as it is.
 */
export const sealedEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => {
  const { [FILE_VARIABLE]: file, ...rest } = env
  if (file !== undefined) return { ...rest, ...taken(file) }
  const named = SECRETS.filter((name) => env[name])
  if (named.length === 0 || !process.execve) return env
  const left = join(mkdtempSync(join(tmpdir(), 'bridle-')), 'secrets.json')
  writeFileSync(left, JSON.stringify(Object.fromEntries(named.map((name) => [name, env[name]]))), { mode: 0o600 })
  const open = Object.fromEntries(Object.entries(rest).filter(([name]) => !SECRETS.includes(name)))
  try {
    return process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
      ...open,
      [FILE_VARIABLE]: left,
    })
  } catch {
    rmSync(dirname(left), { recursive: true, force: true })
    return env
  }
}

const taken = (file: string): NodeJS.ProcessEnv => {
  delete process.env[FILE_VARIABLE]
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv
  } finally {
    rmSync(dirname(file), { recursive: true, force: true })
  }
}
