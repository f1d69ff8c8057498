// Asks the runner for the files in its sandbox. A runner is no more trustworthy than what it runs, so validate its answers.

import type { Key } from '@bridle/kernel/event'
import {
  comparisonSchema,
  type WorkspaceComparison,
  workspaceFileSchema,
  workspaceFolderSchema,
} from '@bridle/wire/http/wire/workspaces'
import * as v from 'valibot'
import type { WorkspaceFiles, WorkspaceFilesRefusal } from './workspaces.ts'

export interface RunnerAnswer {
  readonly status: number
  readonly text: string
}

/** Null if the sandbox is not running or has no such route. */
export type SandboxQuestion = (key: Key, path: string) => Promise<RunnerAnswer | null>

export const fetchedWorkspaceFiles = (ask: SandboxQuestion): WorkspaceFiles => {
  const asked = async <T>(schema: v.GenericSchema<T>, key: Key, path: string): Promise<T | WorkspaceFilesRefusal> => {
    const answer = await ask(key, path)
    return answer === null ? { refused: 'not_found', message: ASLEEP } : parsed(schema, answer)
  }
  const query = (fields: { readonly [name: string]: string }) => new URLSearchParams(fields).toString()
  return {
    compare: async (key) => {
      const answer = await ask(key, '/workspace')
      return answer === null || answer.status === 404 ? UNAVAILABLE : parsed(comparisonSchema, answer)
    },
    list: (key, path) => asked(workspaceFolderSchema, key, `/workspace/files?${query({ path })}`),
    read: (key, path, version) => asked(workspaceFileSchema, key, `/workspace/file?${query({ path, version })}`),
  }
}

const ASLEEP = 'The sandbox of this session is not awake, or shows no files. Look again while the agent works.'

const UNAVAILABLE: WorkspaceComparison = {
  kind: null,
  is_available: false,
  is_compared: false,
  reason: ASLEEP,
  changes: [],
  truncated: false,
}

/** Never repeats the runner's text: an agent may have chosen it. */
const refusals: { readonly [status: number]: WorkspaceFilesRefusal } = {
  400: { refused: 'bad_path', message: 'Name a file in the workspace by a path without "..".' },
  404: { refused: 'not_found', message: 'There is no such file.' },
}
const NO_ANSWER: WorkspaceFilesRefusal = {
  refused: 'busy',
  message: 'The sandbox of this session did not show its files. Try again in a moment.',
}

const parsed = <T>(schema: v.GenericSchema<T>, { status, text }: RunnerAnswer): T | WorkspaceFilesRefusal => {
  if (status !== 200) return refusals[status] ?? NO_ANSWER
  try {
    const result = v.safeParse(schema, JSON.parse(text))
    return result.success ? result.output : NO_ANSWER
  } catch {
    return NO_ANSWER
  }
}
