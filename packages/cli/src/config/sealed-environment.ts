// Moves keys out of the environment. Every process of the same user can read the environment that a process was started with,
// even if that process deletes variables from its copy. So a process that starts engines writes its secrets to a file, replaces
// itself with `execve` and an environment without them, reads the file and removes it.

import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { CLAUDE_LOGIN_VARIABLE } from '@bridle/runners/credentials/logins/claude-login'
import { PROVIDER_SECRETS } from '@bridle/runners/credentials/providers'
import { settingRows, variablesOf } from '@bridle/server/settings'

/** A process takes its secrets file within a second; an older file was left by a process that was killed before. */
const SECRETS_FILE_MS = 60_000

const SECRETS = [
  ...new Set([
    CLAUDE_LOGIN_VARIABLE,
    ...PROVIDER_SECRETS,
    ...settingRows.flatMap((row) => (row[1].kind === 'secret' ? variablesOf(row) : [])),
  ]),
]
/** Secrets of the server, which no agent reads. */
export const SERVER_SECRETS = SECRETS.filter((name) => !PROVIDER_SECRETS.includes(name))
/** The variable that names the file, after the process replaced itself. */
const FILE_VARIABLE = 'BRIDLE_SECRETS_FILE'
const FOLDER_PREFIX = 'bridle-secrets-'
const FILE = 'secrets.json'

/**
 * The environment with its secrets, which other processes cannot read. The first call replaces the process and does not return.
 * Where a process cannot replace itself (Windows), the environment stays unchanged.
 */
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

/**
 * Gives the keys of providers back to this process alone: packages of providers in the agents of a user read them from
 * `process.env`. The system shows others only the environment that a process was started with, and programs that the server
 * starts get an environment of their own.
 */
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

/** Removes the file, and its folder if that is empty then: the name comes from the environment, so nothing else may go. */
const remove = (file: string): void => {
  rmSync(file, { force: true })
  try {
    rmdirSync(dirname(file))
  } catch {
    // The folder holds other files and stays.
  }
}

const removeLeftovers = (): void => {
  for (const name of readdirSync(tmpdir()).filter((each) => each.startsWith(FOLDER_PREFIX))) {
    const folder = join(tmpdir(), name)
    try {
      const { uid, mtimeMs } = lstatSync(folder)
      if (uid === process.getuid?.() && Date.now() - mtimeMs > SECRETS_FILE_MS) remove(join(folder, FILE))
    } catch {
      // Another process removed it, or owns it.
    }
  }
}
