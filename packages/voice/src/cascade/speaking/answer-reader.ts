// Turns the logged answer of a run into utterances as it grows.

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

/** For approvals and tool names in notices. Keeps the sentence short. */
const NOTICE_CHARS_MAX = 120

export class AnswerReader {
  readonly runId: string
  isOver = false
  /** Interrupted, or synthesis failed: nothing more is spoken. */
  isMuted = false
  #cutter: SentenceCutter
  #readChars: number
  readonly #announced = new Set<string>()

  /** `heardChars`: characters to skip, because an earlier line spoke them. */
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

  /** A retry may withdraw text. Speech cannot be taken back, so continue with the replacement text. */
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

/** The question and the start of the call. Arguments are read literally: in a command, `*` is not Markdown. */
const approvalNotices = ({ kind, tool, reason, arguments: args }: Approval): string[] => {
  const call = spokenCall(kind, args)
  return [approvalNotice(kind, tool, reason), call.text, restSentence(call) ?? ''].filter((words) => words !== '')
}

/** A budget names no tool, and its reason is mostly numbers. */
const approvalNotice = (kind: string, tool: string, reason: string): string => {
  if (kind === 'budget') return 'I have reached a limit, and need an approval to go on.'
  if (kind !== 'tool') return 'I need a decision before I go on.'
  const [name, why] = [tool.replace(/[_-]+/g, ' '), plainWords(reason)].map((words) =>
    truncate(words, NOTICE_CHARS_MAX),
  )
  return `I need an approval for ${name} before I go on. ${why}`.trim()
}
