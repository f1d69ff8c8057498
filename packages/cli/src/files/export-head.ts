// The first line of an export tells a damaged export from another file.
import { isJsonObject } from '@bridle/events/json'
import { usageError } from '../command/command.ts'
import { commandName } from '../command/command-name.ts'

/** Enough for the first line: a name, a version and a program. */
const EXPORT_HEAD_BYTES = 1_000

export const checkExportHead = async (file: string, content: Blob): Promise<void> => {
  const [head = ''] = (await content.slice(0, EXPORT_HEAD_BYTES).text()).split('\n')
  if (isHead(head)) return
  const name = file === '-' ? 'The input' : file
  throw usageError(`${name} is no export of a session. Choose a file that ${commandName()} export wrote.`)
}

const isHead = (line: string): boolean => {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) && value.bridle === 'export'
  } catch {
    return false
  }
}
