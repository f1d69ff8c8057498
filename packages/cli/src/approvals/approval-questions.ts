// The events and approvals of a session attached to a terminal. Approvals are asked one at a time and withdrawn when
// someone else answers.
import { FabricError } from '@bridle/client/http/error'
import type { FabricClient } from '@bridle/client/index'
import type { GivenAnswer } from '@bridle/events/answers'
import { present } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { commandName } from '../command/command-name.ts'
import { refusalText } from '../errors/refusal-text.ts'
import { answerCommand, childCommand } from '../terminal/answer-command.ts'
import { cutApproval, requestOf } from '../terminal/answer-fields.ts'
import { childLines } from '../terminal/approval-text.ts'
import {
  createEventPrinter,
  type EventPrinter,
  type EventPrinterOptions,
  type PrintableEvent,
} from '../terminal/event-printer.ts'
import type { CliOutput } from '../terminal/output.ts'
import { askChoice, besideQuestion, type QuestionSlot } from '../terminal/question.ts'
import { requestLines } from '../terminal/question-text.ts'
import { type ApprovalChoice, askApproval } from './approval-question.ts'
import type { ArgumentDraft } from './argument-draft.ts'
import { askQuestions, SEND_AGAIN, SEND_AGAIN_ANSWERS } from './ask-questions.ts'
import type { PreparedAnswer } from './prepared-answers.ts'

export interface ApprovalQuestions {
  /** Prints the event, or queues its approval. An open question is asked again below, and typed input is dropped. */
  readonly show: (event: PrintableEvent) => void
  readonly remark: (text: string) => void
  readonly printer: EventPrinter
  /** Withdraws all questions and resolves when the terminal is free. The approvals stay open. */
  readonly close: () => Promise<void>
}

export interface QuestionPlace {
  readonly fabric: Pick<FabricClient, 'answer' | 'approve' | 'reject'>
  readonly out: CliOutput
  readonly printing: Omit<EventPrinterOptions, 'command' | 'nextFlags' | 'isElsewhere' | 'isQuestion'>
  readonly env: NodeJS.ProcessEnv
  readonly id: string
  readonly agent: string | null
  readonly nextFlags: () => string
  readonly takePrepared?: (request: QuestionRequest) => PreparedAnswer
}

/** Asks once and returns a function that sends the answer, or null. `failure`: the HTTP status of the last failed answer. */
type Asker = (failure: number | null) => Promise<(() => Promise<unknown>) | null>

interface Question {
  readonly withdrawal: AbortController
  /** Null for a plain decision. */
  readonly request: QuestionRequest | null
  /** An answer from this terminal was sent and not refused. */
  isAnswered: boolean
}

