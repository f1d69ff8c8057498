// The question about an approval: yes, no, or yes with other arguments.
import type { FabricJsonObject } from '../../client/fabric/request-options.ts'
import { parseJsonObject } from '../runs/run-input.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askChoice } from '../terminal/question.ts'
import { type ApprovalDetails, printApproval } from './approval-text.ts'
import { draftArguments, editArguments } from './argument-editor.ts'

export type ApprovalChoice =
  | { readonly decision: 'approved'; readonly args?: FabricJsonObject }
  | { readonly decision: 'denied' }

/** Null = no answer: the input ended, or the question was withdrawn. Edited arguments are shown again before they are sent. */
export const askApproval = async (
  out: CliOutput,
  request: ApprovalDetails,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ApprovalChoice | null> => {
  let edited: FabricJsonObject | null = null
  let draft = draftArguments(request.args ?? {})
  while (!signal.aborted) {
    printApproval(out, edited === null ? request : { ...request, args: edited })
    const answer = await askChoice(out, QUESTION, ['y', 'n', 'e'], signal)
    if (answer === null) return null
    if (answer === 'n') return { decision: 'denied' }
    if (answer === 'y') return { decision: 'approved', ...(edited !== null && { args: edited }) }
    draft = (await editArguments(draft, env, signal)) ?? draft
    try {
      edited = parseJsonObject('The text', draft) as FabricJsonObject
    } catch (error) {
      out.note(`${(error as Error).message} Edit it again with e.`)
    }
  }
  return null
}

const QUESTION = '  Approve? [y]es, [n]o, [e]dit the arguments: '
