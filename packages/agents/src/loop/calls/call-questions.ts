// A tool asks a person while it runs, as an MCP server may. The call waits in memory and ends with its process, but the question stays in the
// log. When the call is repeated and asks the same, it finds the question under the same id, and uses an answer once.

import { canonicalJson, hashText, type JsonObject } from '@bridle/events/json'
import type { QuestionRequest } from '@bridle/events/questions'
import { callDigest } from '@bridle/kernel/host/approval-binding'
import { questionReport } from '@bridle/kernel/host/question-report'
import type { Digest } from '@bridle/kernel/ports/digest'
import type { ApprovalAnswer } from '@bridle/kernel/ports/runner'
import type { RunReporter } from '@bridle/kernel/session/run-reporter'
import { truncate } from '@bridle/kernel/text/truncate'
import type { ToolCallContext } from '../../tools/tool.ts'

/** Characters of the reason of a question: lists show it on a line or two, and the question itself is beside it. */
export const QUESTION_REASON_CHARS_MAX = 1_000

export interface CallQuestion {
  /** The name under which a person sees the asker. */
  readonly tool: string
  readonly arguments: JsonObject
  readonly reason: string
  /** From `parseQuestions`. */
  readonly request: QuestionRequest
}

/** Asks a person and waits, which does not count for the deadline of the call. Rejects when the call ends, or the signal aborts. */
export type AskPerson = (question: CallQuestion, signal?: AbortSignal) => Promise<ApprovalAnswer>

/** The context of a call as built-in tools see it. */
export interface AskingCallContext extends ToolCallContext {
  readonly ask: AskPerson
}

/** Between the id of a call and the name of its question. */
const MARK = ':asks-'

/** The call that asked; null: the question is a call of its own. */
export const askingCallOf = (toolCallId: string): string | null => {
  const at = toolCallId.lastIndexOf(MARK)
  return at < 0 ? null : toolCallId.slice(0, at)
}

type QuestionReporter = Pick<RunReporter, 'report' | 'session' | 'follow'>

/** The questions of one execution of a call. */
export const callQuestions = (
  callId: string,
  { reporter, digest }: { readonly reporter: QuestionReporter; readonly digest: Digest },
  callSignal: AbortSignal,
): AskPerson => {
  const counts = new Map<string, number>()
  return async ({ tool, arguments: args, reason, request }, signal = callSignal) => {
    const name = hashText(canonicalJson({ tool, args, request }))
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const id = `${callId}${MARK}${name}${count === 1 ? '' : `-${count}`}`
    const either = AbortSignal.any([signal, callSignal])
    either.throwIfAborted()
    const call = { toolCallId: id, tool, arguments: args, reason: truncate(reason, QUESTION_REASON_CHARS_MAX) }
    // The session asks nothing where the log has this question, or an answer to it that was not used.
    await reporter.report([await questionReport(digest, call, request)])
    const answer = await answerTo(reporter, id, either)
    // Before anything depends on the answer: a call that is repeated after this asks again.
    await reporter.report([{ type: 'approval_delivered', requestId: answer.requestId }])
    if (answer.decision === 'approved' && (await callDigest(digest, tool, answer.arguments)) !== answer.approvedDigest)
      throw new Error('The answer is not the one that was given.')
    return answer
  }
}

const answerTo = (reporter: QuestionReporter, id: string, signal: AbortSignal): Promise<ApprovalAnswer> =>
  new Promise((resolve, reject) => {
    const isOurs = ({ toolCallId }: { readonly toolCallId: string }) => toolCallId === id
    const end = () => {
      unfollow()
      signal.removeEventListener('abort', withdraw)
    }
    const look = () => {
      const answer = reporter.session.job()?.course?.answers.find(isOurs)
      if (!answer) return
      end()
      resolve(answer)
    }
    const withdraw = () => {
      end()
      const open = reporter.session.job()?.course?.open.find(isOurs)
      // A run that is over has no question open.
      if (open) reporter.report([{ type: 'withdraw', requestId: open.id }]).catch(() => {})
      reject(signal.reason)
    }
    // The job follows right after the events of a commit.
    const unfollow = reporter.follow(() => queueMicrotask(look))
    signal.addEventListener('abort', withdraw, { once: true })
    if (signal.aborted) withdraw()
    else look()
  })
