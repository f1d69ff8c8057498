// The question about an approval: yes, no, or yes with other arguments.
import type { FabricJsonObject } from '../../client/fabric/request-options.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askChoice, type QuestionSlot } from '../terminal/question.ts'
import { type ApprovalDetails, printApproval } from './approval-text.ts'
import { argumentDiffLines } from './argument-diff.ts'
import { editDraft, newDraft } from './argument-draft.ts'

export type ApprovalChoice =
  | { readonly decision: 'approved'; readonly args?: FabricJsonObject }
  | { readonly decision: 'denied' }

/**
 * Null = no answer: the input ended, or the question was withdrawn. Edited arguments are shown again, with what changed, before
 * they are sent. `isEdit` opens the editor before the first question.
 */
export const askApproval = async (
  out: CliOutput,
  request: ApprovalDetails,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  { isEdit = false, slot }: { readonly isEdit?: boolean; readonly slot?: QuestionSlot } = {},
): Promise<ApprovalChoice | null> => {
  let draft = newDraft(request.args)
  const edit = async (): Promise<void> => {
    const { draft: after, remark } = await editDraft(draft, env, signal)
    draft = after
    if (remark !== null) out.note(remark)
  }
  if (isEdit) await edit()
  while (!signal.aborted) {
    const { original, edited } = draft
    printApproval(out, edited === null ? request : { ...request, args: edited })
    if (edited !== null) argumentDiffLines(original, edited, out.width, out.style).forEach(out.line)
    const answer = await askChoice(out, APPROVAL_QUESTION, ['y', 'n', 'e'], signal, slot)
    if (answer === null) return null
    if (answer === 'n') return { decision: 'denied' }
    if (answer === 'y') return { decision: 'approved', ...(edited !== null && { args: edited }) }
    await edit()
  }
  return null
}

const APPROVAL_QUESTION = '  Approve? [y]es, [n]o, [e]dit the arguments: '
