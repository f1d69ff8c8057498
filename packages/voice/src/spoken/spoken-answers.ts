// Interprets speech while a question of a spoken turn is open: as an answer, as one of several answers, or as a prompt.
// Speech answers questions only; a spoken "yes" never approves a tool call.
import type { QuestionAnswers } from '@bridle/events/answers'
import type { PromptMeaning } from '@bridle/kernel/commands'
import type { Approval } from '@bridle/kernel/projections/approvals'
import type { SessionState } from '@bridle/kernel/projections/state'
import { heardAnswer } from './heard-option.ts'
import { questionWords, repeatedWords, spokenQuestions } from './spoken-question.ts'

/** A prompt and the answer it represents, or the next words of the line if the question is still open. */
export type HeardSpeech =
  | { readonly prompt: string; readonly meaning?: PromptMeaning }
  | { readonly runId: string; readonly asks: readonly string[] }

interface Progress {
  readonly approvalId: string
  readonly answers: QuestionAnswers
  readonly said: readonly string[]
  /** The options were already repeated once. */
  readonly isRepeated: boolean
}

export class SpokenAnswers {
  #progress: Progress | null = null

  hear(state: Pick<SessionState, 'approvals' | 'lifecycle'>, said: string): HeardSpeech {
    const approval = spokenApproval(state)
    const questions = approval && spokenQuestions(approval)
    if (!approval || !questions || said.trim() === '') return { prompt: said }
    const progress = this.#progressOf(approval)
    const index = Object.keys(progress.answers).length
    const question = questions[index]
    const answer = question && heardAnswer(question, said)
    if (!question || answer === undefined || answer === null) {
      if (!question || progress.isRepeated) return { prompt: said }
      this.#progress = { ...progress, isRepeated: true }
      return { runId: approval.runId ?? '', asks: repeatedWords(question) }
    }
    const answers = { ...progress.answers, [question.id]: answer }
    const words = [...progress.said, said]
    const next = questions[index + 1]
    this.#progress = next ? { approvalId: approval.id, answers, said: words, isRepeated: false } : null
    return next
      ? { runId: approval.runId ?? '', asks: questionWords(next) }
      : { prompt: words.join('\n'), meaning: { approvalId: approval.id, answers } }
  }

  #progressOf({ id }: Approval): Progress {
    return this.#progress?.approvalId === id
      ? this.#progress
      : { approvalId: id, answers: {}, said: [], isRepeated: false }
  }
}

/** The open question of the spoken run. Null beside other open approvals, because the speech could be about any of them. */
const spokenApproval = ({ approvals, lifecycle: { run } }: Pick<SessionState, 'approvals' | 'lifecycle'>) => {
  const [approval, ...others] = Object.values(approvals.open)
  const isAsked = approval?.kind === 'question' && run?.spoken && run.runId === approval.runId
  return isAsked && others.length === 0 ? approval : null
}
