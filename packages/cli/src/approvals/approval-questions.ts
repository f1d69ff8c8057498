// The events of a session that somebody watches at a terminal, and the questions about its approvals: one after the other, each
// withdrawn when another person has answered.
import { FabricError } from '@bridle/client/http/error'
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { commandName } from '../command/command-name.ts'
import { refusalText } from '../errors/refusal-text.ts'
import {
  createEventPrinter,
  type EventPrinter,
  type EventPrinterOptions,
  type PrintableEvent,
} from '../terminal/event-printer.ts'
import type { CliOutput } from '../terminal/output.ts'
import { besideQuestion, type QuestionSlot } from '../terminal/question.ts'
import { type ApprovalChoice, askApproval } from './approval-question.ts'
import type { ArgumentDraft } from './argument-draft.ts'

export interface ApprovalQuestions {
  /**
   * Prints the event, or asks about its approval after the questions that are open. A question that is open is asked again below
   * what is printed; what was typed before is dropped.
   */
  readonly show: (event: PrintableEvent) => void
  readonly remark: (text: string) => void
  readonly printer: EventPrinter
  /** Withdraws all questions, and resolves when the terminal is free again; the approvals stay open. */
  readonly close: () => Promise<void>
}

export interface QuestionPlace {
  readonly fabric: Pick<FabricClient, 'approve' | 'reject'>
  readonly out: CliOutput
  readonly printing: Omit<EventPrinterOptions, 'command' | 'nextFlags' | 'isElsewhere'>
  readonly env: NodeJS.ProcessEnv
  readonly id: string
  /** Needed where several agents have a session of this id. */
  readonly agent: string | null
  /** The flags that lead a further command to the same session. */
  readonly nextFlags: () => string
}

interface Question {
  readonly withdrawal: AbortController
  /** This terminal has sent an answer, which was not refused. */
  isAnswered: boolean
}

export const approvalQuestions = (place: QuestionPlace): ApprovalQuestions => {
  const { fabric, out, printing, env, id, agent, nextFlags } = place
  const asked = new Map<string, Question>()
  let questions = Promise.resolve()
  const slot: QuestionSlot = { interject: null }
  const beside = besideQuestion(out, slot)
  const printer = createEventPrinter(beside, {
    ...printing,
    command: commandName(env),
    nextFlags,
    isElsewhere: (approvalId) => asked.get(approvalId)?.isAnswered === false,
  })

  const ask = async ({ data }: PrintableEvent, question: Question): Promise<void> => {
    const { signal } = question.withdrawal
    const approvalId = String(data.approvalId)
    const request = { subject: data.subject, args: data.args, reason: data.reason }
    let refused: ArgumentDraft | null = null
    while (!signal.aborted) {
      printer.freshLine()
      const answer: ApprovalChoice | null = await askApproval(out, request, env, signal, { slot, refused })
      if (answer === null) {
        if (!signal.aborted) noteOpenApproval(approvalId)
        return
      }
      const { decision } = answer
      const args = answer.decision === 'approved' ? answer.args : undefined
      const options = { ...present({ args }), ...(agent !== null && { agent }) }
      question.isAnswered = true
      const sent = (decision === 'approved' ? fabric.approve : fabric.reject)(id, approvalId, options)
      const error = await sent.then(
        () => null,
        (reason: Error) => reason,
      )
      if (error === null) return
      const status = error instanceof FabricError ? error.status : null
      // An answer whose receipt was lost may have counted.
      question.isAnswered = status === 0
      out.note(refusalText(error))
      // Arguments that the server refuses, and an answer that did not reach it, leave the approval open: ask again.
      if (status !== 0 && status !== 400) return
      refused = answer.decision === 'approved' ? answer.draft : null
    }
  }
  const noteOpenApproval = (approvalId: string): void => {
    out.write('\n')
    out.note(`Left open; answer with ${commandName(env)} approve ${id} ${approvalId}${nextFlags()}, or reject.`)
  }

  const enqueue = (event: PrintableEvent, approvalId: string): void => {
    const question = { withdrawal: new AbortController(), isAnswered: false }
    asked.set(approvalId, question)
    questions = questions.then(() => ask(event, question))
  }

  return {
    printer,
    show: (event) => {
      const approvalId = String(event.data.approvalId)
      const isAnswered = printing.isAnswered?.(approvalId) ?? false
      // A question prints its approval when it is asked.
      if (event.type === 'approval_requested' && out.canAsk && !isAnswered) return enqueue(event, approvalId)
      printer.print(event)
      // The question below streamed text begins a line, too.
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
