// Removes secrets from the environment. Processes of the same user can read the environment that a process started with,
// even after it deletes variables. So a process that starts engines writes its secrets to a file, replaces itself via
// `execve` without them, then reads and deletes the file.

import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CLAUDE_LOGIN_VARIABLE } from '@bridle/runners/credentials/logins/claude-login'
import { PROVIDER_SECRETS } from '@bridle/runners/credentials/providers'
import { settingRows, variablesOf } from '@bridle/server/settings'

/** Processes read the file within a second. An older one is left over from a crash. */
const SECRETS_FILE_MS = 60_000

const SECRETS = [
  ...new Set([
    CLAUDE_LOGIN_VARIABLE,
    ...PROVIDER_SECRETS,
    ...settingRows.flatMap((row) => (row[1].kind === 'secret' ? variablesOf(row) : [])),
  ]),
]
/** Secrets of the server, hidden from agents. */
export const SERVER_SECRETS = SECRETS.filter((name) => !PROVIDER_SECRETS.includes(name))
/** Names the file after the process replaced itself. */
const FILE_VARIABLE = 'BRIDLE_SECRETS_FILE'
const FOLDER_PREFIX = 'bridle-secrets-'
const FILE = 'secrets.json'

/** The environment with secrets hidden from other processes. The first call replaces the process, except on Windows. */
export const sealEnvironment = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => {
  const { [FILE_VARIABLE]: file, ...rest } = env
  if (file !== undefined) return { ...rest, ...takeSecrets(file) }
  const named = SECRETS.filter((name) => env[name])
  if (named.length === 0 || !process.execve) return env
  removeLeftovers()
  const secretsFile = join(mkdtempSync(join(tmpdir(), FOLDER_PREFIX)), FILE)
  writeFileSync(secretsFile, JSON.stringify(Object.fromEntries(named.map((name) => [name, env[name]]))), {
    mode: 0o600,
  })
  const publicVariables = Object.fromEntries(Object.entries(rest).filter(([name]) => !SECRETS.includes(name)))
  try {
    return process.execve(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
      ...publicVariables,
      [FILE_VARIABLE]: secretsFile,
    })
  } catch {
    remove(secretsFile)
    return env
  }
}

/** Restores provider keys for the agents' packages. Other processes see only the initial environment; children get their own. */
export const restoreProviderKeys = (env: NodeJS.ProcessEnv): void => {
  for (const name of PROVIDER_SECRETS) if (env[name] !== undefined) process.env[name] = env[name]
}

const takeSecrets = (file: string): NodeJS.ProcessEnv => {
  delete process.env[FILE_VARIABLE]
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv
  } finally {
    remove(file)
  }
}

/** Removes the file and its folder if empty. The name comes from the environment, so nothing else may be deleted. */
const remove = (file: string): void => {
  rmSync(file, { force: true })
  try {
    rmdirSync(dirname(file))
  } catch {
    // The folder contains other files.
  }
}

const removeLeftovers = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name)
    try {
      const { uid, mtimeMs } = lstatSync(folder)
      if (uid === process.getuid?.() && Date.now() - mtimeMs > SECRETS_FILE_MS) remove(join(folder, FILE))
    } catch {
      // Removed or owned by another process.
    }
  }
}
