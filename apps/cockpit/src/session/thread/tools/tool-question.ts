// A call that asked a person, as the thread shows it once it was settled.
import type { FrontendQuestion, HarnessToolCall } from 'bridle/client'
import { answerText, questionText, questionTitle } from 'bridle/words'
import { settledEventLook } from '../../../approval/question/settled-look.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import type { CallLook } from '../../inspector/timeline/call-look.ts'
import type { CallTimes } from '../thread-index.ts'

/** Characters of a question and its answer in a row, which has one line. */
const BRIEF_CHARS = 160

interface ToolQuestion {
  readonly question: FrontendQuestion
  readonly title: string
  /** The question, and the answer where there is one. */
  readonly brief: string
  readonly look: Omit<CallLook, 'bar'>
}

/** Null = the call is not a question, or still waits. */
export const toolQuestion = (
  call: HarnessToolCall,
  times: Pick<CallTimes, 'question'> | undefined,
): ToolQuestion | null => {
  const question = times?.question ?? answeredOf(call)
  if (!question?.settled) return null
  const { asked, settled } = question
  const answer = answerText({ ...settled })
  const text = [questionText({ ...asked }), answer].filter(Boolean).join(' → ')
  const { word, icon, tone } = settledEventLook(settled)
  return {
    question,
    title: questionTitle({ ...asked }),
    brief: visibleText(text.slice(0, BRIEF_CHARS).replace(/\s+/g, ' ').trim()),
    look: { word: word.toLowerCase(), icon, tone },
  }
}

/** The answer alone, where the events of the call are too long ago to be on the page. */
const answeredOf = ({ id, name, approval }: HarnessToolCall): FrontendQuestion | null => {
  if (!approval || approval.status === 'pending' || !(approval.answers ?? approval.values)) return null
  const { answers, values, status: decision } = approval
  const call = { request_id: approval.id, tool_call_id: id, tool_name: name }
  return {
    asked: { ...call, reason: '', kind: 'question' },
    settled: { ...call, decision, ...(answers && { answers }), ...(values && { values }) },
  }
}
