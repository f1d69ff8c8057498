// Gives the files of a prompt to a runner.
import type { FileSender } from '../files/sent-files.ts'
import { runnerRefusalText } from './refusal-text.ts'
import type { RunnerClient } from './runner-client.ts'

/** A runner written from the document alone has no such route: its engine learns only that a file came. */
export const fileSender =
  (runner: RunnerClient): FileSender =>
  async (id, name, bytes) => {
    const path = `/files/${encodeURIComponent(id)}/${encodeURIComponent(name)}`
    const { status, body } = await runner.putFile(path, bytes)
    if (status === 404 || status === 405) return null
    if (status !== 200 || typeof body.path !== 'string') throw new Error(runnerRefusalText(status, body))
    return body.path
  }
