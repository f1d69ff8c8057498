// The question about an approval: yes, no, or yes with other arguments.
import type { FabricJsonObject } from '../../client/fabric/request-options.ts'
import { parseJsonObject } from '../runs/run-input.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askChoice } from '../terminal/question.ts'
import { type ApprovalDetails, printApproval } from './approval-text.ts'
import { argumentChanges, printArgumentDiff } from './argument-diff.ts'
import { draftArguments, editArguments } from './argument-editor.ts'

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
  { isEdit = false }: { readonly isEdit?: boolean } = {},
): Promise<ApprovalChoice | null> => {
  const original = request.args ?? {}
  let edited: FabricJsonObject | null = null
  let draft = draftArguments(original)
  const edit = async (): Promise<void> => {
    draft = (await editArguments(draft, env, signal)) ?? draft
    try {
      const value = parseJsonObject('The text', draft) as FabricJsonObject
      edited = argumentChanges(original, value).length === 0 ? null : value
      if (edited === null) out.note('Nothing is changed.')
    } catch (error) {
      out.note(`${(error as Error).message} Edit it again with e.`)
    }
  }
  if (isEdit) await edit()
  while (!signal.aborted) {
    printApproval(out, edited === null ? request : { ...request, args: edited })
    if (edited !== null) {
      out.line('  Changed:')
      printArgumentDiff(out, original, edited)
    }
    const answer = await askChoice(out, APPROVAL_QUESTION, ['y', 'n', 'e'], signal)
    if (answer === null) return null
    if (answer === 'n') return { decision: 'denied' }
    if (answer === 'y') return { decision: 'approved', ...(edited !== null && { args: edited }) }
    await edit()
  }
  return null
}

export const APPROVAL_QUESTION = '  Approve? [y]es, [n]o, [e]dit the arguments: '