export const approvalQuestions = (place: QuestionPlace): ApprovalQuestions => {
  const { fabric, out, printing, env, id, agent, nextFlags, takePrepared } = place
  const asked = new Map<string, Question>()
  let questions = Promise.resolve()
  const slot: QuestionSlot = { interject: null }
  const beside = besideQuestion(out, slot)
  const command = commandName(env)
  const printer = createEventPrinter(beside, {
    ...printing,
    command,
    nextFlags,
    isElsewhere: (approvalId) => asked.get(approvalId)?.isAnswered === false,
    isQuestion: (approvalId) => (asked.get(approvalId)?.request ?? null) !== null,
  })
  const options = present({ agent: agent ?? undefined })

  const callAsker = ({ data }: PrintableEvent, signal: AbortSignal): Asker => {
    const approvalId = String(data.approvalId)
    const request = { subject: data.subject, args: data.args, reason: data.reason, child: data.child }
    let refused: ArgumentDraft | null = null
    return async () => {
      const answer: ApprovalChoice | null = await askApproval(out, request, env, signal, { slot, refused })
      if (answer === null) return null
      refused = answer.decision === 'denied' ? null : answer.draft
      if (answer.decision === 'denied') return () => fabric.reject(id, approvalId, options)
      const { args } = answer
      return () => fabric.approve(id, approvalId, { ...present({ args }), ...options })
    }
  }

  const answerAsker = ({ data }: PrintableEvent, request: QuestionRequest, signal: AbortSignal): Asker => {
    const { reason } = data
    const approvalId = String(data.approvalId)
    let unsent: GivenAnswer | null = null
    const answer = (given: GivenAnswer) => {
      unsent = given
      return () => fabric.answer(id, approvalId, { ...given, ...options })
    }
    let prepared = takePrepared?.(request) ?? null
    return async (failure) => {
      // Refused answers become defaults, because sending them again would fail again.
      const earlier = failure === 400 ? (unsent?.answers ?? unsent?.values ?? {}) : {}
      if (unsent !== null && failure === 0) {
        const choice = await askChoice(out, `  ${SEND_AGAIN}`, SEND_AGAIN_ANSWERS, signal, slot)
        if (choice !== 'n') return choice === null ? null : answer(unsent)
      }
      unsent = null
      const ready = prepared
      prepared = null
      childLines(data.child, out.width).forEach(out.line)
      if (ready && 'given' in ready) {
        requestLines(request, reason, out.width, out.style).forEach(out.line)
        return answer(ready.given)
      }
      if (ready && 'problem' in ready) out.note(`The answer in advance does not fit. ${ready.problem}`)
      const known = ready && 'known' in ready ? ready.known : {}
      const given = await askQuestions(out, request, { reason, known, earlier, signal, slot })
      if (given === 'declined') return () => fabric.reject(id, approvalId, options)
      return given === null ? null : answer(given)
    }
  }

  const ask = async (event: PrintableEvent, question: Question): Promise<void> => {
    const { withdrawal, request } = question
    const { signal } = withdrawal
    const approvalId = String(event.data.approvalId)
    const cut = cutApproval(event.data)
    if (cut !== null) {
      printer.print(event)
      return out.note(`Left open; answer with ${childCommand({ command, nextFlags: nextFlags() }, cut)}, or reject.`)
    }
    const askOnce = request === null ? callAsker(event, signal) : answerAsker(event, request, signal)
    for (let failure: number | null = null; !signal.aborted; ) {
      printer.freshLine()
      const send = await askOnce(failure)
      if (send === null) {
        if (!signal.aborted) noteOpenApproval(approvalId, request)
        return
      }
      question.isAnswered = true
      const error = await send().then(
        () => null,
        (reason: Error) => reason,
      )
      if (error === null) return
      failure = error instanceof FabricError ? error.status : null
      // Without a response, the answer may have counted.
      question.isAnswered = failure === 0
      out.note(refusalText(error))
      // If the arguments were refused or the answer never arrived, the approval is still open: ask again.
      if (failure !== 0 && failure !== 400) return
    }
  }
  const noteOpenApproval = (approvalId: string, request: QuestionRequest | null): void => {
    const place = { command, id, approvalId, nextFlags: nextFlags() }
    const typed =
      request === null ? `${command} approve ${id} ${approvalId}${nextFlags()}` : answerCommand(place, request)
    out.write('\n')
    out.note(`Left open; answer with ${typed}, or reject.`)
  }

  const enqueue = (event: PrintableEvent, approvalId: string): void => {
    const question = { withdrawal: new AbortController(), isAnswered: false, request: requestOf(event.data) }
    asked.set(approvalId, question)
    questions = questions.then(() => ask(event, question))
  }

  return {
    printer,
    show: (event) => {
      const approvalId = String(event.data.approvalId)
      const isAnswered = printing.isAnswered?.(approvalId) ?? false
      // The question prints the approval.
      if (event.type === 'approval_requested' && out.canAsk && !isAnswered) return enqueue(event, approvalId)
      printer.print(event)
      // Start the question on a new line after streamed text.
      if (slot.interject !== null) printer.freshLine()
      if (event.type === 'approval_resolved') asked.get(approvalId)?.withdrawal.abort()
    },
    remark: (text) => {
      printer.freshLine()
      beside.note(text)
    },
    close: async () => {
      for (const { withdrawal } of asked.values()) withdrawal.abort()
      await questions
    },
  }
}
