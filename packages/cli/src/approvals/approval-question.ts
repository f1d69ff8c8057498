import type { FabricJsonObject } from '@bridle/client/fabric/request-options'
import { type ApprovalDetails, draftLines } from '../terminal/approval-text.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askChoice, type QuestionSlot } from '../terminal/question.ts'
import { type ArgumentDraft, editDraft, newDraft } from './argument-draft.ts'

export type ApprovalChoice =
  | { readonly decision: 'approved'; readonly args?: FabricJsonObject; readonly draft: ArgumentDraft }
  | { readonly decision: 'denied' }

export const APPROVAL_QUESTION = 'Approve? [y]es, [n]o, [e]dit the arguments: '
export const APPROVAL_ANSWERS = ['y', 'n', 'e'] as const

/** Null without an answer. Edited arguments are confirmed with a diff. `isEdit`: edit first. `refused`: an edit to correct. */
export const askApproval = async (
  out: CliOutput,
  request: ApprovalDetails,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  {
    isEdit = false,
    slot = { interject: null },
    refused = null,
  }: { readonly isEdit?: boolean; readonly slot?: QuestionSlot; readonly refused?: ArgumentDraft | null },
): Promise<ApprovalChoice | null> => {
  let draft = refused ?? newDraft(request.args)
  const edit = async (): Promise<void> => {
    // The editor may use the whole screen, so hold other output.
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
    draftLines(request, draft, out.width, out.style).forEach(out.line)
    const { edited } = draft
    const answer = await askChoice(out, `  ${APPROVAL_QUESTION}`, APPROVAL_ANSWERS, signal, slot)
    if (answer === null) return null
    if (answer === 'n') return { decision: 'denied' }
    if (answer === 'y') return { decision: 'approved', draft, ...(edited !== null && { args: edited }) }
    await edit()
  }
  return null
}
