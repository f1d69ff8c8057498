// The words of an approval. A tool call, a budget and an unknown outcome are different questions: yes and no mean something else.

import { argumentParts } from '../ui/arguments/argument-parts.ts'
import { visibleText } from '../ui/plain-text.ts'
import type { CardApproval } from './card-approval.ts'
import { askedText } from './question/question-words.ts'

export interface ApprovalWords {
  readonly approve: string
  readonly deny: string
  /** The consequence of each answer, in a sentence. */
  readonly ifApproved: string
  readonly ifDenied: string
  /** The name of the field for the person's own words. */
  readonly note: string
  /** The arguments may be changed first. */
  readonly canEdit: boolean
  /** The session may pause after the call. */
  readonly canPause: boolean
}

export const approvalWords = (kind: string | null): ApprovalWords => {
  if (kind === 'budget')
    return {
      approve: 'Raise the limit',
      deny: 'Stay paused',
      ifApproved: 'The limit becomes what was spent so far plus the limit of the policy, and the run goes on.',
      ifDenied: 'The session stays paused. You can resume it later, or change its budgets.',
      note: 'Note for the log',
      canEdit: false,
      canPause: false,
    }
  if (kind === 'unknown_outcome')
    return {
      approve: 'Do it again',
      deny: 'Do not repeat',
      ifApproved: 'It is done again, with the same arguments. If it happened before the stop, it then happened twice.',
      ifDenied: 'Nothing is repeated: the agent hears that the outcome is unknown, or the turn ends as failed.',
      note: 'Note for the log',
      canEdit: false,
      canPause: false,
    }
  return {
    approve: 'Approve',
    deny: 'Deny',
    ifApproved: 'Approved, the call runs once, with exactly these arguments.',
    ifDenied: 'Denied, it does not run, and the agent is told, with your note.',
    note: 'Note to the agent',
    canEdit: true,
    canPause: true,
  }
}

/** The question in a few words: `edit_file wants to change a.ts` without the two names. */
export const questionVerb = ({
  kind,
  args,
}: Pick<CardApproval, 'kind' | 'args'>): { verb: string; object?: string } => {
  if (kind === 'budget') return { verb: 'is used up' }
  if (kind === 'unknown_outcome') return { verb: 'may have run already' }
  const [first] = args ? argumentParts(args) : []
  if (first?.type === 'command') return { verb: 'wants to run a command' }
  if (first?.type === 'file') return { verb: 'wants to write', object: first.path }
  if (first?.type === 'edit')
    return first.path === null ? { verb: 'wants to change a text' } : { verb: 'wants to change', object: first.path }
  return { verb: 'wants to run' }
}

const effectTexts: { readonly [effect: string]: string } = {
  pure: 'Only reads: running it twice changes nothing.',
  idempotent: 'Safe to repeat: running it twice is the same as once.',
  unsafe: 'Not safe to repeat: after a crash you are asked again instead of running it twice.',
}
export const effectText = (effect: string): string => effectTexts[effect] ?? effect

const riskTexts: { readonly [risk: string]: string } = { low: 'Low risk', caution: 'Caution', danger: 'Danger' }
export const riskText = (risk: string): string => riskTexts[risk] ?? risk

/** Characters of a question in a line. */
const BRIEF_CHARS = 200

/** An approval in a line: its question, or the name of the tool. */
export const approvalBrief = (
  approval: Pick<CardApproval, 'kind' | 'toolName' | 'questions' | 'schema' | 'reason'>,
): string =>
  visibleText(
    (approval.kind === 'question' ? askedText(approval) : approval.toolName).slice(0, BRIEF_CHARS).replace(/\s+/g, ' '),
  )
