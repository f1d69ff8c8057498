// The ids of calls, before they are numbered.
import { isId } from '@bridle/kernel/event'
import { INPUT_SUBJECT } from '@bridle/kernel/user-input'
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
export const numberedCallNames = (joinBatch: (callId: string) => void): CallNames => {
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
      joinBatch(id)
      return id
    },
    ofQuestion: (subject) => next(subject),
  }
}

const NO_NAME =
  'A call has a name: the first argument of session.tool() is its name, a text, and so is the `subject` of session.approval(). Tools made with tool() belong in `tools` of an agent with a model.'

/** The author's id of a call, or null. Throws if the name or the id is not valid in the log. */
const checkCall = (tool: unknown, id: string | undefined): string | null => {
  if (typeof tool !== 'string' || tool === '') throw new TypeError(NO_NAME)
  if (id !== undefined && !isId(id))
    throw new TypeError('A call id may have letters, digits and . _ : @ - only, at most 128.')
  return id ?? null
}

/** The same for a call that has an effect: a typed text answers a question of that name, and must never approve a call. */
const checkToolCall = (tool: unknown, id: string | undefined): string | null => {
  if (tool === INPUT_SUBJECT)
    throw new TypeError(`"${INPUT_SUBJECT}" is the name of questions for a text: give the tool another one.`)
  return checkCall(tool, id)
}
