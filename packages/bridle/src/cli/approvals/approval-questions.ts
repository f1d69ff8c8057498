// The questions about the approvals of a session that somebody watches at a terminal: one after the other, each withdrawn when
// another person has answered.
import { FabricError } from '../../client/fabric/error.ts'
import type { FabricClient } from '../../client/index.ts'
import { present } from '../../kernel/json.ts'
import { commandName } from '../command-name.ts'
import { refusalText } from '../refusal-text.ts'
import type { EventPrinter, PrintableEvent } from '../terminal/event-printer.ts'
import type { CliOutput } from '../terminal/output.ts'
import type { QuestionSlot } from '../terminal/question.ts'
import { type ApprovalChoice, askApproval } from './approval-question.ts'
import type { ArgumentDraft } from './argument-draft.ts'

export interface ApprovalQuestions {
  /** Asks about the approval of this event, after the questions that are open. */
  readonly ask: (event: PrintableEvent) => void
  /** A remark on a line of its own. A question that is open is asked again below it; what was typed before it is dropped. */
  readonly remark: (text: string) => void
  /** The approval has its answer. */
  readonly withdraw: (approvalId: string) => void
  /** Withdraws all questions, and resolves when the terminal is free again; the approvals stay open. */
  readonly close: () => Promise<void>
}

export interface QuestionPlace {
  readonly fabric: Pick<FabricClient, 'approve' | 'reject'>
  readonly out: CliOutput
  readonly printer: EventPrinter
  readonly env: NodeJS.ProcessEnv
  /** The session. */
  readonly id: string
  /** Needed where several agents have a session of this id. */
  readonly agent: string | null
  /** The flags that lead a further command to the same session. */
  readonly nextFlags: () => string
}

export const approvalQuestions = (place: QuestionPlace): ApprovalQuestions => {
  const { fabric, out, printer, env, id, agent, nextFlags } = place
  const open = new Map<string, AbortController>()
  let questions = Promise.resolve()
  const slot: QuestionSlot = { interject: null }

  const ask = async ({ data }: PrintableEvent, signal: AbortSignal): Promise<void> => {
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
      const sent = (decision === 'approved' ? fabric.approve : fabric.reject)(id, approvalId, options)
      const error = await sent.then(
        () => null,
        (reason: Error) => reason,
      )
      if (error === null) return
      out.note(refusalText(error))
      // Arguments that the server refuses, and an answer that did not reach it, leave the approval open: ask again.
      if (!(error instanceof FabricError) || ![0, 400].includes(error.status)) return
      refused = answer.decision === 'approved' ? answer.draft : null
    }
  }
  const noteOpenApproval = (approvalId: string): void => {
    out.write('\n')
    out.note(`Left open; answer with ${commandName(env)} approve ${id} ${approvalId}${nextFlags()}, or reject.`)
  }

  return {
    ask: (event) => {
      const approvalId = String(event.data.approvalId)
      const question = new AbortController()
      open.set(approvalId, question)
      questions = questions.then(() => ask(event, question.signal)).finally(() => open.delete(approvalId))
    },
    remark: (text) => {
      printer.freshLine()
      if (slot.interject === null) out.note(text)
      else slot.interject(() => out.note(text))
    },
    withdraw: (approvalId) => {
      const question = open.get(approvalId)
      if (!question) return
      question.abort()
      printer.freshLine()
      out.write('\n')
    },
    close: async () => {
      for (const question of open.values()) question.abort()
      await questions
    },
  }
}
