// `.env` of the working directory. The real environment takes precedence. Its secrets are treated the same: visible to
// the command, not to programs it starts.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { UnconfirmedFileError } from '@bridle/server/agents/import-errors'
import { trustedFiles } from '@bridle/server/agents/trust/trusted-files'
import { failure, usageError } from '../command/command.ts'
import { dataFolderOf } from './default-data.ts'
import { SERVER_SECRETS } from './sealed-environment.ts'

/** The environment with the file's variables, also set in `process.env` for the user's agents, except the server's secrets. */
export const withEnvFile = (
  env: NodeJS.ProcessEnv,
  folder = '.',
  data = dataFolderOf({}, folder, env),
): NodeJS.ProcessEnv => {
  const variables = readVariables(join(folder, '.env'), data)
  for (const [name, value] of Object.entries(variables))
    if (!(name in env) && !SERVER_SECRETS.includes(name)) process.env[name] = value
  return { ...variables, ...env }
}

const readVariables = (path: string, data: string): NodeJS.ProcessEnv => {
  // A folder of that name is a Python environment.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return {}
  try {
    const content = readFileSync(path)
    // The file may redirect tokens and keys to other servers, so check that it was confirmed.
    trustedFiles(data).check(path, content)
    return parseEnv(content.toString('utf8')) as NodeJS.ProcessEnv
  } catch (error) {
    if (error instanceof UnconfirmedFileError) throw failure(error.message)
    throw usageError(`.env cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
}
