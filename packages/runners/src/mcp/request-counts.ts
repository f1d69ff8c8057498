// Request counts of a session's current run, stored in the session's folder so that a restart does not reset the limit.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject } from '@bridle/events/json'
import { keyText } from '@bridle/kernel/event'
import { readJson, writeJson } from '../process/json-file.ts'
import { sessionFolder } from '../sandboxes/folders/session-paths.ts'
import type { McpRunName } from './handler.ts'
import type { RequestCounter } from './url-server.ts'

interface CountsRecord {
  readonly run: string
  readonly counts: { readonly [server: string]: number }
}

export const requestCounts = (data: string, run: McpRunName): ((server: string) => RequestCounter) => {
  const file = join(sessionFolder(data, run.key), 'mcp-requests.json')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const name = nameOf(run)
  const counts = new Map(Object.entries(readCounts(file, name)))
  return (server) => ({
    count: () => {
      const made = (counts.get(server) ?? 0) + 1
      counts.set(server, made)
      const noted: CountsRecord = { run: name, counts: Object.fromEntries(counts) }
      // Do not recreate the folder of a deleted session.
      if (existsSync(dirname(file))) writeJson(file, noted)
      return made
    },
  })
}

const readCounts = (file: string, run: string): { readonly [server: string]: number } => {
  const noted = readJson(file) as CountsRecord | null
  if (noted?.run !== run || !isJsonObject(noted.counts)) return {}
  return Object.fromEntries(Object.entries(noted.counts).filter(([, count]) => Number.isSafeInteger(count)))
}

/** Includes the session's key: a branch starts with a copy of its parent's folder and may have the same run ids. */
const nameOf = ({ key, runId, attempt }: McpRunName): string =>
  createHash('sha256')
    .update(JSON.stringify([keyText(key), runId, attempt]))
    .digest('hex')
