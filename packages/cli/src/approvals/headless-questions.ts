// Questions of a run without a terminal. Sends an answer given beforehand; otherwise the command exits and the question
// stays open.

import { FabricError } from '@bridle/client/http/error'
import type { FabricClient } from '@bridle/client/index'
import { EXIT_CODES, ExitError } from '../command/command.ts'
import { shellWord } from '../command/shell-word.ts'
import type { ServerConnection } from '../runs/server-connection.ts'
import { type AnswerPlace, answerCommand, childCommand } from '../terminal/answer-command.ts'
import { cutApproval, requestOf } from '../terminal/answer-fields.ts'
import type { PrintableEvent } from '../terminal/event-printer.ts'
import type { PreparedAnswers } from './prepared-answers.ts'

export interface HeadlessRun {
  readonly fabric: FabricClient
  readonly id: string
  readonly agent: string
  readonly prepared: PreparedAnswers
  /** Stay attached until someone answers elsewhere. */
  readonly waits: boolean
  readonly howToAnswer: (approvalId: string, commandAt: (place: AnswerPlace) => string) => AnswerAdvice
}

export interface AnswerAdvice {
  readonly command: string
  readonly words: string
}

/** The run waits for an answer that this command does not have. */
export class OpenQuestionError extends ExitError {
  readonly approvalId: string
  readonly command: string

  constructor(approvalId: string, { command, words }: AnswerAdvice, problem: string | null) {
    const why = problem === null ? 'The run waits for an answer.' : `${problem} The question stays open.`
    super(problem === null ? EXIT_CODES.awaitsAnswer : EXIT_CODES.usage, `${why} ${words}`)
    this.name = 'OpenQuestionError'
    this.approvalId = approvalId
    this.command = command
  }
}

/** Handles the events of a run. Throws an OpenQuestionError to detach at a question. */
export const headlessQuestions =
  ({ fabric, id, agent, prepared, waits, howToAnswer }: HeadlessRun) =>
  async ({ type, data }: PrintableEvent): Promise<void> => {
    if (type !== 'approval_requested') return
    const request = requestOf(data)
    const cut = cutApproval(data)
    if (request === null && !cut?.isQuestion) return
    const approvalId = String(data.approvalId)
    // A replayed run repeats the events of answered questions.
    const session = await fabric.session(id, agent).catch(() => null)
    if (session && !session.approvals.some((each) => each.id === approvalId)) return
    if (request === null) {
      if (waits || cut === null) return
      throw new OpenQuestionError(
        approvalId,
        howToAnswer(approvalId, (place) => childCommand(place, cut)),
        null,
      )
    }
    const ready = prepared.take(request)
    if ('given' in ready) {
      await fabric.answer(id, approvalId, { ...ready.given, agent }).catch((error: unknown) => {
        // Answered elsewhere in the meantime.
        if (!(error instanceof FabricError) || error.status !== 409) throw error
      })
      return
    }
    const problem = 'problem' in ready ? ready.problem : null
    if (problem === null && waits) return
    const known = 'known' in ready ? ready.known : {}
    throw new OpenQuestionError(
      approvalId,
      howToAnswer(approvalId, (place) => answerCommand(place, request, known)),
      problem,
    )
  }

/** The advice printed on detaching. If the server stops with this command, it must be started again for the answer. */
export const answerAdvice = (
  { ownData }: Pick<ServerConnection, 'ownData'>,
  place: AnswerPlace,
  commandAt: (place: AnswerPlace) => string,
): AnswerAdvice => {
  const command = commandAt(place)
  if (ownData === null) return { command, words: `Answer it with\n  ${command}` }
  const start = `${place.command} start --data ${shellWord(ownData)}`
  return { command, words: `The server of this run ends with it. Start one, and answer:\n  ${start}\n  ${command}` }
}
