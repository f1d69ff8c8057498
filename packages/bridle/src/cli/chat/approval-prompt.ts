// The question about an approval in a chat: every character of what is asked, and what was answered.

import type { FabricJsonObject } from '../../client/fabric/request-options.ts'
import type { HarnessApproval } from '../../client/index.ts'
import { approvalLines } from '../approvals/approval-text.ts'
import { draftArguments, editArguments } from '../approvals/argument-editor.ts'
import { parseJsonObject } from '../runs/run-input.ts'
import { escapeControls } from '../terminal/output.ts'
import type { Paint } from './markdown/wrap.ts'

export const approvalPrompt = 'Approve? [y]es, [n]o, [e]dit the arguments: '

export const approvalQuestionLines = (
  { toolName, reason, arguments: args }: HarnessApproval,
  edited: FabricJsonObject | null,
  columns: number,
  paint: Paint,
): string[] =>
  approvalLines({ subject: toolName, args: edited ?? args, reason }, columns).map((line) =>
    line.startsWith('?') ? `${paint.style(['bold', 'yellow'], '?')}${line.slice(1)}` : line,
  )

/** The first letter of an answer is enough; null = no answer. */
export const readAnswer = (text: string): 'y' | 'n' | 'e' | null => {
  const typed = text.trim().toLowerCase()
  return (['y', 'n', 'e'] as const).find((each) => typed === each || typed === words[each]) ?? null
}

const words = { y: 'yes', n: 'no', e: 'edit' } as const

export const answerText = ({ toolName }: HarnessApproval, decision: string | null, isOwn: boolean): string =>
  escapeControls(`${toolName} ${decision ?? 'answered'}${isOwn || decision === 'cancelled' ? '' : ', elsewhere'}`)

export interface ArgumentEdit {
  readonly args: FabricJsonObject | null
  readonly problem: string | null
}

/** Opens the editor, or a line of the terminal. Nothing entered leaves the arguments as they were. */
export const editApprovalArguments = async (
  before: FabricJsonObject,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ArgumentEdit> => {
  const text = await editArguments(draftArguments(before), env, signal)
  if (text === null) return { args: null, problem: null }
  try {
    return { args: parseJsonObject('The text', text) as FabricJsonObject, problem: null }
  } catch (error) {
    return { args: null, problem: (error as Error).message }
  }
}
