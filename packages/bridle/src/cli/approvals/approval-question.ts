// The question about an approval: yes, no, or yes with other arguments.
import type { FabricJsonObject } from '../../client/fabric/request-options.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askChoice, type QuestionSlot } from '../terminal/question.ts'
import { type ApprovalDetails, printApproval } from './approval-text.ts'
import { argumentDiffLines } from './argument-diff.ts'
import { type ArgumentDraft, editDraft, newDraft } from './argument-draft.ts'

export type ApprovalChoice =
  | { readonly decision: 'approved'; readonly args?: FabricJsonObject; readonly draft: ArgumentDraft }
  | { readonly decision: 'denied' }

export interface ApprovalQuestionOptions {
  /** Opens the editor before the first question. */
  readonly isEdit?: boolean
  readonly slot?: QuestionSlot
  /** The edit of an answer that was refused: a person mends it, and does not type it again. */
  readonly refused?: ArgumentDraft | null
}

/**
 * Null = no answer: the input ended, or the question was withdrawn. Edited arguments are shown again, with what changed, before
 * they are sent.
 */
export const askApproval = async (
  out: CliOutput,
  request: ApprovalDetails,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  { isEdit = false, slot = { interject: null }, refused = null }: ApprovalQuestionOptions = {},
): Promise<ApprovalChoice | null> => {
  let draft = refused ?? newDraft(request.args)
  const edit = async (): Promise<void> => {
    // The edit has the terminal to itself, perhaps in a full-screen editor.
    const held: (() => void)[] = []
    slot.interject = (print) => held.push(print)
    const { draft: after, remark } = await editDraft(draft, env, signal)
    slot.interject = null
    for (const print of held) print()
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
    if (answer === 'y') return { decision: 'approved', draft, ...(edited !== null && { args: edited }) }
    await edit()
  }
  return null
}

const APPROVAL_QUESTION = '  Approve? [y]es, [n]o, [e]dit the arguments: '
