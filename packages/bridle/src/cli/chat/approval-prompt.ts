// The question about an approval in a chat: every character of what is asked, and what was answered.

import type { HarnessApproval } from '../../client/index.ts'
import { approvalLines } from '../approvals/approval-text.ts'
import { argumentDiffLines } from '../approvals/argument-diff.ts'
import type { ArgumentDraft } from '../approvals/argument-draft.ts'
import { escapeControls } from '../terminal/output.ts'
import type { Paint } from './markdown/wrap.ts'

export const approvalPrompt = 'Approve? [y]es, [n]o, [e]dit the arguments: '

/** `draft` = the arguments as the person has edited them; null = nobody has. */
export const approvalQuestionLines = (
  { toolName, reason, arguments: args }: HarnessApproval,
  draft: ArgumentDraft | null,
  columns: number,
  { style }: Paint,
): string[] => {
  const edited = draft?.edited ?? null
  return [
    ...approvalLines({ subject: toolName, args: edited ?? args, reason }, columns, style).map((line) =>
      line.startsWith('?') ? `${style(['bold', 'yellow'], '?')}${line.slice(1)}` : line,
    ),
    ...(edited === null ? [] : argumentDiffLines(draft?.original, edited, columns, style)),
  ]
}

/** The first letter of an answer is enough; null = no answer. */
export const readAnswer = (text: string): 'y' | 'n' | 'e' | null => {
  const typed = text.trim().toLowerCase()
  return (['y', 'n', 'e'] as const).find((each) => typed === each || typed === words[each]) ?? null
}

const words = { y: 'yes', n: 'no', e: 'edit' } as const

/** `decision` null = nobody's answer is known: the runner may have withdrawn the question, as it does after a pause. */
export const answerText = ({ toolName }: HarnessApproval, decision: string | null, isOwn: boolean): string => {
  if (decision === null) return escapeControls(`${toolName} ${isOwn ? 'answered' : 'is no longer asked'}`)
  const isForeign = !isOwn && (decision === 'approved' || decision === 'denied')
  return escapeControls(`${toolName} ${decision}${isForeign ? ', elsewhere' : ''}`)
}
