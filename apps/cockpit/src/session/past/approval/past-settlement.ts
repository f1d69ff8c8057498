// The question and the answer of an approval, as the log has them.
import type { LogEntry } from 'bridle/history'
import { answerWords } from 'bridle/words'
import type { CardApproval, JsonRecord } from '../../../approval/card-approval.ts'

/** Changed arguments that a past answer names: the event itself has all of them. */
const CHANGES_SHOWN = 3
/** Characters of each of them. */
const VALUE_CHARS = 40

export interface PastAnswer {
  readonly seq: number
  /** `ann approved with edits`. */
  readonly text: string
  /** Arguments that the answer changed: `attempts: 3`. */
  readonly changes: readonly string[]
}

interface ApprovalPayload {
  readonly reason?: unknown
  readonly arguments?: unknown
  readonly questions?: unknown
  readonly schema?: unknown
  readonly default?: unknown
}

/** All that was asked: the state of a session cuts long arguments, and its log has all of them. */
export const wholeQuestion = (approval: CardApproval, entry: LogEntry | undefined): CardApproval => {
  const { reason, arguments: args, questions, schema, default: byDefault } = (entry?.payload ?? {}) as ApprovalPayload
  if (approval.args !== null && !approval.isCut) return approval
  return {
    ...approval,
    isCut: false,
    ...(typeof reason === 'string' && { reason }),
    ...(isRecord(args) && { args: withoutMark(args) }),
    // The log has questions in the shape in which the kernel checked them.
    ...(Array.isArray(questions) && { questions: questions as NonNullable<CardApproval['questions']> }),
    ...(isRecord(schema) && { schema }),
    ...(isRecord(byDefault) && { default: byDefault }),
  }
}

/** The session marks the arguments with their call; that is no argument. */
const withoutMark = ({ _tool_call_id: _call, ...args }: JsonRecord): JsonRecord => args

/** Null where nobody answered. `question` is the entry that asked. */
export const settlementOf = (entry: LogEntry | undefined, question?: LogEntry): PastAnswer | null => {
  if (!entry) return null
  const answer = entry.payload as ApprovalPayload
  const { arguments: args } = answer
  const asked = (question?.payload as ApprovalPayload | undefined)?.arguments
  const changes = isRecord(args) && isRecord(asked) ? changesOf(withoutMark(asked), withoutMark(args)) : []
  return {
    seq: entry.seq,
    text: answerWords({ ...answer, arguments: changes.length > 0 }).title,
    changes,
  }
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const changesOf = (asked: JsonRecord, given: JsonRecord): readonly string[] => {
  const names = Object.keys(given).filter((name) => JSON.stringify(given[name]) !== JSON.stringify(asked[name]))
  const shown = names.slice(0, CHANGES_SHOWN).map((name) => `${name}: ${valueText(given[name])}`)
  return names.length > shown.length ? [...shown, '…'] : shown
}

const valueText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > VALUE_CHARS ? `${line.slice(0, VALUE_CHARS)}…` : line
}
