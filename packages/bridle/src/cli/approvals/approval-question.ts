// The question about an approval: yes, no, or yes with other arguments.
import type { JsonObject } from '../../client/fabric/answers.ts'
import { parseObject } from '../runs/run-input.ts'
import type { Output } from '../terminal/output.ts'
import { choose } from '../terminal/question.ts'
import { type ApprovalRequest, showApproval } from './approval-text.ts'
import { draftOf, editArguments } from './argument-editor.ts'

export type ApprovalAnswer =
  | { readonly decision: 'approved'; readonly args?: JsonObject }
  | { readonly decision: 'denied' }

/** Null = no answer: the input ended, or the question was withdrawn. Edited arguments are shown again before they are sent. */
export const askApproval = async (
  out: Output,
  request: ApprovalRequest,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ApprovalAnswer | null> => {
  let edited: JsonObject | null = null
  let draft = draftOf(request.args ?? {})
  while (!signal.aborted) {
    showApproval(out, edited === null ? request : { ...request, args: edited })
    const answer = await choose(out, QUESTION, ['y', 'n', 'e'], signal)
    if (answer === null) return null
    if (answer === 'n') return { decision: 'denied' }
    if (answer === 'y') return { decision: 'approved', ...(edited !== null && { args: edited }) }
    draft = (await editArguments(draft, env, signal)) ?? draft
    try {
      edited = parseObject('The text', draft) as JsonObject
    } catch (error) {
      out.note(`${(error as Error).message} Edit it again with e.`)
    }
  }
  return null
}

const QUESTION = '  Approve? [y]es, [n]o, [e]dit the arguments: '
