// The answer of one run as it is spoken: which utterances follow from what the log has of it now.

import type { Approval } from '@bridle/kernel/projections/approvals'
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import { answerOf } from '@bridle/kernel/projections/message-parts'
import type { SessionState } from '@bridle/kernel/projections/state'
import { truncate } from '@bridle/kernel/text/truncate'
import { restSentence, spokenCall } from '../../spoken/spoken-call.ts'
import { askedWords, childWords } from '../../spoken/spoken-question.ts'
import { plainWords } from '../text/plain-words.ts'
import { SentenceCutter } from '../text/sentences.ts'
import { noticeOf, noticesOf, type Utterance } from './utterance.ts'

/** Spoken words of an approval or of its tool: a sentence stays short. */
const NOTICE_CHARS_MAX = 120

export class AnswerReader {
  readonly runId: string
  /** The run has ended, and all of its text was read. */
  isOver = false
  /** The listener has interrupted it, or the voice has failed: nothing more is spoken. */
  isMuted = false
  #cutter: SentenceCutter
  #readChars: number
  readonly #announced = new Set<string>()

  /** `heardChars`: characters of the answer that are not spoken, as an earlier line has spoken them. */
  constructor(runId: string, heardChars = 0) {
    this.runId = runId
    this.#readChars = heardChars
    this.#cutter = new SentenceCutter(heardChars)
  }

  read(state: SessionState): readonly Utterance[] {
    const { lifecycle, approvals, childApprovals } = state
    if (this.isOver) return []
    const answer = findAnswer(state, this.runId)
    const isWaiting = lifecycle.queue.some(({ runId }) => runId === this.runId)
    this.isOver = !isWaiting && lifecycle.run?.runId !== this.runId
    const open = Object.values(approvals.open).filter(({ runId }) => runId === this.runId)
    const isPausing = this.isOver || open.length > 0 || answer?.parts?.at(-1)?.type === 'tool'
    const text = this.#newText(answer?.content ?? '')
    const parts = [...this.#cutter.write(text), ...(isPausing ? this.#cutter.flush() : [])]
    if (this.isMuted) return []
    const below = Object.values(childApprovals.open).filter(({ runId }) => runId === this.runId)
    const notices = [...open, ...below].filter(({ id }) => !this.#announced.has(id))
    for (const { id } of notices) this.#announced.add(id)
    const hasFailed = this.isOver && answer?.status === 'error'
    return [
      ...parts.map((part) => ({ ...part, runId: this.runId, isNotice: false })),
      ...notices.flatMap((approval) => this.#announce(approval)),
      ...(hasFailed ? [noticeOf(this.runId, FAILURE_NOTICE)] : []),
    ]
  }

  #announce(approval: Approval): readonly Utterance[] {
    if (approval.child) return noticesOf(this.runId, childWords(approval.kind))
    return approval.kind === 'question'
      ? askedWords(approval).flatMap((words) => noticesOf(this.runId, words))
      : approvalNotices(approval).map((words) => noticeOf(this.runId, words))
  }

  /** A retry may withdraw text. What was spoken was spoken: the answer goes on from the text that replaces it. */
  #newText(content: string): string {
    if (content.length < this.#readChars) this.#cutter = new SentenceCutter(content.length)
    const text = content.slice(this.#readChars)
    this.#readChars = content.length
    return text
  }
}

export const findAnswer = ({ conversation }: SessionState, runId: string): HarnessMessage | undefined =>
  answerOf(conversation.messages, runId)

const FAILURE_NOTICE = 'Something went wrong, and I could not finish.'

/** The question, and the beginning of the call. Arguments are read as they are: in a command, `*` is not Markdown. */
const approvalNotices = ({ kind, tool, reason, arguments: args }: Approval): string[] => {
  const call = spokenCall(kind, args)
  return [approvalNotice(kind, tool, reason), call.text, restSentence(call) ?? ''].filter((words) => words !== '')
}

/** A budget does not name a tool, and its reason is full of numbers. */
const approvalNotice = (kind: string, tool: string, reason: string): string => {
  if (kind === 'budget') return 'I have reached a limit, and need an approval to go on.'
  if (kind !== 'tool') return 'I need a decision before I go on.'
  const [name, why] = [tool.replace(/[_-]+/g, ' '), plainWords(reason)].map((words) =>
    truncate(words, NOTICE_CHARS_MAX),
  )
  return `I need an approval for ${name} before I go on. ${why}`.trim()
}
