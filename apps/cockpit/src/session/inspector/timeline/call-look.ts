// How a call looks: an icon, a word and a colour by its status.
import { questionTitle } from 'bridle/words'
import { settledEventLook } from '../../../approval/question/settled-look.ts'
import type { IconName } from '../../../ui/icon-names.ts'
import { visibleText } from '../../../ui/plain-text.ts'
import type { Call, CallStatus } from './call.ts'

export interface CallLook {
  readonly icon: IconName
  readonly word: string
  /** The class of the icon, and that of the bar. */
  readonly tone: '' | 'running' | 'needs' | 'done' | 'failed' | 'late'
  readonly bar: '' | 'run' | 'wait' | 'to' | 'er' | 'no' | 'art'
}

export const callLooks: { readonly [status in CallStatus]: CallLook } = {
  running: { icon: 'loader-circle', word: 'running', tone: 'running', bar: 'run' },
  waiting: { icon: 'shield-alert', word: 'waiting', tone: 'needs', bar: 'wait' },
  none: { icon: 'minus', word: 'no outcome', tone: '', bar: 'no' },
  ok: { icon: 'circle-check', word: 'ok', tone: 'done', bar: '' },
  timeout: { icon: 'timer-off', word: 'timed out', tone: 'late', bar: 'to' },
  error: { icon: 'circle-x', word: 'error', tone: 'failed', bar: 'er' },
  denied: { icon: 'ban', word: 'denied', tone: '', bar: 'no' },
  artifact: { icon: 'package', word: 'artifact', tone: 'done', bar: 'art' },
}

type NamedCall = Pick<Call, 'name' | 'status' | 'question'>

/** The name of the tool, or `Question` in its place. */
export const callTitle = ({ name, question }: Pick<NamedCall, 'name' | 'question'>): string =>
  question ? questionTitle({ ...question.asked }) : visibleText(name)

/** The look of a call; a question is answered, declined or expired. */
export const callLook = ({ status, question }: Omit<NamedCall, 'name'>): CallLook => {
  const look = callLooks[status]
  if (!question) return look
  if (question.settled === null) return status === 'waiting' ? { ...look, icon: 'circle-question-mark' } : look
  const { word, icon, tone } = settledEventLook(question.settled)
  return { ...look, word: word.toLowerCase(), icon, tone }
}
