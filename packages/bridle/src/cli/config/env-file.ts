// `.env` of the working directory. The real environment wins over it. Its secrets are kept as those of the environment are: the
// command has them, and programs that it starts do not.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { EXIT_CODES, ExitError } from '../command.ts'
import { SERVER_SECRETS } from './sealed-environment.ts'

/**
 * The environment of a command, with the variables of the file. Agents of the user read `process.env`, so the variables are set
 * there too; tokens and secrets of the server are not.
 */
export const withEnvFile = (env: NodeJS.ProcessEnv, folder = '.'): NodeJS.ProcessEnv => {
  const variables = readVariables(join(folder, '.env'))
  for (const [name, value] of Object.entries(variables))
    if (!(name in env) && !SERVER_SECRETS.includes(name)) process.env[name] = value
  return { ...variables, ...env }
}

const readVariables = (path: string): NodeJS.ProcessEnv => {
  // A folder of that name is a Python environment.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return {}
  try {
    return parseEnv(readFileSync(path, 'utf8')) as NodeJS.ProcessEnv
  } catch (error) {
    throw new ExitError(EXIT_CODES.usage, `.env cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
