// The ids of calls, before they are numbered.
import { checkCall, checkToolCall } from '../session-parts.ts'
import type { CallBatch } from './call-batch.ts'
import type { FunctionRun } from './function-run.ts'
import { callPrefix } from './session-steps.ts'

export interface CallNames {
  readonly ofTool: (tool: string, requestedId: string | undefined) => string
  readonly ofQuestion: (subject: string) => string
}

/** Ids by which a function that begins again finds its calls in the log: the author's id, or the name of the tool. */
export const callNames = (run: FunctionRun): CallNames => ({
  ofTool: (tool, requestedId) => `${callPrefix(run)}${checkToolCall(tool, requestedId) ?? tool}`,
  ofQuestion: (subject) => {
    checkCall(subject, undefined)
    return `${callPrefix(run)}approval:${subject}`
  },
})

/** `call-1`, `call-2`, ... for a function that never reads its log: a second attempt that makes the same calls gets the same ids. */
export const numberedCallNames = (batch: CallBatch): CallNames => {
  const used = new Set<string>()
  let count = 0
  const next = (tool: string, requestedId?: string): string => {
    const own = checkCall(tool, requestedId)
    count += 1
    const id = own ?? `call-${count}`
    if (used.has(id)) throw new TypeError(`The call id "${id}" was used before in this run.`)
    used.add(id)
    return id
  }
  return {
    ofTool: (tool, requestedId) => {
      const id = next(tool, requestedId)
      // Before the arguments are checked, so that the batch also names a call that fails there.
      batch.add(id)
      return id
    },
    ofQuestion: (subject) => next(subject),
  }
}
